/** False alarm rate against miss rate, one mark a run, with its intervals; better is lower left. Axes go from 0 to 1. */
import { useState } from "preact/hooks";
import { strings, fill } from "#protocol/strings";
import { rateWords } from "./format";
import type { Both, Metrics } from "./report";

const size = 340;
const margin = { left: 48, right: 12, top: 12, bottom: 44 };
const inner = { width: size - margin.left - margin.right, height: size - margin.top - margin.bottom };
const ticks = [0, 0.25, 0.5, 0.75, 1];

const x = (share: number) => margin.left + share * inner.width;
const y = (share: number) => margin.top + (1 - share) * inner.height;

interface Point { readonly far: number; readonly mr: number }

const pointOf = (metrics: Metrics | undefined): Point | undefined => {
  const far = metrics?.false_alarm_rate.value;
  const mr = metrics?.miss_rate.value;
  return far === null || far === undefined || mr === null || mr === undefined ? undefined : { far, mr };
};

function Whiskers({ metrics, point }: { readonly metrics: Metrics; readonly point: Point }) {
  const { false_alarm_rate: far, miss_rate: mr } = metrics;
  return (
    <g class="whiskers">
      {far.low !== null && far.high !== null ? <line x1={x(far.low)} x2={x(far.high)} y1={y(point.mr)} y2={y(point.mr)} /> : null}
      {mr.low !== null && mr.high !== null ? <line x1={x(point.far)} x2={x(point.far)} y1={y(mr.low)} y2={y(mr.high)} /> : null}
    </g>
  );
}

/** Shapes tell runs apart beside their place. */
function Shape({ n, at, isOpen }: { readonly n: number; readonly at: Point; readonly isOpen: boolean }) {
  const [cx, cy] = [x(at.far), y(at.mr)];
  const name = isOpen ? "mark-open" : "mark-full";
  const r = 5;
  if (n % 4 === 1) return <rect class={name} x={cx - r} y={cy - r} width={2 * r} height={2 * r} />;
  if (n % 4 === 2) return <path class={name} d={`M${cx} ${cy - r - 1}L${cx + r + 1} ${cy + r}L${cx - r - 1} ${cy + r}Z`} />;
  if (n % 4 === 3) return <path class={name} d={`M${cx} ${cy - r - 1}L${cx + r + 1} ${cy}L${cx} ${cy + r + 1}L${cx - r - 1} ${cy}Z`} />;
  return <circle class={name} cx={cx} cy={cy} r={r} />;
}

function words(row: Both): string {
  return fill(strings.pointWords, { run: row.title, mr: rateWords(row.corrected.miss_rate), far: rateWords(row.corrected.false_alarm_rate) });
}

export function Scatter({ rows, selected, onSelect }: { readonly rows: readonly Both[]; readonly selected: string | undefined; readonly onSelect: (id: string) => void }) {
  const [named, setNamed] = useState<string>();
  const shown = rows.find((row) => row.id === (named ?? selected));
  return (
    <figure class="scatter">
      <svg viewBox={`0 0 ${size} ${size}`} width={size} height={size} role="group" aria-label={strings.scatterTitle}>
        <g class="axes" aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <line class="grid" x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(1)} />
              <line class="grid" x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
              <text x={x(tick)} y={y(0) + 16} text-anchor="middle">{tick}</text>
              <text x={x(0) - 8} y={y(tick) + 4} text-anchor="end">{tick}</text>
            </g>
          ))}
          <text x={x(0.5)} y={size - 8} text-anchor="middle">{strings.falseAlarmRate}</text>
          <text transform={`translate(14 ${y(0.5)}) rotate(-90)`} text-anchor="middle">{strings.missRate}</text>
        </g>
        {rows.map((row, n) => {
          const now = pointOf(row.corrected);
          const before = pointOf(row.original);
          if (!now) return null;
          const moved = before && (before.far !== now.far || before.mr !== now.mr);
          return (
            <g
              key={row.id} class={`point${row.id === selected ? " is-current" : ""}`} tabIndex={0} role="button" aria-label={words(row)} aria-pressed={row.id === selected}
              onPointerEnter={() => setNamed(row.id)} onPointerLeave={() => setNamed(undefined)} onFocus={() => setNamed(row.id)} onBlur={() => setNamed(undefined)}
              onClick={() => onSelect(row.id)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onSelect(row.id);
              }}
            >
              <Whiskers metrics={row.corrected} point={now} />
              {moved ? <line class="moved" x1={x(before.far)} y1={y(before.mr)} x2={x(now.far)} y2={y(now.mr)} /> : null}
              {moved ? <Shape n={n} at={before} isOpen /> : null}
              <Shape n={n} at={now} isOpen={false} />
              {rows.length <= 8 ? <text class="point-name" x={x(now.far) + (now.far > 0.7 ? -12 : 12)} y={y(now.mr) - 6} text-anchor={now.far > 0.7 ? "end" : "start"} aria-hidden="true">{row.title}</text> : null}
            </g>
          );
        })}
      </svg>
      <figcaption>
        <span class="caption-point">{shown ? words(shown) : strings.pointHint}</span>
        <span class="dim">{strings.scatterLegend}</span>
      </figcaption>
    </figure>
  );
}
