/** The reader's selection as a place in the trajectory, and the rows that must stay drawn for it. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { setNow, type App, type TextSelection } from "../state/app";
import { partElementOf, placeOf } from "../text/places";
import type { RowModel } from "./row-model";

/** The selection inside one part, or undefined. One that goes on into another part is cut at the end of its first. */
export function readSelection(app: App): TextSelection | undefined {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const start = placeOf(range.startContainer, range.startOffset, "start");
  const end = placeOf(range.endContainer, range.endOffset, "end");
  if (!start || !end) return undefined;
  const { step, part } = start;
  if (end.step === step && end.part === part) {
    return end.offset > start.offset ? { step, part, start: start.offset, end: end.offset, wasCut: false } : undefined;
  }
  const length = app.steps?.get(step)?.parts[part]?.text.length;
  return length !== undefined && length > start.offset ? { step, part, start: start.offset, end: length, wasCut: true } : undefined;
}

/** Keeps `selection` up to date. It stays while a field or a button of the selection bar has the focus. */
export function watchSelection(app: App): () => void {
  let frame = 0;
  const read = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const next = readSelection(app);
      const before = app.now.get().selection;
      const same = next && before && next.step === before.step && next.part === before.part && next.start === before.start && next.end === before.end;
      if (!same && (next || before)) setNow(app, { selection: next });
    });
  };
  document.addEventListener("selectionchange", read);
  return () => {
    cancelAnimationFrame(frame);
    document.removeEventListener("selectionchange", read);
  };
}

/**
 * Keeps the selection over a drawing of the list: rows that stay may still be moved in the page, and a moved node loses the
 * selection. To be called while the transcript is being drawn.
 */
export function useHeldSelection(scroller: { readonly current: HTMLElement | null }): void {
  const selection = document.getSelection();
  const isOurs = selection && !selection.isCollapsed && scroller.current?.contains(selection.anchorNode);
  const held = isOurs ? { anchor: selection.anchorNode!, anchorOffset: selection.anchorOffset, focus: selection.focusNode!, focusOffset: selection.focusOffset } : undefined;
  useLayoutEffect(() => {
    if (!held || !selection) return;
    const { anchor, anchorOffset, focus, focusOffset } = held;
    const isKept = selection.anchorNode === anchor && selection.focusNode === focus && selection.anchorOffset === anchorOffset && selection.focusOffset === focusOffset;
    if (!isKept && anchor.isConnected && focus.isConnected) selection.setBaseAndExtent(anchor, anchorOffset, focus, focusOffset);
  });
}

const rowIndexOf = (node: Node | null): number => {
  const element = node && partElementOf(node)?.closest<HTMLElement>("[data-index]");
  return element ? Number(element.dataset["index"]) : -1;
};

/** Indexes of the rows that hold an end of the selection: unmounting one would move the selection. */
export function useSelectionRows(model: RowModel): readonly number[] {
  const [keys, setKeys] = useState<readonly string[]>([]);
  useEffect(() => {
    const read = () => {
      const selection = document.getSelection();
      const indexes = selection && !selection.isCollapsed ? [rowIndexOf(selection.anchorNode), rowIndexOf(selection.focusNode)] : [];
      const next = [...new Set(indexes.filter((index) => index >= 0).map((index) => model.rows.at(index)?.key ?? ""))];
      setKeys((now) => (now.join() === next.join() ? now : next));
    };
    document.addEventListener("selectionchange", read);
    return () => document.removeEventListener("selectionchange", read);
  }, [model]);
  if (keys.length === 0) return [];
  return keys.map((key) => {
    const first = model.firstRow.get(Number.parseInt(key, 10)) ?? -1;
    for (let i = first; i >= 0 && i < model.rows.length && Number.parseInt(model.rows.at(i)!.key, 10) === Number.parseInt(key, 10); i++) if (model.rows.at(i)!.key === key) return i;
    return -1;
  });
}
