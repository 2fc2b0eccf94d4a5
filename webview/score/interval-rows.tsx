/** One value a row with its interval, on one scale: differences around 0, or shares from 0 to 1. */
import { fitText } from "./fit-text";
import { Mark } from "./mark";
import type { Opening } from "./opening";
import type { PlotMark } from "./plot";

const rowHeight = 26;
const top = 30;
const names = 240;
const panel = 340;
export const intervalWidth = names + panel + 24;

export interface IntervalRow {
  readonly key: string;
  readonly name: string;
  readonly value: number | null;
  readonly low?: number | null | undefined;
  readonly high?: number | null | undefined;
  readonly words: string;
  readonly shape?: number;
  readonly open?: Opening | undefined;
  /** Drawn as a bar from 0 instead of a mark. */
  readonly isBar?: boolean;
  /** A line above the row, with these words. */
  readonly ruled?: string | undefined;
}

export interface Scale { readonly from: number; readonly to: number; readonly ticks: readonly number[] }

export const shares: Scale = { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1] };

/** A scale around 0 that holds all values, with round ends. */
export function scaleAround(values: readonly (number | null | undefined)[]): Scale {
  const most = Math.max(1e-6, ...values.map((value) => Math.abs(value ?? 0)));
  const size = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((end) => end >= most) ?? 1;
  return { from: -size, to: size, ticks: [-size, -size / 2, 0, size / 2, size] };
}

/** Shares, or a scale from -1 where a value is below 0. */
export function scaleOf(values: readonly (number | null | undefined)[]): Scale {
  return values.some((value) => (value ?? 0) < 0) ? { from: -1, to: 1, ticks: [-1, -0.5, 0, 0.5, 1] } : shares;
}

const at = ({ from, to }: Scale, value: number): number => names + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * panel;
export const intervalHeight = (rows: number): number => top + rows * rowHeight + 24;

export function IntervalFrame({ rows, scale, axis }: { readonly rows: readonly IntervalRow[]; readonly scale: Scale; readonly axis: string }) {
  const bottom = top + rows.length * rowHeight;
  return (
    <g class="axes" aria-hidden="true">
      <text class="axis-name" x={names} y={14}>{axis}</text>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class={tick === 0 && scale.from < 0 ? "zero" : "grid"} x1={at(scale, tick)} x2={at(scale, tick)} y1={top - 6} y2={bottom} />
          <text x={at(scale, tick)} y={bottom + 14} text-anchor="middle">{Number(tick.toPrecision(3))}</text>
        </g>
      ))}
      {rows.map((row, n) => (
        <g key={row.key}>
          <text class="row-label" x={names - 12} y={top + (n + 0.5) * rowHeight + 4} text-anchor="end">{fitText(row.name, names - 14)}<title>{row.name}</title></text>
          {row.ruled ? <><line class="chance" x1={names} x2={names + panel} y1={top + n * rowHeight} y2={top + n * rowHeight} /><text class="plot-text is-over" x={names + 4} y={top + n * rowHeight + 4}>{row.ruled}</text></> : null}
        </g>
      ))}
    </g>
  );
}

export function intervalMarks(rows: readonly IntervalRow[], scale: Scale): PlotMark[] {
  return rows.flatMap((row, n): PlotMark[] => {
    if (row.value === null) return [];
    const [cx, cy] = [at(scale, row.value), top + (n + 0.5) * rowHeight];
    const hasInterval = row.low !== null && row.low !== undefined && row.high !== null && row.high !== undefined;
    const [from, to] = hasInterval ? [at(scale, row.low ?? 0), at(scale, row.high ?? 0)] : [cx, cx];
    return [{
      id: row.key, words: row.words, x: cx, y: cy, open: row.open,
      draw: (
        <>
          {row.isBar ? <rect class={row.value < 0 ? "bar-down" : "bar-up"} x={Math.min(cx, at(scale, 0))} y={cy - 6} width={Math.max(1, Math.abs(cx - at(scale, 0)))} height={12} /> : null}
          {hasInterval ? <g class="whiskers"><line x1={from} x2={to} y1={cy} y2={cy} />{[from, to].map((end) => <line key={end} x1={end} x2={end} y1={cy - 4} y2={cy + 4} />)}</g> : null}
          {row.isBar ? null : <Mark shape={row.shape ?? 0} x={cx} y={cy} />}
        </>
      ),
    }];
  });
}
