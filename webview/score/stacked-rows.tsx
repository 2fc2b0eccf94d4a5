/** How a whole falls into parts, a bar a row; parts are told apart by their patterns and their words. */
import { fitText } from "./fit-text";
import type { Opening } from "./opening";
import type { PlotMark } from "./plot";

const rowHeight = 44;
const top = 8;
const names = 170;
const panel = 400;
export const stackedWidth = names + panel + 16;
export const stackedHeight = (rows: number): number => top + rows * rowHeight + 24;

export interface StackPart { readonly key: string; readonly count: number; readonly words: string; readonly open?: Opening | undefined }
export interface StackRow { readonly key: string; readonly name: string; readonly parts: readonly StackPart[] }

const patterns = ["part-full", "part-hatched", "part-dotted", "part-empty"] as const;

/** What the patterns are filled with; once in each picture that uses them. */
export function PartPatterns({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern id={`${id}-hatched`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="pattern-ink" x1="0" x2="0" y1="0" y2="6" /></pattern>
      <pattern id={`${id}-dotted`} width="6" height="6" patternUnits="userSpaceOnUse"><circle class="pattern-dot" cx="3" cy="3" r="1.2" /></pattern>
    </defs>
  );
}

/** The look of the part at `n`, as a rectangle. */
export function PartBox({ id, n, ...box }: { readonly id: string; readonly n: number; readonly x: number; readonly y: number; readonly width: number; readonly height: number }) {
  const name = patterns[n % 4];
  const url = name === "part-hatched" ? `url(#${id}-hatched)` : name === "part-dotted" ? `url(#${id}-dotted)` : undefined;
  return url ? <rect class="part" {...box} fill={url} /> : <rect class={`part ${name}`} {...box} />;
}

export function StackedFrame({ rows }: { readonly rows: readonly StackRow[] }) {
  const bottom = top + rows.length * rowHeight;
  return (
    <g class="axes" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((tick) => <g key={tick}><line class="grid" x1={names + tick * panel} x2={names + tick * panel} y1={top} y2={bottom} /><text x={names + tick * panel} y={bottom + 14} text-anchor="middle">{tick}</text></g>)}
      {rows.map((row, n) => <text key={row.key} class="row-label" x={names - 12} y={top + n * rowHeight + 18} text-anchor="end">{fitText(row.name, names - 14)}<title>{row.name}</title></text>)}
    </g>
  );
}

export function stackedMarks(rows: readonly StackRow[], id: string): PlotMark[] {
  return rows.flatMap((row, r) => {
    const total = row.parts.reduce((sum, { count }) => sum + count, 0);
    let before = 0;
    return row.parts.flatMap((part, n): PlotMark[] => {
      const left = names + (before / Math.max(1, total)) * panel;
      const width = (part.count / Math.max(1, total)) * panel;
      before += part.count;
      if (part.count === 0) return [];
      const y = top + r * rowHeight + 4;
      return [{
        id: `${row.key} ${part.key}`, words: part.words, x: left + width / 2, y: y + 10, box: { width: Math.max(4, width / 2), height: 11 }, open: part.open,
        draw: <><PartBox id={id} n={n} x={left} y={y} width={Math.max(1, width)} height={20} />{width > 16 ? <text class="plot-text" x={left + width / 2} y={y + 33} text-anchor="middle">{part.count}</text> : null}</>,
      }];
    });
  });
}
