/** `tracemark.json`: read, checked, and with every default filled in. */
import { parseTolerant } from "#core/json/tolerant";
import { findPointer } from "#core/json/walk";
import type { OverturnPolicy } from "#core/labels/gold";
import { describeIssues, type FileProblem } from "./file-problem";
import { WorkspaceConfig, type TaxonomyEntry } from "./schemas";
import { builtInTaxonomy } from "./taxonomy";

/** Settings of a root, whether it has a file or not. Folders are paths from the root with `/`, never outside it. */
export interface WorkspaceSettings {
  /** Undefined where there is no (usable) `tracemark.json`. */
  readonly config?: WorkspaceConfig;
  /** Patterns and manifests; undefined means: look for samples. */
  readonly samples?: readonly string[];
  readonly taxonomy: readonly TaxonomyEntry[];
  readonly labels: string;
  readonly runs: string;
  readonly plans: string;
  readonly overturn: OverturnPolicy;
  /** Entries of `monitors` that have not the expected form and are left out of `config`, by id. */
  readonly unusableMonitors?: ReadonlyMap<string, UnusableMonitor>;
}

/** Why an entry of `monitors` cannot be used (words without a full stop), and its line in `tracemark.json`. */
export interface UnusableMonitor {
  readonly line: number;
  readonly what: string;
}

export const defaultSettings: WorkspaceSettings = {
  taxonomy: builtInTaxonomy, labels: "labels", runs: "runs", plans: "plans", overturn: "any",
};

/**
 * Reads the text of a `tracemark.json`, called `file` in problems. A file that cannot be used gives the defaults and says why;
 * a monitor that cannot be used is left out by itself.
 */
export function readConfig(text: string, file: string): { settings: WorkspaceSettings; problems: FileProblem[] } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return { settings: defaultSettings, problems: [{ file, ...faultOf(text), code: "bad-json" }] };
  }
  const unusable = unusableMonitors(text, value);
  const parsed = WorkspaceConfig.safeParse(withoutMonitors(value, unusable));
  if (!parsed.success) {
    return { settings: defaultSettings, problems: [{ file, line: configLine(text, parsed.error.issues[0]?.path ?? []), code: "bad-config", message: `${describeIssues(parsed.error.issues, value)}. The file is not used; correct it.` }] };
  }
  const config = parsed.data;
  const problems: FileProblem[] = [...unusable].map(([id, { line, what }]) => ({ file, line, code: "unusable-monitor", message: `${what}. The monitor ${id} is not used; correct its entry.` }));
  const folder = (key: "labels" | "runs" | "plans"): string => {
    const asked = config[key];
    if (asked === undefined) return defaultSettings[key];
    const path = insidePath(asked);
    if (path !== undefined) return path;
    problems.push({ file, code: "outside-root", message: `"${key}": ${asked} does not lie below the folder of this file; ${defaultSettings[key]} is used.` });
    return defaultSettings[key];
  };
  const settings: WorkspaceSettings = {
    config, samples: config.samples, taxonomy: mergeTaxonomy(config.taxonomy),
    labels: folder("labels"), runs: folder("runs"), plans: folder("plans"), overturn: config.gold?.overturn ?? "any",
    ...(unusable.size > 0 ? { unusableMonitors: unusable } : {}),
  };
  problems.push(...checkTaxonomy(settings.taxonomy, file));
  return { settings, problems };
}

/** The monitors of a parsed `tracemark.json` that have not the expected form. */
function unusableMonitors(text: string, value: unknown): Map<string, UnusableMonitor> {
  const found = new Map<string, UnusableMonitor>();
  const parsed = WorkspaceConfig.safeParse(value);
  for (const { path: [key, id] } of parsed.success ? [] : parsed.error.issues) {
    if (key !== "monitors" || typeof id !== "string" || found.has(id)) continue;
    const own = parsed.error!.issues.filter((issue) => issue.path[0] === key && issue.path[1] === id);
    found.set(id, { line: configLine(text, own[0]!.path), what: describeIssues(own, value) });
  }
  return found;
}

function withoutMonitors(value: unknown, unusable: ReadonlyMap<string, UnusableMonitor>): unknown {
  if (unusable.size === 0) return value;
  const config = value as { readonly monitors: Readonly<Record<string, unknown>> };
  return { ...config, monitors: Object.fromEntries(Object.entries(config.monitors).filter(([id]) => !unusable.has(id))) };
}

/** The 1-based line on which the value at `path` begins, or that of the nearest value around it. `text` is JSON. */
export function configLine(text: string, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const pointer = path.slice(0, depth).map((key) => `/${String(key).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");
    const place = findPointer(text, pointer, text.charCodeAt(0) === 0xfeff ? 1 : 0);
    if (place) return text.slice(0, place.start).split("\n").length;
  }
  return 1;
}

/** A relative path without `.` and `..` in it, or undefined when it leaves its folder or is absolute. */
export function insidePath(path: string): string | undefined {
  if (/^([\\/]|[A-Za-z]:)/.test(path) || path.includes("\0")) return undefined;
  const kept: string[] = [];
  for (const name of path.replace(/\\/g, "/").split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") kept.push(name);
    else if (kept.pop() === undefined) return undefined;
  }
  return kept.join("/");
}

/** Entries with a built-in id replace it, others are added behind. */
function mergeTaxonomy(own: readonly TaxonomyEntry[] | undefined): readonly TaxonomyEntry[] {
  if (!own) return builtInTaxonomy;
  const ids = new Map(own.map((entry) => [entry.id, entry]));
  const builtIn = builtInTaxonomy.map((entry) => ids.get(entry.id) ?? entry);
  return [...builtIn, ...own.filter((entry) => !builtInTaxonomy.some(({ id }) => id === entry.id))];
}

function checkTaxonomy(taxonomy: readonly TaxonomyEntry[], file: string): FileProblem[] {
  const ids = new Set(taxonomy.map(({ id }) => id));
  return taxonomy
    .filter(({ parent }) => parent !== undefined && !ids.has(parent))
    .map(({ id, parent }) => ({ file, code: "unknown-category", message: `Category ${id} names ${parent ?? ""} as its parent, which is not in the taxonomy.` }));
}

/** Where and how the text fails to be JSON. */
function faultOf(text: string): { line?: number; message: string } {
  const result = parseTolerant(text);
  const fault = "problem" in result ? { text: result.problem, offset: result.offset } : { text: result.notes[0]?.message ?? "not JSON", offset: result.notes[0]?.offset ?? 0 };
  return { line: text.slice(0, fault.offset).split("\n").length, message: `The file is not JSON: ${fault.text}. It is not used; correct it.` };
}
