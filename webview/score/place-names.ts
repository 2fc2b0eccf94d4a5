/** Where the names of marks stand in a plot, so that they cover neither marks nor each other. */

interface Place { readonly x: number; readonly y: number }

export interface PlacedName extends Place { readonly text: string; readonly anchor: "start" | "end" }

interface Box { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }
/** What is drawn somewhere, and how bad it is to cover it. */
interface Taken extends Box { readonly weight: number }

/** Widths are guessed from the number of characters: measuring would need the drawn page. */
const characterWidth = 7;
/** A name is cut as if its characters were wide ones: what passes the edge of the plot cannot be seen. */
const wideCharacter = 8;
const lineHeight = 14;
const gap = 10;

const overlap = (a: Box, b: Box): number => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

const boxOf = ({ x, y, text, anchor }: PlacedName): Box => {
  const width = text.length * characterWidth;
  return { left: anchor === "start" ? x : x - width, right: anchor === "start" ? x + width : x, top: y - lineHeight + 3, bottom: y + 3 };
};

export interface PlotBounds {
  readonly left: number;
  readonly right: number;
  /** What may be covered where nothing else will do. */
  readonly faint: readonly Place[];
}

const around = ({ x, y }: Place, weight: number): Taken => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7, weight });

/** A name as far as there is room for it beside its mark. */
function fit(name: PlacedName, within: PlotBounds): PlacedName {
  const room = Math.floor((name.anchor === "start" ? within.right - name.x : name.x - within.left) / wideCharacter);
  return name.text.length <= room ? name : { ...name, text: `${name.text.slice(0, Math.max(1, room - 1)).trimEnd()}…` };
}

/** One place for each mark, in pixels, right below it if that is free; else the corner around it that covers least. Greedy, in order. */
export function placeNames(names: readonly (Place & { readonly text: string })[], marks: readonly Place[], within: PlotBounds): PlacedName[] {
  const taken: Taken[] = [...marks.map((mark) => around(mark, 8)), ...within.faint.map((place) => around(place, 1))];
  return names.map(({ x, y, text }) => {
    const corners: PlacedName[] = [
      { text, x: x + gap, y: y + 18, anchor: "start" }, { text, x: x + gap, y: y - 8, anchor: "start" },
      { text, x: x - gap, y: y + 18, anchor: "end" }, { text, x: x - gap, y: y - 8, anchor: "end" },
    ];
    const cost = (corner: PlacedName): number => {
      const box = boxOf(corner);
      const outside = Math.max(0, within.left - box.left) + Math.max(0, box.right - within.right);
      return taken.reduce((sum, other) => sum + other.weight * overlap(box, other), outside * lineHeight * 10);
    };
    const best = fit(corners.reduce((kept, corner) => (cost(corner) < cost(kept) ? corner : kept)), within);
    taken.push({ ...boxOf(best), weight: 8 });
    return best;
  });
}
