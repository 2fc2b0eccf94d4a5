/** Writes a trajectory as the text a monitor reads, and says where every part stands in it, so that a quote can be traced back exactly. */
import { contentCanonical } from "#core/trajectory/model";
import type { Part, Step, Trajectory } from "#core/trajectory/model";

/** Where a part stands: `step` is the index in `steps`, `part` the position in `step.parts`, `start` and `end` UTF-16 offsets in the section's text. */
export interface RenderedPiece {
  readonly step: number;
  readonly part: number;
  readonly start: number;
  readonly end: number;
}

/** A delimited block of text. `text.slice(piece.start, piece.end)` is exactly the text of the piece's part. */
export interface RenderedSection {
  readonly text: string;
  readonly pieces: readonly RenderedPiece[];
}

export interface Rendering {
  /** The tag in every delimiter; it occurs nowhere in the trajectory's own text. */
  readonly tag: string;
  /** What came before the agent's first step: the request. */
  readonly task: RenderedSection;
  /** The agent's first step and all that follows. */
  readonly transcript: RenderedSection;
  /** Both in one block. */
  readonly trajectory: RenderedSection;
}

export interface RenderOptions {
  /** Trajectories that stand in the same prompt: the tag occurs in none of them either. */
  readonly beside?: readonly Trajectory[] | undefined;
  /** Only these steps after the request are shown; positions in `steps`, `to` exclusive. */
  readonly only?: { readonly from: number; readonly to: number } | undefined;
  /** Whether reasoning parts are shown; when not, their place is not mentioned either. */
  readonly reasoning: boolean;
  /** SHA-256 of the UTF-8 of a text, lower-case hex. */
  sha256(text: string): string;
}

const tagLength = 20;

/**
 * The delimiter tag: derived from the hash of everything that can be shown, and derived anew until it occurs nowhere in it.
 * Whoever writes text into a log would have to know the hash of the finished log to close a block, and even then
 * the second test takes the tag away from them.
 */
export function chooseTag(trajectory: Trajectory, sha256: (text: string) => string, beside: readonly Trajectory[] = []): string {
  const haystack = [trajectory, ...beside].flatMap(shownStrings);
  let seed = sha256(`tracemark delimiter 1\n${contentCanonical(trajectory.steps)}\n${haystack.join("\n")}`);
  for (;;) {
    const tag = seed.slice(0, tagLength);
    if (!haystack.some((text) => text.toLowerCase().includes(tag))) return tag;
    seed = sha256(seed);
  }
}

function shownStrings(trajectory: Trajectory): string[] {
  const strings = [trajectory.task ?? ""];
  for (const step of trajectory.steps) {
    for (const part of step.parts) strings.push(part.text, part.toolName ?? "");
    for (const extra of step.extras ?? []) strings.push(extra.type, extra.mediaType ?? "");
  }
  return strings;
}

