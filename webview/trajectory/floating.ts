/** Where something small floats beside a rectangle of the page, inside the window. */
import { useLayoutEffect } from "preact/hooks";

const gap = 6;

/** Puts an element (position: fixed) above `rect`, or below where there is no room; `undefined` hides it. */
export function place(element: HTMLElement, rect: DOMRect | undefined): void {
  if (!rect) {
    element.style.visibility = "hidden";
    return;
  }
  const { offsetWidth: width, offsetHeight: height } = element;
  const above = rect.top - height - gap;
  const top = above >= 4 ? above : Math.min(rect.bottom + gap, window.innerHeight - height - 4);
  element.style.visibility = "visible";
  element.style.top = `${Math.max(4, top)}px`;
  element.style.left = `${Math.max(4, Math.min(rect.left, window.innerWidth - width - 4))}px`;
}

/** Keeps a floating element at what `rectOf` answers while the transcript scrolls and the window changes. */
export function useFloating(ref: { readonly current: HTMLElement | null }, rectOf: () => DOMRect | undefined, deps: readonly unknown[]): void {
  useLayoutEffect(() => {
    const move = () => {
      if (ref.current) place(ref.current, rectOf());
    };
    move();
    // Rows are drawn a frame after the scroll that brings them.
    const frame = requestAnimationFrame(move);
    document.addEventListener("scroll", move, { capture: true, passive: true });
    window.addEventListener("resize", move);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("scroll", move, { capture: true });
      window.removeEventListener("resize", move);
    };
  }, [...deps]);
}

/** The first line of a range, when it is inside the transcript's box. */
export function visibleRect(range: Range | undefined): DOMRect | undefined {
  const rect = range && ([...range.getClientRects()].find((r) => r.width > 0) ?? range.getBoundingClientRect());
  const box = document.querySelector(".transcript")?.getBoundingClientRect();
  if (!rect || !box || rect.bottom < box.top || rect.top > box.bottom) return undefined;
  return rect;
}
