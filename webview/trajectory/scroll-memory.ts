/** Remembers where the reader stood, and goes back there when the page comes back to life. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useApp, setNow } from "../state/app";
import { useStore } from "../state/store";
import type { RowModel } from "./row-model";
import type { TallScroller } from "./tall-scroller";
import type { VirtualList } from "./virtual-list";

const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

/** Scrolls to a step's start plus `offset` px, again and again while rows around it turn out higher or lower than estimated. */
async function restore(list: VirtualList, model: () => RowModel, scroller: TallScroller, moves: { current: number }, anchor: { step: number; offset: number }, isOver: () => boolean): Promise<void> {
  for (let n = 0; n < 8 && !isOver(); n++) {
    const at = model().firstRow.get(anchor.step);
    const start = at === undefined ? undefined : list.getOffsetForIndex(at, "start")?.[0];
    if (start === undefined || !scroller.element) return;
    const wanted = start + anchor.offset;
    if (n > 1 && Math.abs(scroller.scrollTop - wanted) < 2) return;
    moves.current++;
    scroller.scrollTop = wanted;
    await frame();
  }
}

/** Drawn scroll positions go into the view state as the first visible step and the pixels of it above the upper edge. `moves` goes up with each scroll of ours. */
export function useScrollMemory(list: VirtualList, model: RowModel, scroller: TallScroller, moves: { current: number }): void {
  const app = useApp();
  const sampleId = useStore(app.view, (view) => view.sampleId);
  const modelRef = useRef(model);
  modelRef.current = model;
  const isRestoring = useRef(false);
  useLayoutEffect(() => {
    const { anchor } = app.view.get();
    if (!anchor) {
      scroller.scrollTop = 0;
      return;
    }
    let over = false;
    isRestoring.current = true;
    void app.steps?.want(anchor.step - 1, anchor.step + 2).then(frame).then(() => restore(list, () => modelRef.current, scroller, moves, anchor, () => over)).finally(() => {
      isRestoring.current = false;
    });
    return () => {
      over = true;
    };
  }, [sampleId]);
  useEffect(() => {
    const element = scroller.element!;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (isRestoring.current) return;
        const item = list.getVirtualItemForOffset(scroller.scrollTop);
        const row = item && modelRef.current.rows.at(item.index);
        const from = row && modelRef.current.firstRow.get(row.step);
        const start = from === undefined ? undefined : list.getOffsetForIndex(from, "start")?.[0];
        if (!row || row.step < 0 || start === undefined) app.view.update((view) => ({ ...view, anchor: undefined }));
        else app.view.update((view) => ({ ...view, anchor: { step: row.step, offset: Math.round(scroller.scrollTop - start) } }));
      }, 120);
    };
    element.addEventListener("scroll", note, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener("scroll", note);
    };
  }, []);
  useEffect(() => setNow(app, { selection: undefined }), [sampleId]);
}
