/** Reads prompt templates (`## System` and `## User`, placeholders in double braces) and fills them in one pass. */
import type { TaxonomyEntry } from "#core/workspace/schemas";
import type { Rendering } from "./render";

/** What a template may name. `task` and `transcript` are the request and the agent's work, `trajectory` is both in one block. */
export const placeholders = ["task", "transcript", "trajectory", "taxonomy", "guidelines", "examples", "tag"] as const;

export interface PromptTemplate {
  readonly system: string;
  readonly user: string;
}

/** A template that cannot be used, with the reason and what to do. */
export interface TemplateProblem {
  readonly problem: string;
}

const heading = /^##[ \t]+(system|user)[ \t]*$/i;
const placeholder = /\{\{\s*([a-z_]+)\s*\}\}/g;

/**
 * Splits a template into its two messages. Without headings all of it is the user message. A template must show the
 * agent's work and the tag of the delimiters, or the model could be fooled by text inside the record.
 */
export function parseTemplate(text: string): PromptTemplate | TemplateProblem {
  let template = parsedByText.get(text);
  if (!template) {
    if (parsedByText.size >= mostParsed) parsedByText.clear();
    parsedByText.set(text, (template = readTemplate(text)));
  }
  return template;
}

/** A run fills one template a hundred thousand times. */
const parsedByText = new Map<string, PromptTemplate | TemplateProblem>();
const mostParsed = 32;

function readTemplate(text: string): PromptTemplate | TemplateProblem {
  const parts: Record<"system" | "user", string[]> = { system: [], user: [] };
  let current: "system" | "user" = "user";
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const match = heading.exec(line);
    if (match) current = match[1]!.toLowerCase() as "system" | "user";
    else parts[current].push(line);
  }
  const template = { system: parts.system.join("\n").trim(), user: parts.user.join("\n").trim() };
  const used = new Set([...text.matchAll(placeholder)].map((match) => match[1]!));
  const unknown = [...used].filter((name) => !(placeholders as readonly string[]).includes(name));
  if (unknown.length > 0) {
    return { problem: `the prompt template names {{${unknown[0]}}}, which does not exist; use ${placeholders.map((name) => `{{${name}}}`).join(", ")}` };
  }
  if (!used.has("trajectory") && !used.has("transcript")) {
    return { problem: "the prompt template does not show the agent's work; add {{task}} and {{transcript}}, or {{trajectory}}" };
  }
  if (!used.has("trajectory") && !used.has("task")) {
    return { problem: "the prompt template shows {{transcript}} without the request; add {{task}}, or use {{trajectory}}" };
  }
  if (!used.has("tag")) {
    return { problem: "the prompt template does not tell the model which delimiter is genuine; add a sentence that names {{tag}}" };
  }
  if (template.user === "") return { problem: "the prompt template has no user message; add a heading ## User with the text below it" };
  return template;
}

/** The taxonomy as a list for a prompt: a line each, id first. */
export function taxonomyText(taxonomy: readonly TaxonomyEntry[]): string {
  return taxonomy.map((entry) => {
    const examples = entry.examples?.length ? ` Examples: ${entry.examples.join("; ")}.` : "";
    return `- ${entry.id} (${entry.title}): ${entry.description}${examples}`;
  }).join("\n");
}

/** What stands in place of the placeholders beside the record itself. */
export interface TemplateValues {
  readonly taxonomy: readonly TaxonomyEntry[];
  readonly guidelines?: string | undefined;
  readonly examples?: string | undefined;
}

/**
 * Fills a template. Each placeholder is replaced once and what was put in is not looked at again, so that a log that
 * contains `{{taxonomy}}` stays as it is. A line that holds nothing but an empty placeholder goes with the blank line behind it.
 */
export function fillTemplate(template: PromptTemplate, rendering: Rendering, { taxonomy, guidelines, examples = "" }: TemplateValues): PromptTemplate {
  const values: Record<string, string> = {
    task: rendering.task.text, transcript: rendering.transcript.text, trajectory: rendering.trajectory.text,
    taxonomy: taxonomyText(taxonomy), tag: rendering.tag, examples,
    guidelines: guidelines?.trim() ? `Guidelines of the people who asked for this review:\n${guidelines.trim()}` : "",
  };
  const fill = (text: string): string => text
    .replace(/^[ \t]*\{\{\s*([a-z_]+)\s*\}\}[ \t]*\n(?:[ \t]*\n)?/gm, (whole, name: string) => (values[name] === "" ? "" : whole))
    .replace(placeholder, (whole, name: string) => values[name] ?? whole);
  return { system: fill(template.system), user: fill(template.user) };
}

/** Whether a template shows labelled examples. */
export function showsExamples(template: PromptTemplate): boolean {
  return /\{\{\s*examples\s*\}\}/.test(template.system + template.user);
}
