/** A view that stands at the end stays there while the file grows. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TallScroller } from "./tall-scroller";

/** Pixels from the end that still count as standing at it. */
const nearEnd = 60;

/** `count` is how many steps there are; with `follows`, more of them move the scroller to its new end, if it stood at the old one. */
export function useFollowEnd(scroller: TallScroller, count: number, follows: boolean): void {
  const atEnd = useRef(false);
  const before = useRef(count);
  useLayoutEffect(() => {
    const element = scroller.element!;
    const note = () => {
      atEnd.current = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - nearEnd;
    };
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, []);
  useLayoutEffect(() => {
    const isMore = count > before.current && before.current > 0;
    before.current = count;
    if (!isMore || !follows || !atEnd.current) return;
    // The new rows are drawn and measured in the frames that follow.
    let frames = 6;
    const go = () => {
      scroller.scrollTop = scroller.scrollHeight;
      if (--frames > 0) requestAnimationFrame(go);
    };
    go();
  }, [count, follows]);
}
