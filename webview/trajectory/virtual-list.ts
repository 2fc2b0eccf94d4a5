/** The virtual list for Preact: which rows to draw for where the reader has scrolled, with rows of any height. */
import { defaultRangeExtractor, elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualItem } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { RowHeights, type CameFrom, type HeightRows } from "./row-heights";
import type { TallScroller } from "./tall-scroller";

export type { VirtualItem };

export interface VirtualListOptions {
  readonly count: number;
  readonly element: () => HTMLElement | null;
  readonly keyOf: (index: number) => string;
  readonly estimate: (index: number) => number;
  readonly overscan: number;
  /** Rows that stay drawn wherever the reader scrolls, such as those that hold an end of the selection. */
  readonly pinned?: readonly number[];
  /** Keep the row at the upper edge where it is when rows come or go above it. */
  readonly keepPlace?: boolean;
  readonly paddingEnd?: number;
  /** The rows themselves, where there may be very many. They have the keys of `keyOf`. */
  readonly rows?: HeightRows;
  /** What they were made of, where that is known. */
  readonly cameFrom?: CameFrom | undefined;
  /** What their heights are estimated by beside themselves; when it changes those that were not measured are estimated anew. */
  readonly basis?: unknown;
  /** The scroll box, where the document may be taller than an element can be. */
  readonly tall?: TallScroller;
}

export type VirtualList = Virtualizer<HTMLElement, HTMLElement>;

/** After this long without a movement the reader has come to rest. */
const restMs = 150;

type Options = ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0];

const scrollIn = (tall: TallScroller): Options["scrollToFn"] => (offset, { adjustments = 0, behavior }, instance) => {
  if (tall.isScaled) tall.scrollTop = offset + adjustments;
  else elementScroll(offset, { adjustments, ...(behavior ? { behavior } : {}) }, instance);
};

const observeIn = (tall: TallScroller, redraw: () => void): Options["observeElementOffset"] => (instance, report) => {
  const element = instance.scrollElement;
  if (!element) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onScroll = () => {
    tall.scrolled();
    clearTimeout(timer);
    timer = setTimeout(() => report(tall.scrollTop, false), restMs);
    report(tall.scrollTop, true);
    // The rows in sight may be the same ones, but stand elsewhere in the element.
    if (tall.isMoved) redraw();
  };
  element.addEventListener("scroll", onScroll, { passive: true });
  return () => {
    clearTimeout(timer);
    element.removeEventListener("scroll", onScroll);
  };
};

export function useVirtualList(options: VirtualListOptions): VirtualList {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const pinned = options.pinned ?? [];
  const { tall } = options;
  const resolved = {
    count: options.count,
    rows: options.rows,
    cameFrom: options.cameFrom,
    basis: options.basis,
    getScrollElement: options.element,
    getItemKey: options.keyOf,
    estimateSize: options.estimate,
    overscan: options.overscan,
    paddingEnd: options.paddingEnd ?? 0,
    anchorTo: options.keepPlace ? ("end" as const) : ("start" as const),
    // Never stick to the end: the reader's place is what counts.
    scrollEndThreshold: -1,
    scrollToFn: tall ? scrollIn(tall) : elementScroll,
    observeElementRect,
    observeElementOffset: tall ? observeIn(tall, () => redraw(0)) : observeElementOffset,
    onChange: () => redraw(0),
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const indexes = defaultRangeExtractor(range);
      const extra = pinned.filter((index) => index >= 0 && index < range.count && !indexes.includes(index));
      return extra.length === 0 ? indexes : [...indexes, ...extra].sort((a, b) => a - b);
    },
  };
  const ref = useRef<VirtualList | null>(null);
  if (ref.current) ref.current.setOptions(resolved);
  else {
    ref.current = new Virtualizer<HTMLElement, HTMLElement>(resolved);
    if (options.rows) RowHeights.install(ref.current);
  }
  const list = ref.current;
  // How far the list may scroll is the document's height, not the element's.
  if (tall) (list as unknown as { _elementMaxScrollOffset: () => number })._elementMaxScrollOffset = () => tall.scrollHeight - tall.clientHeight;
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  useLayoutEffect(() => {
    // Rows measured anew can put an edge of the element before one of the document, where no scroll would ever tell of it.
    tall?.scrolled();
    if (tall?.isMoved) redraw(0);
  });
  return list;
}
