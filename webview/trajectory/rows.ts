/** The transcript as a flat list of rows: the unit of the virtual list. */
import type { Part, Step } from "#core/trajectory/model";
import type { StepOutline } from "#protocol/lsp";
import { contentOf, windowHolds, type Content, type Window } from "../text/content";
import { partKey } from "../text/mark";
import { cutOf, lengthOf } from "../text/part-length";
import { countLines } from "../text/windows";

/**
 * `card`: outcome and the like. `gap`: a step not loaded yet. `head`: a step's first line; where the step is one tool result or
 * one system prompt, that part's own line too (`merged`: how it is folded, "whole" where it cannot be). `part`: a window of a
 * part, the first with the part's own line. `fold`: the button in the place of what is folded. `extras`: what is not quotable text.
 */
export type Row =
  | { readonly kind: "card"; readonly key: string; readonly step: -1; readonly card: "outcome" | "task" }
  | { readonly kind: "gap"; readonly key: string; readonly step: number }
  | { readonly kind: "head"; readonly key: string; readonly step: number; readonly merged?: FoldInfo | "whole" | undefined; readonly isTask?: boolean }
  | { readonly kind: "part"; readonly key: string; readonly step: number; readonly part: number; readonly window?: Window | undefined; readonly content: Content; readonly isFirst: boolean; readonly fold?: FoldInfo | undefined }
  | { readonly kind: "fold"; readonly key: string; readonly step: number; readonly part: number; readonly fold: FoldInfo }
  | { readonly kind: "extras"; readonly key: string; readonly step: number };

/** How a part is folded just now. `lines` and `length` (UTF-16 units) are the whole part's. */
export interface FoldInfo { readonly isFolded: boolean; readonly lines: number; readonly length: number }

export interface RowOptions {
  /** Folds that the reader changed, by part key. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** Steps shown as recorded. */
  readonly sources: ReadonlySet<number>;
  readonly showReasoning: boolean;
  readonly renderMarkdown: boolean;
}

/** When a part may be folded, whether it is so at first, and how many lines of its beginning and end stay in sight. */
interface FoldPolicy { readonly isFoldable: boolean; readonly isFolded: boolean; readonly head: number; readonly tail: number }

export function foldPolicy(step: Pick<Step, "role">, part: Part, lines: number, showReasoning: boolean): FoldPolicy {
  const length = lengthOf(part);
  const isLong = (maxLines: number, maxLength: number) => lines > maxLines || length > maxLength;
  if (part.kind === "reasoning") return { isFoldable: true, isFolded: !showReasoning || isLong(60, 6000), head: 0, tail: 0 };
  if (part.kind === "tool_result") {
    const long = isLong(24, 2500);
    return { isFoldable: long, isFolded: long, head: 6, tail: 4 };
  }
  if (part.kind === "tool_call") return { isFoldable: isLong(30, 3000), isFolded: isLong(60, 6000), head: 16, tail: 0 };
  if (step.role === "system") return { isFoldable: true, isFolded: true, head: 0, tail: 0 };
  return { isFoldable: isLong(40, 4000), isFolded: step.role === "user" && isLong(40, 4000), head: 16, tail: 0 };
}

const contents = new WeakMap<Part, Map<string, Content>>();

function cachedContent(part: Part, isProse: boolean, asRecorded: boolean): Content {
  let byMode = contents.get(part);
  if (!byMode) contents.set(part, (byMode = new Map()));
  const mode = `${isProse}${asRecorded}`;
  let content = byMode.get(mode);
  if (!content) byMode.set(mode, (content = contentOf(part, { isProse, asRecorded })));
  return content;
}

const lineCounts = new WeakMap<Part, number>();

export function linesOf(part: Part): number {
  let lines = lineCounts.get(part);
  if (lines === undefined) lineCounts.set(part, (lines = cutOf(part)?.lines ?? countLines(part.text)));
  return lines;
}

/** The end of the `count`-th line of a text, at most `limit` units on. */
function headEnd(text: string, count: number, limit: number): number {
  let at = 0;
  for (let n = 0; n < count; n++) {
    const feed = text.indexOf("\n", at);
    if (feed < 0 || feed > limit) return Math.min(text.length, limit);
    at = feed + 1;
  }
  return at;
}

function tailStart(text: string, count: number, limit: number): number {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let n = 0; n < count; n++) {
    const feed = text.lastIndexOf("\n", at - 1);
    if (feed < 0 || text.length - feed > limit) return at === text.length || n === 0 ? Math.max(0, text.length - limit) : at + 1;
    at = feed;
  }
  return at + 1;
}

const plain = (text: string, start: number, end: number): Window => ({ kind: "plain", start, end, lines: Math.max(1, countLines(text, start, end)), sgr: {} });

