/** Both rates of each part of a run (its categories, its tasks) with their intervals, on one scale from 0 to 1. */
import { strings, fill } from "#protocol/strings";
import { rateWords } from "./format";
import type { Both, Rate } from "./report";

const width = 300;
const rowHeight = 28;
const pad = 10;
const x = (share: number) => pad + share * (width - 2 * pad);

function Row({ rate, top, name }: { readonly rate: Rate; readonly top: number; readonly name: string }) {
  if (rate.value === null) return null;
  const y = top + rowHeight / 2;
  return (
    <g class="point" role="img" aria-label={`${name}: ${rateWords(rate)}`}>
      <g class="whiskers">{rate.low !== null && rate.high !== null ? <line x1={x(rate.low)} x2={x(rate.high)} y1={y} y2={y} /> : null}</g>
      <circle class="mark-full" cx={x(rate.value)} cy={y} r={5} />
    </g>
  );
}

function Plot({ rows, title, pick }: { readonly rows: readonly Both[]; readonly title: string; readonly pick: (row: Both) => Rate }) {
  const height = rows.length * rowHeight + 26;
  return (
    <figure class="parts-plot">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={fill(strings.partsTitle, { rate: title })}>
        <g class="axes" aria-hidden="true">
          {[0, 0.5, 1].map((tick) => (
            <g key={tick}>
              <line class="grid" x1={x(tick)} x2={x(tick)} y1={0} y2={rows.length * rowHeight} />
              <text x={x(tick)} y={rows.length * rowHeight + 16} text-anchor="middle">{tick}</text>
            </g>
          ))}
        </g>
        {rows.map((row, n) => <Row key={row.id} rate={pick(row)} top={n * rowHeight} name={row.title} />)}
      </svg>
    </figure>
  );
}

export function PartsPlot({ rows }: { readonly rows: readonly Both[] }) {
  return (
    <div class="parts">
      <ul class="part-names" aria-hidden="true">{rows.map((row) => <li key={row.id}>{row.title}</li>)}</ul>
      <Plot rows={rows} title={strings.missRate} pick={(row) => row.corrected.miss_rate} />
      <Plot rows={rows} title={strings.falseAlarmRate} pick={(row) => row.corrected.false_alarm_rate} />
    </div>
  );
}
