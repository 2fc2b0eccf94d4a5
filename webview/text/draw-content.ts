/** Draws one window of a part into its element. */
import type { Content, Window } from "./content";
import { drawBlocks, drawCode } from "./draw-markdown";
import { drawingOf, drawText, type Accent } from "./draw-text";
import type { DiffLine } from "./edits";
import type { Mark } from "./mark";

const signNames: Record<DiffLine["sign"], string> = { " ": "kept", "+": "added", "-": "removed", "@": "header", "#": "outside" };

function drawDiff(parent: HTMLElement, text: string, rows: readonly DiffLine[], marks: readonly Mark[], from: number): void {
  const pre = document.createElement("div");
  pre.className = "diff";
  const drawing = drawingOf(text, marks, from);
  for (const row of rows) {
    const line = document.createElement("div");
    line.className = `diff-line diff-${signNames[row.sign]}`;
    // The sign is drawn by the style sheet from this attribute, so that it is no part of the text.
    line.dataset["sign"] = row.sign === "@" || row.sign === "#" ? "" : row.sign;
    const accents: Accent[] | undefined = row.words?.map((word) => ({ ...word, className: "diff-word" }));
    drawText(line, { ...drawing, accents }, row.start, row.end);
    if (row.end === row.start) line.appendChild(document.createElement("br"));
    pre.appendChild(line);
  }
  parent.appendChild(pre);
}

/** Fills `parent` with a window of `text`; `marks` are those of the part. What stood there before goes. */
export function drawWindow(parent: HTMLElement, text: string, window: Window, content: Pick<Content, "accents">, marks: readonly Mark[]): void {
  parent.replaceChildren();
  switch (window.kind) {
    case "plain":
      drawText(parent, drawingOf(text, marks, window.start, content.accents), window.start, window.end, window.sgr);
      break;
    case "blocks":
      drawBlocks(parent, window.blocks, drawingOf(text, marks, window.start));
      break;
    case "code":
      drawCode(parent, window.ranges, drawingOf(text, marks, window.start));
      break;
    case "diff":
      drawDiff(parent, text, window.rows, marks, window.start);
  }
}