/** What of a folded part stays in sight: whole windows of rendered prose and diffs, else its first and last lines. */
function preview(part: Part, content: Content, policy: FoldPolicy): { head: Window[]; tail: Window[] } {
  if (policy.head === 0) return { head: [], tail: [] };
  const [first] = content.windows;
  if (first && first.kind !== "plain") {
    const window = first.kind === "diff" ? { ...first, rows: first.rows.slice(0, policy.head), lines: Math.min(first.lines, policy.head) } : first;
    return { head: [window], tail: [] };
  }
  const { text } = part;
  const end = headEnd(text, policy.head, 700);
  const start = policy.tail > 0 && !cutOf(part) ? Math.max(end, tailStart(text, policy.tail, 500)) : text.length;
  return { head: [plain(text, 0, end)], tail: start < text.length ? [plain(text, start, text.length)] : [] };
}

function partRows(step: Step, at: number, options: RowOptions): Row[] {
  const part = step.parts[at]!;
  const key = partKey(step.index, at);
  const lines = linesOf(part);
  const policy = foldPolicy(step, part, lines, options.showReasoning);
  const isProse = options.renderMarkdown && (step.role === "assistant" || step.role === "user") && (part.kind === "text" || part.kind === "reasoning");
  // Until the rest of a cut part is here it is drawn folded, whatever was asked for.
  const isCut = cutOf(part) !== undefined;
  const isFolded = isCut || (policy.isFoldable && (options.folds[key] ?? policy.isFolded));
  const fold = isCut || policy.isFoldable ? { isFolded, lines, length: lengthOf(part) } : undefined;
  const row = (content: Content, window: Window | undefined, n: string, isFirst: boolean): Row =>
    ({ kind: "part", key: `${key}.${n}`, step: step.index, part: at, window, content, isFirst, fold: isFirst ? fold : undefined });
  // Nothing is parsed or cut of a part that shows no line of itself.
  if (isFolded && policy.head === 0) return [row({ windows: [] }, undefined, "0", true)];
  if (isFolded && (isCut || part.kind === "tool_result")) {
    const { head, tail } = preview(part, { windows: [] }, policy);
    return [
      ...head.map((window, n) => row({ windows: [] }, window, `p${n}`, n === 0)),
      { kind: "fold", key: `${key}.more`, step: step.index, part: at, fold: fold! },
      ...tail.map((window, n) => row({ windows: [] }, window, `t${n}`, false)),
    ];
  }
  const content = cachedContent(part, isProse, options.sources.has(step.index));
  if (isFolded) {
    const { head, tail } = preview(part, content, policy);
    return [
      ...head.map((window, n) => row(content, window, `p${n}`, n === 0)),
      { kind: "fold", key: `${key}.more`, step: step.index, part: at, fold: fold! },
      ...tail.map((window, n) => row(content, window, `t${n}`, false)),
    ];
  }
  return content.windows.map((window, n) => row(content, window, String(n), n === 0));
}

/** Whether a step's one part needs no line of its own below the step's. */
const isMerged = (step: Step): boolean =>
  step.parts.length === 1 && ((step.role === "tool" && step.parts[0]!.kind === "tool_result") || (step.role === "system" && step.parts[0]!.kind === "text"));

export function stepRows(step: Step, options: RowOptions): Row[] {
  const parts = step.parts.flatMap((_part, at) => partRows(step, at, options));
  const [first] = parts;
  const rows: Row[] = [{ kind: "head", key: String(step.index), step: step.index }];
  if (first?.kind === "part" && isMerged(step)) {
    rows[0] = { kind: "head", key: String(step.index), step: step.index, merged: first.fold ?? "whole" };
    parts[0] = { ...first, isFirst: false };
    if (!first.window) parts.shift();
  }
  for (const row of parts) rows.push(row);
  if (step.extras?.length) rows.push({ kind: "extras", key: `${step.index}.extras`, step: step.index });
  return rows;
}

/** Height in px that a row will have, near enough for a scroll bar; the virtual list measures what it draws. */
export function estimateHeight(row: Row, width: number, outline: StepOutline | undefined): number {
  const perLine = Math.max(20, Math.floor(width / 7.4));
  const wrapped = (length: number, lines: number) => Math.max(lines, Math.ceil(length / perLine));
  switch (row.kind) {
    case "card":
      return 72;
    case "head":
      return 32;
    case "gap":
      return outline ? 40 + 20 * Math.min(16, wrapped(outline.length, outline.lines + 1)) : 80;
    case "fold":
      return 24;
    case "extras":
      return 28;
    case "part": {
      const { window } = row;
      if (!window) return 26;
      return (row.isFirst ? 24 : 0) + 4 + 20 * wrapped(window.end - window.start, window.lines);
    }
  }
}

/** Rows by their index: an array, or what takes the place of a long one. */
export interface RowSequence { readonly length: number; at(index: number): Row | undefined }

/** The index among `rows` of the row that shows `offset` of a part: its window, else its fold button or first row; -1 when the step is not there. */
export function rowAt(rows: RowSequence, from: number, step: number, part: number | undefined, offset: number | undefined): number {
  let best = from;
  for (let i = from; i < rows.length && rows.at(i)!.step === step; i++) {
    const row = rows.at(i)!;
    if (part === undefined || !("part" in row) || row.part !== part) continue;
    if (row.kind === "part" && row.window && (offset === undefined || windowHolds(row.window, offset))) return i;
    if (best === from || row.kind === "fold") best = i;
  }
  return best;
}
