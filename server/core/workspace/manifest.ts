/** Manifests (`*.samples.jsonl`) and the samples of a workspace that they, or plain files, give. */
import type { GoldLabel } from "#core/trajectory/model";
import { insidePath } from "./config";
import type { FileProblem } from "./file-problem";
import { readLine } from "./json-lines";
import { SampleRecord } from "./schemas";

/** A sample of the workspace, before its trajectory is read. Paths are from the root with `/`. */
export interface Sample {
  readonly id: string;
  readonly label?: GoldLabel | undefined;
  readonly category?: string | undefined;
  readonly task?: string | undefined;
  readonly pairId?: string | undefined;
  /** As given, else the pair, else the sample itself. */
  readonly group: string;
  readonly split?: "train" | "dev" | "test" | undefined;
  readonly status?: "draft" | "in_review" | "accepted" | "rejected" | undefined;
  /** The manifest line it comes from, without `messages` and `trajectory`; undefined for a file that was found. */
  readonly manifest?: { readonly file: string; readonly line: number; readonly record: SampleRecord } | undefined;
  /** Where its trajectory stands. */
  readonly source: SampleSource;
}

/**
 * `file` with the position of the record in it: a number is its index from 0, a string its own id, undefined the only one.
 * A sample with its messages or trajectory in the manifest itself has the manifest as file and its position there as index.
 */
export interface SampleSource {
  readonly file: string;
  readonly record?: number | string | undefined;
}

/** Whether a file of this name is a manifest. */
export function isManifestName(path: string): boolean {
  return path.endsWith(".samples.jsonl");
}

/** What a manifest holds. */
export interface ReadManifest {
  readonly samples: Sample[];
  readonly problems: FileProblem[];
}

/** Reads a manifest line by line, so that one of any size need not be held as a text. */
export class ManifestReader {
  private readonly unreadable: FileProblem[] = [];
  private readonly problems: FileProblem[] = [];
  private readonly samples: Sample[] = [];
  private readonly lineById = new Map<string, number>();
  /** Readers number the records of a manifest by its non-blank lines, good or bad. */
  private position = -1;

  /** `file` is the manifest's path from the root; paths in it are taken from its folder and may not leave the root. */
  constructor(private readonly file: string) {}

  /** The next line without white space around it, with its number from 1, and whether it is the last one and has no end. */
  take(raw: string, line: number, isCut: boolean): void {
    if (raw === "") return;
    const { file } = this;
    const position = ++this.position;
    const value = readLine(raw, isCut, { schema: SampleRecord, file, line, isPlain: isPlainSample }, this.unreadable);
    if (value === undefined) return;
    const earlier = this.lineById.get(value.id);
    if (earlier !== undefined) {
      this.problems.push({ file, line, code: "duplicate-id", message: `The id ${value.id} stands in line ${earlier} already; this line is not used. Give it another id.` });
      return;
    }
    this.lineById.set(value.id, line);
    const source = sourceOf(value, file, position);
    if (typeof source === "string") this.problems.push({ file, line, code: "sample-source", message: `${value.id}: ${source}` });
    this.samples.push({
      id: value.id, label: value.label, category: value.category, task: value.task, pairId: value.pair_id,
      group: value.group ?? value.pair_id ?? value.id, split: value.split, status: value.status,
      manifest: { file, line, record: withoutContent(value) },
      source: typeof source === "string" ? { file, record: position } : source,
    });
  }

  /** What the lines so far hold. */
  get read(): ReadManifest {
    return { samples: this.samples, problems: [...this.unreadable, ...this.problems] };
  }
}

/** Reads a manifest's text. `file` as in `ManifestReader`. */
export function readManifest(text: string, file: string): ReadManifest {
  const reader = new ManifestReader(file);
  let line = 0;
  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    reader.take(text.slice(at, end < 0 ? text.length : end).trim(), ++line, end < 0);
    at = end < 0 ? text.length : end + 1;
  }
  return reader.read;
}

/** The line without the trajectory that stands in it: that is read from the file when it is needed, and a benchmark of many would fill the memory. */
function withoutContent({ messages: _, trajectory: __, ...record }: SampleRecord): SampleRecord {
  return record;
}

/** Where the trajectory of a manifest line stands, or a sentence when the line does not say it in one way. */
function sourceOf(record: SampleRecord, file: string, position: number): SampleSource | string {
  const given = [record.path !== undefined, record.messages !== undefined, record.trajectory !== undefined].filter(Boolean).length;
  if (given !== 1) return `exactly one of "path", "messages" and "trajectory" has to be given, here ${given} are.`;
  if (record.path === undefined) return { file, record: position };
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";
  const path = /^([\\/]|[A-Za-z]:)/.test(record.path) ? undefined : insidePath(folder + record.path);
  if (path === undefined) return `the path ${record.path} leaves the folder of the workspace; copy the file into it.`;
  return { file: path, ...(record.record === undefined ? {} : { record: record.record }) };
}

const isText = (value: unknown): boolean => typeof value === "string";

/** The keys of a sample that the quick way knows; any other goes the way of the schema. */
const plainKeys: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: isText, pair_id: isText, group: isText, category: isText, task: isText, label_origin: isText, source: isText, path: isText, messages: Array.isArray,
  label: (value) => value === "misbehavior" || value === "benign", split: (value) => value === "train" || value === "dev" || value === "test",
  record: (value) => isText(value) || (typeof value === "number" && Number.isFinite(value)),
};

/** Whether a line is one that the schema would take as it is. False says nothing. */
function isPlainSample(value: unknown): value is SampleRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const line = value as Record<string, unknown>;
  for (const key in line) if (!Object.hasOwn(plainKeys, key) || !plainKeys[key]!(line[key])) return false;
  return line["id"] !== undefined;
}
