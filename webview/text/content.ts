/** How a part is shown, as windows: rendered prose, an edit as a diff, or the text as recorded. */
import type { Part } from "#core/trajectory/model";
import { argumentRanges } from "./arguments";
import type { Accent } from "./draw-text";
import { editOf, type DiffLine, type Edit } from "./edits";
import { parseMarkdown, type Block, type Inline, type TopBlock } from "./markdown";
import { plainWindows, type PlainWindow } from "./windows";

/** One row's worth of a part. `start` and `end` are the UTF-16 range of the part that it shows; `lines` before wrapping. */
export type Window =
  | PlainWindow
  | { readonly kind: "blocks"; readonly start: number; readonly end: number; readonly lines: number; readonly blocks: readonly Block[] }
  | { readonly kind: "code"; readonly start: number; readonly end: number; readonly lines: number; readonly ranges: readonly { readonly start: number; readonly end: number }[] }
  | { readonly kind: "diff"; readonly start: number; readonly end: number; readonly lines: number; readonly rows: readonly DiffLine[] };

export interface Content { readonly windows: readonly Window[]; readonly edit?: Edit | undefined; readonly accents?: readonly Accent[] | undefined }

const maxProse = 200_000;
const blockLines = 12;
const blockLength = 1600;
const rowLines = 36;
/** Elements that one row may cost. */
const maxWeight = 140;

/** About how many elements an inline or a block is drawn with. */
function inlineWeight(inlines: readonly Inline[]): number {
  return inlines.reduce((sum, inline) => sum + (inline.kind === "run" ? 0 : "inlines" in inline ? 1 + inlineWeight(inline.inlines) : 1), 0);
}

function weightOf(block: Block): number {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return 1 + inlineWeight(block.inlines);
    case "list":
      return block.items.reduce((sum, item) => sum + 1 + weightOfAll(item), 1);
    case "quote":
      return 1 + weightOfAll(block.blocks);
    case "table":
      return block.rows.reduce((sum, cells) => sum + 1 + cells.reduce((n, cell) => n + 1 + inlineWeight(cell.inlines), 0), 2);
    default:
      return 1;
  }
}

const weightOfAll = (blocks: readonly Block[]): number => blocks.reduce((sum, block) => sum + weightOf(block), 0);

function pushBlock(windows: Window[], text: string, top: TopBlock): void {
  const { block, start, end, lines } = top;
  const last = windows.at(-1);
  if (block.kind === "code" && block.lines.length > rowLines) {
    for (let i = 0; i < block.lines.length; i += rowLines) {
      const ranges = block.lines.slice(i, i + rowLines);
      windows.push({ kind: "code", start: ranges[0]!.start, end: ranges.at(-1)!.end, lines: ranges.length, ranges });
    }
  } else if (lines > 60 || end - start > 8000 || weightOf(block) > maxWeight) {
    // One block too big for a row, such as a list of hundreds of items, is shown as it was written.
    windows.push(...plainWindows(text, start, end));
  } else if (last?.kind === "blocks" && last.lines + lines <= blockLines && end - last.start <= blockLength && weightOfAll(last.blocks) + weightOf(block) <= maxWeight) {
    windows[windows.length - 1] = { ...last, end, lines: last.lines + lines, blocks: [...last.blocks, block] };
  } else windows.push({ kind: "blocks", start, end, lines, blocks: [block] });
}

function proseWindows(text: string): Window[] {
  const windows: Window[] = [];
  for (const top of parseMarkdown(text)) pushBlock(windows, text, top);
  return windows.length > 0 ? windows : plainWindows(text);
}

function diffWindows(edit: Edit): Window[] {
  const windows: Window[] = [];
  for (let i = 0; i < edit.lines.length; i += rowLines) {
    const rows = edit.lines.slice(i, i + rowLines);
    windows.push({ kind: "diff", start: Math.min(...rows.map((r) => r.start)), end: Math.max(...rows.map((r) => r.end)), lines: rows.length, rows });
  }
  return windows;
}

export interface ContentOptions { readonly isProse: boolean; readonly asRecorded: boolean }

/** What to draw of a part. `isProse`: Markdown is rendered; `asRecorded`: nothing is. */
export function contentOf(part: Part, options: ContentOptions): Content {
  if (part.kind === "tool_call") {
    const edit = editOf(part);
    if (edit && !options.asRecorded) return { windows: diffWindows(edit), edit };
    const accents = argumentRanges(part)?.map((range) => ({ start: range.keyStart, end: range.start, className: "argument-key" }));
    return { windows: plainWindows(part.text), edit, accents };
  }
  const isProse = options.isProse && !options.asRecorded && part.kind !== "tool_result" && part.text.length <= maxProse;
  return { windows: isProse ? proseWindows(part.text) : plainWindows(part.text) };
}

/** Whether a window shows the character at `offset`; a diff leaves some of a call's text out. */
export function windowHolds(window: Window, offset: number): boolean {
  if (window.kind === "diff") return window.rows.some((row) => row.start <= offset && offset <= row.end);
  if (window.kind === "code") return window.ranges.some((range) => range.start <= offset && offset <= range.end);
  return window.start <= offset && offset < Math.max(window.end, window.start + 1);
}
