/** Opens a file with the reader that fits its content, or the one asked for, and loads its trajectories checked. */
import * as z from "zod/mini";
import { fallback } from "./formats/fallback";
import { formatById, formats } from "./formats";
import { sampleIds } from "./ids";
import { shapeOf } from "./light-text";
import { Step, Trajectory } from "./model";
import type { Warning } from "./model";
import type { FormatDefinition, OpenedFile, Source, SourceDocument } from "./reader";
import { openDocument } from "./source-document";

/** From this claim on, a reader knows the format and does not guess it. */
const sure = 0.95;

/** A file ready to be loaded from. `format` is undefined where no reader found anything in it: then there are no heads. */
export interface TrajectoryFile {
  readonly document: SourceDocument;
  readonly format: FormatDefinition | undefined;
  readonly opened: OpenedFile;
  /** Sample ids, one for each head. */
  readonly ids: readonly string[];
  /** Warnings about the file as a whole; grows while lines are read. */
  warnings(): readonly Warning[];
  /** Trajectory `index`, its id filled in and its shape checked. Never throws on data. */
  load(index: number): Trajectory;
}

export interface OpenOptions {
  /** Path from the root, for the sample ids; the source's own path when left out. */
  readonly relativePath?: string | undefined;
  /** Id of the reader chosen by hand. An unknown one is a warning and no heads. */
  readonly format?: string | undefined;
  /** What is known to be wrong with the file already: a zip that cannot be listed, for one. */
  readonly problems?: readonly Warning[] | undefined;
}

/** What the readers say of a document, best first; ties in the order of the list. The fall-back reader comes last. */
export function candidates(document: SourceDocument): { format: FormatDefinition; score: number }[] {
  return [...formats, fallback]
    .map((format) => ({ format, score: sniff(format, document) }))
    .filter((claim) => claim.score > 0)
    .sort((a, b) => b.score - a.score);
}

/** Opens `source` by its content. Never throws on data. */
export function openFile(source: Source, options: OpenOptions = {}): TrajectoryFile {
  const document = openDocument(source);
  const asked = options.format === undefined ? undefined : (formatById(options.format) ?? (options.format === fallback.id ? fallback : undefined));
  const extra: Warning[] = [...(options.problems ?? [])];
  if (options.format !== undefined && !asked) {
    extra.push({ code: "unknown-format-id", message: `There is no format called ${options.format}; see the list of formats.` });
  }
  const tried = options.format !== undefined ? (asked ? [{ format: asked, score: 1 }] : []) : candidates(document);
  let poor: { format: FormatDefinition; opened: OpenedFile } | undefined;
  for (const { format, score } of tried) {
    const opened = open(format, document, extra);
    if (!opened) continue;
    if (asked && opened.heads.length + opened.warnings.length + extra.length + document.warnings.length === 0) {
      extra.push({ code: "nothing-of-format", message: `Nothing in this file is what the ${asked.id} reader knows; choose another format.` });
    }
    if (asked || opened.heads.some((head) => !head.problem)) return new Opened(document, format, opened, extra, options.relativePath);
    // Records that give nothing: the next reader may do better; if none does, these are shown with their reasons.
    if (opened.heads.length > 0) poor ??= { format, opened };
    // A reader that is sure of the format and says why it found nothing is believed: guessing on would show something else as the talk.
    else if (score >= sure && opened.warnings.length > 0 && !poor) return new Opened(document, format, opened, extra, options.relativePath);
    else extra.push(...opened.warnings);
  }
  if (poor) return new Opened(document, poor.format, poor.opened, extra, options.relativePath);
  if (tried.length === 0 && extra.length === 0 && document.kind !== "empty" && document.kind !== "binary") {
    extra.push({ code: "unknown-format", message: "No known trajectory format was recognised in this file; choose a format by hand." });
  }
  return new Opened(document, undefined, { heads: [], warnings: [], load: () => blank() }, extra, options.relativePath);
}

function sniff(format: FormatDefinition, document: SourceDocument): number {
  try {
    return format.sniff(document);
  } catch {
    return 0;
  }
}

/** A reader must not throw; if one does, the next is tried and the fault is told, not hidden. */
function open(format: FormatDefinition, document: SourceDocument, warnings: Warning[]): OpenedFile | undefined {
  try {
    return format.open(document, { openSource: (source) => openFile(source) });
  } catch (fault) {
    warnings.push({ code: "reader-failed", message: `The ${format.id} reader failed: ${String(fault)}` });
    return undefined;
  }
}

class Opened implements TrajectoryFile {
  readonly ids: readonly string[];

  constructor(
    readonly document: SourceDocument,
    readonly format: FormatDefinition | undefined,
    readonly opened: OpenedFile,
    private readonly extra: readonly Warning[],
    relativePath: string | undefined,
  ) {
    this.ids = sampleIds(relativePath ?? document.source.path, opened.heads);
  }

  warnings(): readonly Warning[] {
    return [...this.document.warnings, ...this.extra, ...this.opened.warnings];
  }

  load(index: number): Trajectory {
    const format = this.format;
    const head = this.opened.heads[index];
    const id = this.ids[index] ?? "";
    if (!format || !head) return blank(id);
    let read: Trajectory;
    try {
      const loaded = this.opened.load(index);
      const own = { format: format.id, reader: { id: format.id, version: format.version } };
      read = { ...loaded, id, ...(loaded.format === "" ? own : {}) };
    } catch (fault) {
      return blank(id, format, { code: "reader-failed", message: `The ${format.id} reader failed: ${String(fault)}` });
    }
    if (head.parent !== undefined) read.parentId ??= this.ids[head.parent];
    const { issue, value } = this.document.light ? checkedLightly(read) : checkedWhole(read);
    if (value) return told(value, head.problem);
    return blank(id, format, { code: "reader-failed", message: `The ${format.id} reader gave a wrong shape at ${issue?.path.join(".")}: ${issue?.message}` });
  }
}

interface Checked {
  readonly value?: Trajectory;
  readonly issue?: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined;
}

function checkedWhole(read: Trajectory): Checked {
  const checked = z.safeParse(Trajectory, read);
  return checked.success ? { value: checked.data } : { issue: checked.error.issues[0] };
}

/** Step by step and without a copy: that would hold all the texts that the steps have let go of. */
function checkedLightly(read: Trajectory): Checked {
  const { value, issue } = checkedWhole({ ...read, steps: [] });
  if (!value) return { issue };
  for (const step of read.steps) {
    const checked = z.safeParse(Step, { ...step, parts: step.parts.map(shapeOf) });
    if (!checked.success) return { issue: { ...checked.error.issues[0]!, path: ["steps", step.index, ...checked.error.issues[0]!.path] } };
  }
  return { value: { ...value, steps: read.steps } };
}

/** A trajectory without steps says so, where nothing else does. */
function told(read: Trajectory, problem: Warning | undefined): Trajectory {
  if (read.steps.length > 0 || read.warnings.length > 0 || problem) return read;
  return { ...read, warnings: [{ code: "no-steps", message: "No steps were found in this trajectory." }] };
}

function blank(id = "", format?: FormatDefinition, warning?: Warning): Trajectory {
  const formatId = format?.id ?? "unknown";
  return { id, format: formatId, reader: { id: formatId, version: format?.version ?? 0 }, metadata: [], steps: [], warnings: warning ? [warning] : [] };
}
