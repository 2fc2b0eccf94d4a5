/** A grid of numbers: rows against columns, each cell with its value in words, a tint and a bar of its size. */
import { fitText } from "./fit-text";
import { number } from "./format";
import type { Opening } from "./opening";
import type { PlotMark } from "./plot";

const cellHeight = 46;
const headHeight = 52;

export interface GridCell {
  readonly value: number | null;
  /** Beneath the value. */
  readonly second?: string | undefined;
  readonly words: string;
  readonly open?: Opening | undefined;
  /** Framed twice: the diagonal of a matrix. */
  readonly isMarked?: boolean;
}

export interface GridProps { readonly rowNames: readonly string[]; readonly columnNames: readonly string[]; readonly cells: readonly (readonly (GridCell | undefined)[])[]; readonly rowTitle?: string; readonly columnTitle?: string }

export interface GridSize { readonly width: number; readonly height: number; readonly names: number; readonly cellWidth: number }

/** Pixels: names to the left, cells as wide as there is room for up to 132. */
export function gridSize({ rowNames, columnNames }: Pick<GridProps, "rowNames" | "columnNames">): GridSize {
  const longest = Math.max(8, ...rowNames.map(({ length }) => length));
  const names = Math.min(190, 16 + longest * 6.6);
  const cellWidth = Math.max(76, Math.min(132, (600 - names) / Math.max(1, columnNames.length)));
  return { width: names + cellWidth * columnNames.length + 2, height: headHeight + cellHeight * rowNames.length + 2, names, cellWidth };
}

/** A name of two parts stands in two lines. */
function ColumnName({ name, x, room }: { readonly name: string; readonly x: number; readonly room: number }) {
  const at = name.lastIndexOf("/");
  const lines = at < 0 ? [name] : [name.slice(0, at).trim(), name.slice(at + 1).trim()];
  return <>{lines.map((line, n) => <text key={n} class="row-label" x={x} y={headHeight - 8 - 14 * (lines.length - 1 - n)} text-anchor="middle">{fitText(line, room)}<title>{name}</title></text>)}</>;
}

/** The names along both sides. */
export function GridFrame({ rowNames, columnNames, rowTitle, columnTitle }: GridProps) {
  const { names, cellWidth } = gridSize({ rowNames, columnNames });
  return (
    <g class="axes" aria-hidden="true">
      {rowTitle ? <text x={names - 12} y={headHeight - 10} text-anchor="end">{rowTitle}</text> : null}
      {columnTitle ? <text x={names} y={12}>{columnTitle}</text> : null}
      {columnNames.map((name, n) => <ColumnName key={name} name={name} x={names + (n + 0.5) * cellWidth} room={cellWidth - 6} />)}
      {rowNames.map((name, n) => <text key={`${name} ${n}`} class="row-label" x={names - 12} y={headHeight + (n + 0.5) * cellHeight + 4} text-anchor="end">{fitText(name, names - 14)}<title>{name}</title></text>)}
    </g>
  );
}

/** A mark for each cell that there is. Values run from 0 to 1; negative ones have no bar. */
export function gridMarks({ rowNames, columnNames, cells }: GridProps): PlotMark[] {
  const { names, cellWidth } = gridSize({ rowNames, columnNames });
  return cells.flatMap((row, r) => row.flatMap((cell, c): PlotMark[] => {
    if (!cell) return [];
    const [left, top] = [names + c * cellWidth, headHeight + r * cellHeight];
    const size = Math.min(1, Math.max(0, cell.value ?? 0));
    return [{
      id: `${r} ${c}`, words: cell.words, x: left + cellWidth / 2, y: top + cellHeight / 2, box: { width: cellWidth / 2 - 2, height: cellHeight / 2 - 2 }, open: cell.open,
      draw: (
        <>
          <rect class="cell-frame" x={left + 1} y={top + 1} width={cellWidth - 2} height={cellHeight - 2} />
          {cell.value === null ? null : <rect class="cell-tint" x={left + 1} y={top + 1} width={cellWidth - 2} height={cellHeight - 2} fill-opacity={0.28 * size} />}
          {cell.isMarked ? <rect class="cell-marked" x={left + 3.5} y={top + 3.5} width={cellWidth - 7} height={cellHeight - 7} /> : null}
          {size > 0 ? <rect class="cell-bar" x={left + 6} y={top + cellHeight - 9} width={(cellWidth - 12) * size} height={3} /> : null}
        </>
      ),
    }];
  }));
}

/** The values of all cells, above the marks: these are named in words of their own. */
export function GridValues({ rowNames, columnNames, cells }: GridProps) {
  const { names, cellWidth } = gridSize({ rowNames, columnNames });
  return (
    <g class="cell-values" aria-hidden="true">
      {cells.flatMap((row, r) => row.map((cell, c) => {
        if (!cell) return null;
        const [middle, top] = [names + (c + 0.5) * cellWidth, headHeight + r * cellHeight];
        return (
          <g key={`${r} ${c}`}>
            <text class="plot-text is-ink" x={middle} y={top + (cell.second ? 19 : 24)} text-anchor="middle">{number(cell.value)}</text>
            {cell.second ? <text class="plot-text" x={middle} y={top + 33} text-anchor="middle">{fitText(cell.second, cellWidth)}</text> : null}
          </g>
        );
      }))}
    </g>
  );
}
