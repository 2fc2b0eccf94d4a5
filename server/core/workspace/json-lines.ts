/** Reading append-only JSON Lines: every good line counts, every bad one is named, a torn last line is no record. */
import type { $ZodIssue } from "zod/v4/core";
import { describeIssues, type FileProblem } from "./file-problem";

/** The part of a zod schema that is needed here. */
export interface LineSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: $ZodIssue[] } };
}

export interface JsonLine<T> {
  /** 1-based. */
  readonly line: number;
  readonly value: T;
  /** The line as it stands in the file, without its end. */
  readonly raw: string;
}

export interface JsonLines<T> {
  readonly lines: readonly JsonLine<T>[];
  readonly problems: readonly FileProblem[];
  /** UTF-16 length of the text up to and with its last line end; a torn tail stands behind it. */
  readonly whole: number;
  /** Number of line ends in the text. */
  readonly lineCount: number;
}

/**
 * Reads `text` with `schema`. `file` is named in problems; `firstLine` (1-based) is the number of the first line of `text`.
 * A last line without its end counts when it parses as JSON (the next writer ends it first), else it is a problem `torn-line`.
 * A value that `isPlain` is sure of is not put through the schema.
 */
export function readJsonLines<T>(text: string, schema: LineSchema<T>, file: string, firstLine = 1, isPlain?: (value: unknown) => value is T): JsonLines<T> {
  const lines: JsonLine<T>[] = [];
  const problems: FileProblem[] = [];
  let line = firstLine;
  let at = firstLine === 1 && text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (; at < text.length; line++) {
    const end = text.indexOf("\n", at);
    const raw = trimmed(text, at, end < 0 ? text.length : end);
    const value = raw === "" ? undefined : readLine(raw, end < 0, { schema, file, line, isPlain }, problems);
    if (value !== undefined) lines.push({ line, value, raw });
    if (end < 0) break;
    at = end + 1;
  }
  return { lines, problems, whole: text.lastIndexOf("\n") + 1, lineCount: line - firstLine };
}

export interface LineContext<T> {
  readonly schema: LineSchema<T>;
  readonly file: string;
  readonly line: number;
  readonly isPlain?: ((value: unknown) => value is T) | undefined;
}

/** The slice without white space around it; most lines have none. */
function trimmed(text: string, start: number, end: number): string {
  const slice = text.slice(start, end);
  return text.charCodeAt(start) > 0x20 && text.charCodeAt(end - 1) > 0x20 && text.charCodeAt(start) < 0x7f && text.charCodeAt(end - 1) < 0x7f ? slice : slice.trim();
}

/** The value of one line (without white space around it); undefined where it cannot be used, which is a problem then. `unended`: the file stops in it. */
export function readLine<T>(raw: string, unended: boolean, { schema, file, line, isPlain }: LineContext<T>, problems: FileProblem[]): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    problems.push(unended
      ? { file, line, code: "torn-line", message: `The last line is cut off after ${raw.length} characters and is no record; the next writer removes it.` }
      : { file, line, code: "bad-json", message: `The line is not JSON (${excerpt(raw)}); it is not used. Correct or delete it.` });
    return undefined;
  }
  if (isPlain?.(value)) return value;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push({ file, line, code: "bad-record", message: `The line is not used: ${describeIssues(parsed.error.issues, value)}.` });
  return undefined;
}

function excerpt(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