/** A name from the log on one line: JSON string, so that line breaks and quotation marks cannot look like structure. */
function quoted(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const shownFlags = new Set(["demonstration", "copied_context", "compaction", "abandoned", "user_tool", "synthetic", "sidechain"]);

function partHeading(step: Step, part: Part, tag: string): string {
  const flags = (step.flags ?? []).filter((flag) => shownFlags.has(flag));
  const words = [`step ${step.index}`, step.role, part.kind];
  if (part.toolName !== undefined) words.push(quoted(part.toolName));
  if (part.isError) words.push("(error)");
  if (flags.length > 0) words.push(`(${flags.join(", ")})`);
  return `[${tag}] ${words.join(" ")}`;
}

function renderSteps(steps: readonly Step[], name: string, tag: string, reasoning: boolean, note?: string): RenderedSection {
  const pieces: RenderedPiece[] = [];
  let text = `[${tag}] begin ${name}\n`;
  if (note !== undefined) text += `${note}\n`;
  for (const step of steps) {
    step.parts.forEach((part, position) => {
      if (part.kind === "reasoning" && !reasoning) return;
      text += `${partHeading(step, part, tag)}\n`;
      pieces.push({ step: step.index, part: position, start: text.length, end: text.length + part.text.length });
      text += `${part.text}\n`;
    });
    for (const extra of step.extras ?? []) {
      text += `[${tag}] step ${step.index} ${step.role} content that is not text: ${quoted(extra.mediaType ?? extra.type)}\n`;
    }
  }
  return { text: `${text}[${tag}] end ${name}`, pieces };
}

/** Position in `steps` of the agent's first own step: what stands before it is the request. */
export function requestEnd({ steps }: Trajectory): number {
  const first = steps.findIndex((step) => step.role === "assistant" && !step.flags?.includes("demonstration"));
  return first < 0 ? steps.length : first;
}

/**
 * Renders a trajectory in delimited blocks. Every part stands in it unchanged. Labels, outcomes, titles and metadata are
 * left out: they may give the answer away. Nothing is ever shortened; with `only` the blocks say which steps they show.
 */
export function renderTrajectory(trajectory: Trajectory, options: RenderOptions): Rendering {
  const { only, reasoning } = options;
  const tag = chooseTag(trajectory, options.sha256, options.beside);
  const cut = requestEnd(trajectory);
  const before = trajectory.steps.slice(0, cut);
  const asked = before.some((step) => step.role === "user" && step.parts.some((part) => part.text.trim() !== ""));
  const note = asked ? undefined : trajectory.task?.trim() ? `[${tag}] the request as the log states it\n${trajectory.task}` : `[${tag}] the log states no request`;
  const shown = only ? trajectory.steps.slice(only.from, only.to) : trajectory.steps.slice(cut);
  const stretch = only && shown.length < trajectory.steps.length - cut
    ? `[${tag}] steps ${shown[0]?.index ?? 0} to ${shown.at(-1)?.index ?? 0} of ${trajectory.steps[cut]?.index ?? 0} to ${trajectory.steps.at(-1)?.index ?? 0}; the others are judged apart` : undefined;
  const notes = [note, stretch].filter((one) => one !== undefined).join("\n") || undefined;
  return {
    tag,
    task: renderSteps(before, "request", tag, reasoning, note),
    transcript: renderSteps(shown, "transcript", tag, reasoning, stretch),
    trajectory: renderSteps([...before, ...shown], "trajectory", tag, reasoning, notes),
  };
}

/** A whole trajectory in one block called `name`, under a tag chosen elsewhere. */
export function renderBlock(trajectory: Trajectory, name: string, tag: string, reasoning: boolean): string {
  return renderSteps(trajectory.steps, name, tag, reasoning).text;
}

/** Estimated tokens of each step as it is rendered, its headings included. */
export function stepTokens({ steps }: Trajectory, reasoning: boolean): number[] {
  const tag = "0".repeat(tagLength);
  const frame = estimateTokens(renderSteps([], "transcript", tag, reasoning).text);
  return steps.map((step) => Math.max(0, estimateTokens(renderSteps([step], "transcript", tag, reasoning).text) - frame) + 1);
}

/** The part a stretch of a rendered section lies in, with its offsets inside that part (UTF-16), or undefined when it crosses parts or lies in a heading. */
export function traceBack(section: RenderedSection, start: number, end: number): RenderedPiece | undefined {
  const piece = section.pieces.find((one) => start >= one.start && end <= one.end);
  return piece && { step: piece.step, part: piece.part, start: start - piece.start, end: end - piece.start };
}

/** A rough count of tokens: a quarter for each ASCII character, one for every other code point. Good to about a third. */
export function estimateTokens(text: string): number {
  let ascii = 0, other = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) ascii++;
    else if (unit < 0xdc00 || unit > 0xdfff) other++;
  }
  return Math.ceil(ascii / 4) + other;
}
