/** Draws a stretch of recorded text with its marks: text nodes and elements only, never markup. */
import { levels, type Mark } from "./mark";
import { placedText } from "./places";
import { scan } from "./scan";
import type { Sgr } from "./sgr";

/** A stretch that only looks different, such as the key of an argument; UTF-16 offsets of the part. */
export interface Accent { readonly start: number; readonly end: number; readonly className: string }

export interface Drawing {
  readonly text: string;
  /** Marks of this part only, any order. */
  readonly marks: readonly Mark[];
  readonly levels: ReadonlyMap<string, number>;
  readonly accents?: readonly Accent[] | undefined;
  /** Offset at which the drawn window begins; a mark that begins before it has its tag elsewhere. */
  readonly from: number;
  /** Marks that have been begun in this window. */
  readonly begun: Set<string>;
  /** Find hits but for the current one, and where they were drawn. */
  readonly hits: readonly Mark[];
  readonly hitRanges: Range[];
}

export function drawingOf(text: string, marks: readonly Mark[], from: number, accents?: readonly Accent[]): Drawing {
  const isPainted = (mark: Mark) => mark.layer === "hit" && !mark.current;
  return { text, marks: marks.filter((mark) => !isPainted(mark)), levels: levels(marks), accents, from, begun: new Set(), hits: marks.filter(isPainted), hitRanges: [] };
}

/** Outermost first: own spans, then evidence by level, then find hits. */
function order(drawing: Drawing, mark: Mark): number {
  return mark.layer === "hit" ? 1000 : (drawing.levels.get(mark.id) ?? 0) + (mark.layer === "own" ? 0 : 100);
}

function markElement(drawing: Drawing, mark: Mark, isFirst: boolean, isLast: boolean): HTMLElement {
  const element = document.createElement("mark");
  const level = Math.min(3, drawing.levels.get(mark.id) ?? 0);
  element.className = `mark mark-${mark.layer} level-${level}${mark.status ? ` is-${mark.status}` : ""}${mark.variant ? ` is-${mark.variant}` : ""}${mark.hue >= 0 ? ` hue-${mark.hue}` : ""}`;
  element.classList.toggle("is-current", mark.current);
  element.classList.toggle("is-first", isFirst);
  element.classList.toggle("is-last", isLast);
  element.dataset["mark"] = mark.id;
  element.dataset["ref"] = mark.ref;
  if (mark.layer === "hit") return element;
  if (isFirst) {
    element.dataset["tag"] = mark.tag;
    element.tabIndex = 0;
  }
  // A near quote has a popup of its own.
  if (mark.status !== "near") element.title = mark.title;
  return element;
}

/** The elements of `marks` around each other inside `parent`; answers the innermost. */
function nest(parent: Node, drawing: Drawing, marks: readonly Mark[], isLast: (mark: Mark) => boolean): Node {
  let inner = parent;
  for (const mark of marks) {
    const isFirst = mark.start >= drawing.from && !drawing.begun.has(mark.id);
    drawing.begun.add(mark.id);
    inner = inner.appendChild(markElement(drawing, mark, isFirst, isLast(mark)));
  }
  return inner;
}

const activeMarks = (drawing: Drawing, from: number, to: number): Mark[] =>
  drawing.marks.filter((mark) => mark.start < to && mark.end > from).sort((a, b) => order(drawing, a) - order(drawing, b));

/** Remembers where in `node`, which shows `from` to `to`, find hits stand. */
function noteHits(drawing: Drawing, node: Text, from: number, to: number): void {
  for (const hit of drawing.hits) {
    if (hit.start >= to || hit.end <= from) continue;
    const range = document.createRange();
    range.setStart(node, Math.max(0, hit.start - from));
    range.setEnd(node, Math.min(to, hit.end) - from);
    drawing.hitRanges.push(range);
  }
}

/** Draws something else in the place of `start` to `end`, such as the character that an entity names, under the same marks. */
export function drawStandIn(parent: Node, drawing: Drawing, start: number, end: number, shown: string): void {
  const span = document.createElement("span");
  span.dataset["from"] = String(start);
  span.dataset["to"] = String(end);
  span.textContent = shown;
  nest(parent, drawing, activeMarks(drawing, start, end), (mark) => mark.end <= end).appendChild(span);
}

/** Draws `start` to `end` of the drawing's text into `parent`, beginning in colour state `sgr`. */
export function drawText(parent: Node, drawing: Drawing, start: number, end: number, sgr?: Sgr): void {
  const { text } = drawing;
  const marks = drawing.marks.filter((mark) => mark.start < end && mark.end > start);
  const accents = drawing.accents?.filter((accent) => accent.start < end && accent.end > start) ?? [];
  const edges = new Set<number>();
  for (const edge of [...marks, ...accents]) edges.add(edge.start).add(edge.end);
  const cuts = [...edges].sort((a, b) => a - b);

  let open: { key: string; inner: Node } | undefined;
  /** The innermost element of the marks that hold `from`; neighbours under the same marks share it. */
  const under = (from: number, to: number): Node => {
    const active = activeMarks(drawing, from, to);
    const key = active.map((mark) => mark.id).join("|");
    if (open?.key === key) return open.inner;
    const next = cuts.find((cut) => cut > from && cut < end) ?? end;
    const inner = nest(parent, drawing, active, (mark) => mark.end <= Math.max(to, next));
    open = { key, inner };
    return inner;
  };
  const put = (from: number, to: number, className: string) => {
    const accent = accents.find((a) => a.start <= from && a.end >= to)?.className;
    const classes = [className, accent].filter(Boolean).join(" ");
    const node = placedText(text, from, to);
    noteHits(drawing, node, from, to);
    const into = under(from, to);
    if (!classes) return void into.appendChild(node);
    const span = document.createElement("span");
    span.className = classes;
    span.appendChild(node);
    into.appendChild(span);
  };

  for (const piece of scan(text, start, end, sgr).pieces) {
    if (piece.kind === "glyph") {
      const glyph = document.createElement("span");
      glyph.className = "glyph";
      glyph.title = piece.title;
      glyph.dataset["from"] = String(piece.start);
      glyph.dataset["to"] = String(piece.end);
      glyph.textContent = piece.glyph;
      under(piece.start, piece.end).appendChild(glyph);
      continue;
    }
    let at = piece.start;
    for (const cut of cuts) {
      if (cut <= at || cut >= piece.end) continue;
      put(at, cut, piece.className);
      at = cut;
    }
    put(at, piece.end, piece.className);
  }
}
