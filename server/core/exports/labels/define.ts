/** What a format is that label records leave in, and may come back from. */
import type { Gold } from "#core/labels/gold";
import type { Step } from "#core/trajectory/model";
import type { FileProblem } from "#core/workspace/file-problem";
import type { LabelRecord } from "#core/workspace/schemas";

export interface ExportSample {
  readonly id: string;
  /** Path of its file from the root. */
  readonly file: string;
  readonly split?: string | undefined;
  readonly gold: Gold;
  /** When the newest record that the gold rests on was made. */
  readonly decidedAt?: string | undefined;
  /** Of an Inspect sample: its own uuid, id and epoch. */
  readonly inspect?: { readonly uuid?: string | undefined; readonly id: string; readonly epoch: number } | undefined;
  /** Only where the format asks for text and it may be given. */
  readonly steps?: readonly Pick<Step, "index" | "role" | "parts">[] | undefined;
}

export interface ExportRecord {
  readonly record: LabelRecord;
  /** The line as it stands in its file; only where nothing was taken out. */
  readonly raw?: string | undefined;
}

export interface LabelExport {
  /** By time. */
  readonly records: readonly ExportRecord[];
  readonly samples: ReadonlyMap<string, ExportSample>;
  readonly withText: boolean;
}

export interface WrittenLabels {
  readonly text: string;
  /** What could not be said in the format, in words. */
  readonly leftOut: readonly string[];
}

export interface ReadLabels {
  readonly records: readonly { readonly record: LabelRecord; readonly raw?: string; readonly line?: number }[];
  readonly problems: readonly FileProblem[];
}

export interface ReadContext {
  /** As named in problems. */
  readonly file: string;
  /** Whoever labels without a name of their own are counted to. */
  readonly annotator?: string | undefined;
  /** SHA-256 of the UTF-8 of a text, lower-case hexadecimal. */
  readonly sha256: (text: string) => string;
}

export interface LabelFormat {
  readonly id: string;
  readonly title: string;
  /** Without a dot. */
  readonly extension: string;
  /** Whether the words of trajectories go out whole, unless text is held back. */
  readonly carriesTrajectories: boolean;
  write(input: LabelExport): WrittenLabels;
  /** Never throws on data. */
  read(text: string, context: ReadContext): ReadLabels;
}

/** Declares a format; exists so that a definition is type-checked where it stands. */
export function defineLabelFormat(format: LabelFormat): LabelFormat {
  return format;
}

/** Parses JSON, or says in words why it is none. */
export function parsedJson(text: string, file: string): { value: unknown } | { problem: FileProblem } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, "")) };
  } catch {
    return { problem: { file, code: "bad-json", message: "The file is not JSON; nothing of it is used." } };
  }
}
