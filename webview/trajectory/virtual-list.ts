/** The virtual list for Preact: which rows to draw for where the reader has scrolled, with rows of any height. */
import { defaultRangeExtractor, elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualItem } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

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
}

export type VirtualList = Virtualizer<HTMLElement, HTMLElement>;

export function useVirtualList(options: VirtualListOptions): VirtualList {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const pinned = options.pinned ?? [];
  const resolved = {
    count: options.count,
    getScrollElement: options.element,
    getItemKey: options.keyOf,
    estimateSize: options.estimate,
    overscan: options.overscan,
    paddingEnd: options.paddingEnd ?? 0,
    anchorTo: options.keepPlace ? ("end" as const) : ("start" as const),
    // Never stick to the end: the reader's place is what counts.
    scrollEndThreshold: -1,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(0),
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const indexes = defaultRangeExtractor(range);
      const extra = pinned.filter((index) => index >= 0 && index < range.count && !indexes.includes(index));
      return extra.length === 0 ? indexes : [...indexes, ...extra].sort((a, b) => a - b);
    },
  };
  const ref = useRef<VirtualList | null>(null);
  if (ref.current) ref.current.setOptions(resolved);
  else ref.current = new Virtualizer<HTMLElement, HTMLElement>(resolved);
  const list = ref.current;
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  return list;
}
