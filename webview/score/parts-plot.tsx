/** Both rates of each part of a run (its categories, its tasks) with their intervals, on one scale from 0 to 1. */
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import { pickRate, rateNames, rateTitle, type RateName } from "./compare";
import { rateWords } from "./format";
import type { Both } from "./pairs";

/** Sides stay free for marks at 0 and 1; percentages let the plot follow the width. */
const x = (share: number) => `${4 + share * 92}%`;
const middle = 18;

function Track({ row, name }: { readonly row: Both; readonly name: RateName }) {
  const rate = pickRate(row.corrected, name);
  const before = row.original && pickRate(row.original, name).value;
  const isMoved = before !== null && before !== undefined && rate.value !== null && before !== rate.value;
  const rateName = name === "mr" ? words.missRate : words.falseAlarmRate;
  const label = rate.value === null ? words.noRate[name] : `${row.title}: ${rateName} ${rateWords(rate)}`;
  return (
    <svg class="track" width="100%" height={2 * middle} role="img" aria-label={label}>
      <title>{rate.value === null ? label : `${label}. ${rateTitle(rate, name)}`}</title>
      {[0, 0.5, 1].map((tick) => <line key={tick} class="grid" x1={x(tick)} x2={x(tick)} y1={0} y2={2 * middle} />)}
      {rate.value === null ? <text class="no-rate" x={x(0.5)} y={middle + 4} text-anchor="middle">{words.noValue}</text> : (
        <>
          {rate.low !== null && rate.high !== null ? <g class="whiskers"><line x1={x(rate.low)} x2={x(rate.high)} y1={middle} y2={middle} /></g> : null}
          {isMoved ? <line class="moved" x1={x(before)} x2={x(rate.value)} y1={middle} y2={middle} /> : null}
          {isMoved ? <circle class="mark-hollow" cx={x(before)} cy={middle} r={5} /> : null}
          <circle class="mark-full" cx={x(rate.value)} cy={middle} r={5} />
        </>
      )}
    </svg>
  );
}

function Scale() {
  return <svg class="track axes" width="100%" height={18} aria-hidden="true">{[0, 0.5, 1].map((tick) => <text key={tick} x={x(tick)} y={12} text-anchor="middle">{tick}</text>)}</svg>;
}

export function PartsPlot({ rows, part }: { readonly rows: readonly Both[]; readonly part: string }) {
  return (
    <figure class="parts-plot" aria-label={rateNames.map((name) => fill(words.partsTitle, { rate: name === "mr" ? words.missRate : words.falseAlarmRate, part: part.toLowerCase() })).join(". ")}>
      <span />
      <span class="track-title">{words.missRate}</span>
      <span class="track-title">{words.falseAlarmRate}</span>
      {rows.map((row) => (
        <div class="track-row" key={row.id}>
          <span class="track-name">{row.title}</span>
          {rateNames.map((name) => <Track key={name} row={row} name={name} />)}
        </div>
      ))}
      <span />
      <Scale />
      <Scale />
    </figure>
  );
}
