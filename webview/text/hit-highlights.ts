/**
 * Find hits as painted ranges, not as elements: a letter that is looked for may stand in a screen of text a thousand times.
 * Only the hit that the reader is on is an element.
 */

const name = "tracemark-hit";
const rangesByWindow = new WeakMap<Element, readonly Range[]>();

function highlight(): Highlight | undefined {
  if (typeof Highlight === "undefined") return undefined;
  let found = CSS.highlights.get(name);
  if (!found) CSS.highlights.set(name, (found = new Highlight()));
  return found;
}

/** Paints the ranges of a drawn window in the place of those it had before; none when it goes. */
export function paintHits(window: Element, ranges: readonly Range[]): void {
  const all = highlight();
  if (!all) return;
  for (const range of rangesByWindow.get(window) ?? []) all.delete(range);
  for (const range of ranges) all.add(range);
  if (ranges.length > 0) rangesByWindow.set(window, ranges);
  else rangesByWindow.delete(window);
}
