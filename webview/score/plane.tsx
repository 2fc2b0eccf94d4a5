/** The square on which two shares stand against each other; both axes go from 0 to 1. */
import type { ComponentChildren } from "preact";

export const planeSize = 360;
const margin = { left: 48, right: 12, top: 12, bottom: 44 };
const inner = planeSize - margin.left - margin.right;
const innerHeight = planeSize - margin.top - margin.bottom;
const ticks = [0, 0.25, 0.5, 0.75, 1];

/** Pixels of a share, to the right and upwards. */
export const x = (share: number): number => margin.left + share * inner;
export const y = (share: number): number => margin.top + (1 - share) * innerHeight;
/** How a line from upper left to lower right leans, in degrees. */
export const diagonal = (Math.atan2(innerHeight, inner) * 180) / Math.PI;

export function PlaneAxes({ xName, yName, children }: { readonly xName: string; readonly yName: string; readonly children?: ComponentChildren }) {
  return (
    <g class="axes" aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(1)} />
          <line class="grid" x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
          <text x={x(tick)} y={y(0) + 16} text-anchor="middle">{tick}</text>
          <text x={x(0) - 8} y={y(tick) + 4} text-anchor="end">{tick}</text>
        </g>
      ))}
      {children}
      <text class="axis-name" x={x(0.5)} y={planeSize - 8} text-anchor="middle">{xName}</text>
      <text class="axis-name" transform={`translate(12 ${y(0.5)}) rotate(-90)`} text-anchor="middle">{yName}</text>
    </g>
  );
}

/** The piece of the line `y = slope x + intercept` within the square, in pixels; nothing where it passes outside. */
export function lineWithin(slope: number, intercept: number): { x1: number; y1: number; x2: number; y2: number } | undefined {
  const inside = [0, 1, ...(slope === 0 ? [] : [-intercept / slope, (1 - intercept) / slope])].filter((share) => share >= 0 && share <= 1 && slope * share + intercept >= -1e-9 && slope * share + intercept <= 1 + 1e-9);
  const [from, to] = [Math.min(...inside), Math.max(...inside)];
  return inside.length < 2 || from === to ? undefined : { x1: x(from), y1: y(slope * from + intercept), x2: x(to), y2: y(slope * to + intercept) };
}
