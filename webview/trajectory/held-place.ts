/** Keeps the row at the upper edge where it is when the width changes and everything wraps anew. */
import { useEffect, useRef } from "preact/hooks";
import type { RowModel } from "./row-model";
import type { TallScroller } from "./tall-scroller";
import type { VirtualList } from "./virtual-list";

/** A row, and how much of it (0 to 1) is above the upper edge: pixels would mean another line at another width. */
interface Place { readonly key: string; readonly share: number }

const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

function placeAt(list: VirtualList, model: RowModel, top: number): Place | undefined {
  const item = list.getVirtualItemForOffset(top);
  const row = item && model.rows.at(item.index);
  return row && { key: row.key, share: item.size > 0 ? Math.min(1, Math.max(0, (top - item.start) / item.size)) : 0 };
}

function topOf(list: VirtualList, model: RowModel, place: Place): number | undefined {
  const index = model.rows.findIndex((row) => row.key === place.key);
  const start = index < 0 ? undefined : list.getOffsetForIndex(index, "start")?.[0];
  const size = list.measurementsCache[index]?.size;
  return start === undefined || size === undefined ? undefined : start + place.share * size;
}

/** Scrolls until the place has stood still for some frames: rows around it are drawn and measured at the new width meanwhile. */
async function hold(list: VirtualList, model: () => RowModel, scroller: TallScroller, place: Place, isOver: () => boolean): Promise<void> {
  for (let n = 0, still = 0; n < 30 && still < 4; n++) {
    await frame();
    if (isOver()) return;
    const wanted = topOf(list, model(), place);
    if (wanted === undefined) return;
    still = Math.abs(scroller.scrollTop - wanted) < 2 ? still + 1 : 0;
    if (still === 0) scroller.scrollTop = wanted;
  }
}

/** `moves` goes up when the view goes to a place by itself; then, and when the reader scrolls, the held place is given up. */
export function useHeldPlace(list: VirtualList, model: RowModel, scroller: TallScroller, moves: { readonly current: number }): void {
  const modelRef = useRef(model);
  modelRef.current = model;
  useEffect(() => {
    const element = scroller.element!;
    let width = element.clientWidth;
    let place: Place | undefined;
    let latest = 0;
    let isHolding = false;
    const note = () => {
      if (!isHolding && element.clientWidth === width) place = placeAt(list, modelRef.current, scroller.scrollTop);
    };
    const letGo = () => {
      latest++;
      isHolding = false;
    };
    const onResize = () => {
      if (element.clientWidth === width || element.clientWidth === 0) return;
      width = element.clientWidth;
      if (!place) return;
      const ticket = ++latest;
      const movesBefore = moves.current;
      isHolding = true;
      void hold(list, () => modelRef.current, scroller, place, () => ticket !== latest || moves.current !== movesBefore).finally(() => {
        if (ticket === latest) isHolding = false;
      });
    };
    const observer = new ResizeObserver(onResize);
    observer.observe(element);
    element.addEventListener("scroll", note, { passive: true });
    const byHand = ["wheel", "pointerdown", "touchmove"] as const;
    for (const type of byHand) element.addEventListener(type, letGo, { passive: true });
    return () => {
      letGo();
      observer.disconnect();
      element.removeEventListener("scroll", note);
      for (const type of byHand) element.removeEventListener(type, letGo);
    };
  }, []);
}
