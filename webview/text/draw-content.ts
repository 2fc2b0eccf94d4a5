/** Draws one window of a part into its element. */
import type { Content, Window } from "./content";
import { drawBlocks, drawCode } from "./draw-markdown";
import { drawingOf, drawText, type Accent, type Drawing } from "./draw-text";
import type { DiffLine } from "./edits";
import { paintHits } from "./hit-highlights";
import type { Mark } from "./mark";

const signNames: Record<DiffLine["sign"], string> = { " ": "kept", "+": "added", "-": "removed", "@": "header", "#": "outside" };

function drawDiff(parent: HTMLElement, drawing: Drawing, rows: readonly DiffLine[]): void {
  const pre = document.createElement("div");
  pre.className = "diff";
  for (const row of rows) {
    const line = document.createElement("div");
    line.className = `diff-line diff-${signNames[row.sign]}`;
    // The sign is drawn by the style sheet from this attribute, so that it is no part of the text.
    line.dataset["sign"] = row.hasSign || row.sign === "#" ? "" : row.sign;
    const accents: Accent[] | undefined = row.words?.map((word) => ({ ...word, className: "diff-word" }));
    drawText(line, { ...drawing, accents }, row.start, row.end);
    if (row.end === row.start) line.appendChild(document.createElement("br"));
    pre.appendChild(line);
  }
  parent.appendChild(pre);
}

/**
 * A bracket in the margin for each own span, from its first drawn line to its last. The style sheet's anchors keep it there
 * when lines wrap anew.
 */
function drawBrackets(parent: HTMLElement): void {
  const byRef = new Map<string, HTMLElement[]>();
  for (const element of parent.querySelectorAll<HTMLElement>("mark.mark-own")) {
    const ref = element.dataset["ref"]!;
    byRef.set(ref, [...(byRef.get(ref) ?? []), element]);
  }
  for (const [ref, elements] of byRef) {
    const name = `--own-${ref.replace(/[^A-Za-z0-9_-]/g, "_")}`;
    elements[0]!.style.setProperty("anchor-name", `${name}-first`);
    // One element has both names.
    const last = elements.at(-1)!;
    last.style.setProperty("anchor-name", last === elements[0] ? `${name}-first, ${name}-last` : `${name}-last`);
    const bracket = document.createElement("i");
    const hue = /hue-\d/.exec(elements[0]!.className)?.[0] ?? "";
    bracket.className = `bracket ${hue}`;
    bracket.style.setProperty("top", `anchor(${name}-first top)`);
    bracket.style.setProperty("bottom", `anchor(${name}-last bottom)`);
    parent.appendChild(bracket);
  }
}

/** Fills `parent` with a window of `text`; `marks` are those of the part. What stood there before goes. */
export function drawWindow(parent: HTMLElement, text: string, window: Window, content: Pick<Content, "accents">, marks: readonly Mark[]): void {
  parent.replaceChildren();
  const drawing = drawingOf(text, marks, window.start, content.accents);
  switch (window.kind) {
    case "plain":
      drawText(parent, drawing, window.start, window.end, window.sgr);
      break;
    case "blocks":
      drawBlocks(parent, window.blocks, drawing);
      break;
    case "code":
      drawCode(parent, window.ranges, drawing);
      break;
    case "diff":
      drawDiff(parent, drawing, window.rows);
  }
  if (marks.some((mark) => mark.layer === "own")) drawBrackets(parent);
  paintHits(parent, drawing.hitRanges);
}
