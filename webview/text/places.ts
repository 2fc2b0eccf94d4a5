/** Which offset of a part's text a drawn text node stands for, and the way back from the DOM. */

/** Verbatim text nodes to the UTF-16 offset of their first unit. Nothing else that is drawn counts as text of the trajectory. */
const starts = new WeakMap<Text, number>();

/** A text node that shows `text` from `start` to `end` as recorded. */
export function placedText(text: string, start: number, end: number): Text {
  const node = document.createTextNode(text.slice(start, end));
  starts.set(node, start);
  return node;
}

/** A place in a trajectory: UTF-16 offset in the text of part `part` (its position) of step `step`. */
export interface TextPlace { readonly step: number; readonly part: number; readonly offset: number }

/** The element that draws (a window of) a part, around a node. */
export function partElementOf(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>("[data-part]") ?? null;
}

/** Every verbatim text node and every stand-in (control marks) below `root`, in order. */
function walker(root: Node): TreeWalker {
  return document.createTreeWalker(root, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => (starts.has(node as Text) || standIn(node) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT),
  });
}

const standIn = (node: Node): HTMLElement | null => node.parentElement?.closest<HTMLElement>("[data-from]") ?? null;

function offsetIn(node: Text, offset: number): number | undefined {
  const start = starts.get(node);
  if (start !== undefined) return start + Math.min(offset, node.data.length);
  const element = standIn(node);
  if (!element) return undefined;
  return Number(offset === 0 ? element.dataset["from"] : element.dataset["to"]);
}

/**
 * The place of a DOM position (`node`, `offset` as in a Range). A position between nodes belongs to the text after it when
 * `side` is "start" and to the text before it when "end". Undefined where no part's text is near.
 */
export function placeOf(node: Node, offset: number, side: "start" | "end"): TextPlace | undefined {
  let at = node instanceof Text ? offsetIn(node, offset) : undefined;
  let near: Node = node;
  if (at === undefined) {
    const found = neighbour(node, offset, side);
    if (!found) return undefined;
    near = found;
    at = offsetIn(found, side === "start" ? 0 : found.data.length);
  }
  const element = partElementOf(near);
  if (!element || at === undefined) return undefined;
  return { step: Number(element.dataset["step"]), part: Number(element.dataset["part"]), offset: at };
}

/** The first placed text at or after a position, or the last one before it. */
function neighbour(node: Node, offset: number, side: "start" | "end"): Text | undefined {
  const root = document.querySelector(".transcript") ?? document.body;
  const walk = walker(root);
  const range = document.createRange();
  range.setStart(node, Math.min(offset, node instanceof Text ? node.data.length : node.childNodes.length));
  let last: Text | undefined;
  for (let next = walk.nextNode() as Text | null; next; next = walk.nextNode() as Text | null) {
    // Where the text begins relative to the position: -1 before it, 1 after it.
    const order = range.comparePoint(next, side === "start" ? 0 : next.data.length);
    if (side === "start" && order >= 0) return next;
    if (side === "end" && order > 0) return last;
    last = next;
  }
  return side === "end" ? last : undefined;
}

/** The DOM range that shows `start` to `end` of a part among what is drawn now, or undefined when none of it is. */
export function rangeOf(step: number, part: number, start: number, end: number): Range | undefined {
  let range: Range | undefined;
  for (const element of document.querySelectorAll<HTMLElement>(`[data-part="${part}"][data-step="${step}"]`)) {
    const walk = walker(element);
    for (let node = walk.nextNode() as Text | null; node; node = walk.nextNode() as Text | null) {
      const from = starts.get(node) ?? Number(standIn(node)?.dataset["from"]);
      const to = from + (starts.has(node) ? node.data.length : 1);
      if (to <= start || from >= Math.max(end, start + 1)) continue;
      if (!range) {
        range = document.createRange();
        range.setStart(node, starts.has(node) ? Math.max(0, start - from) : 0);
      }
      range.setEnd(node, starts.has(node) ? Math.min(node.data.length, end - from) : node.data.length);
    }
  }
  return range;
}
