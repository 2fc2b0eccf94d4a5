/**
 * A scroll box for documents taller than a browser can lay out: beyond `tallest` the element is that tall and stands for a
 * stretch of the document around the reader. Small movements are as long in the document as on the screen; long ones (the
 * scroll bar) are scaled. Up to that height it is the element and nothing else.
 */

/** Height in px of the tallest element that is laid out: Firefox stops short of 17.9 million, Chromium of 33.5. */
const usualTallest = 15_000_000;
/** A movement of more screens than this is one of the scroll bar. */
const farScreens = 3;
/** Px kept laid out on either side of the reader, at the least: more than the tallest row in a narrow view. */
const leastEdge = 4000;

export class TallScroller {
  /** Height of the document in px. */
  private total = 0;
  /** How far the document's offsets are ahead of the element's. */
  private ahead = 0;
  private drawnAhead = 0;
  private last = 0;

  constructor(private readonly find: () => HTMLElement | null, private readonly tallest = usualTallest) {}

  get element(): HTMLElement | null {
    return this.find();
  }

  get isScaled(): boolean {
    return this.total > this.tallest;
  }

  get clientHeight(): number {
    return this.element?.clientHeight ?? 0;
  }

  /** Height of the document, as an element's own would be without a bound. */
  get scrollHeight(): number {
    const own = this.element?.scrollHeight ?? 0;
    // What the element has besides the laid out rows, its padding, the document has too.
    return this.isScaled ? this.total + Math.max(0, own - this.tallest) : own;
  }

  /** The offset furthest down, in the document. */
  private get end(): number {
    return this.scrollHeight - this.clientHeight;
  }

  /** The same in the element. */
  private get ownEnd(): number {
    return this.end - this.total + this.tallest;
  }

  /** Offset in the document of what is at the upper edge. */
  get scrollTop(): number {
    return (this.element?.scrollTop ?? 0) + this.ahead;
  }

  set scrollTop(top: number) {
    const { element } = this;
    if (!element) return;
    if (!this.isScaled) element.scrollTop = top - this.ahead;
    else {
      const wanted = Math.max(0, Math.min(top, this.end));
      const own = wanted - this.ahead;
      // A small correction stays within the stretch that is laid out.
      const isNear = Math.abs(wanted - this.scrollTop) < farScreens * element.clientHeight && own > 0 && own < this.ownEnd;
      const { ahead } = this;
      const before = element.scrollTop;
      this.put(element, wanted, isNear ? own : this.ownOf(element, wanted));
      // Another stretch at the same offset of the element: the browser has nothing to tell.
      if (this.ahead !== ahead && element.scrollTop === before) element.dispatchEvent(new Event("scroll"));
    }
    this.last = element.scrollTop;
  }

  /** How the document is laid out now: what is taken off its offsets, and the height of the whole. */
  layout(total: number): { readonly ahead: number; readonly height: number } {
    this.total = total;
    if (!this.isScaled) this.ahead = 0;
    this.drawnAhead = this.ahead;
    return { ahead: this.ahead, height: this.isScaled ? this.tallest : total };
  }

  /** Whether the element stands for another stretch than the one `layout` was last asked for. */
  get isMoved(): boolean {
    return this.ahead !== this.drawnAhead;
  }

  /** To be called when the element has scrolled, before its offset is read, and when the document's height has changed. */
  scrolled(): void {
    const { element } = this;
    if (!element || !this.isScaled) return;
    const own = element.scrollTop;
    const { end, ownEnd } = this;
    const isFar = Math.abs(own - this.last) > farScreens * element.clientHeight;
    if (isFar) this.ahead = Math.round((own / ownEnd) * end - own);
    const wanted = own + this.ahead;
    const top = Math.max(0, Math.min(wanted, end));
    // At an edge of the element that is none of the document the element is moved on below the reader.
    const edge = Math.max(leastEdge, element.clientHeight);
    const isAtEdge = own < Math.min(edge, top) - 1 || ownEnd - own < Math.min(edge, end - top) - 1;
    if (Math.abs(top - wanted) > 1 || (isAtEdge && !isFar)) this.put(element, top, this.ownOf(element, top));
    this.last = element.scrollTop;
  }

  /** The element's offset that is to the element what `top` is to the document, with room on either side where the document has it. */
  private ownOf(element: HTMLElement, top: number): number {
    const { end, ownEnd } = this;
    if (end <= 0) return 0;
    const room = 4 * Math.max(leastEdge, element.clientHeight);
    return Math.round(Math.max(Math.min(room, top), Math.min((top / end) * ownEnd, ownEnd - Math.min(room, end - top))));
  }

  /** The element may round its offset to pixels of the screen. */
  private put(element: HTMLElement, top: number, own: number): void {
    if (element.scrollTop !== own) element.scrollTop = own;
    this.ahead = top - element.scrollTop;
  }
}
