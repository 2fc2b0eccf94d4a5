/** False alarm rate against miss rate, one mark a run, with its intervals; better is lower left. Axes go from 0 to 1. */
import { useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import { change } from "./compare";
import { number, rateWords } from "./format";
import { Mark } from "./mark";
import { rowTitle, type Both } from "./pairs";
import { placeNames } from "./place-names";
import type { Metrics } from "./report";

const size = 360;
const margin = { left: 48, right: 12, top: 12, bottom: 44 };
const inner = { width: size - margin.left - margin.right, height: size - margin.top - margin.bottom };
const ticks = [0, 0.25, 0.5, 0.75, 1];
/** Youden's J of the lines; 0 is what guessing gives. */
const levels = [0, 0.25, 0.5, 0.75];

const x = (share: number) => margin.left + share * inner.width;
const y = (share: number) => margin.top + (1 - share) * inner.height;

interface Point { readonly far: number; readonly mr: number }

const pointOf = (metrics: Metrics | undefined): Point | undefined => {
  const far = metrics?.false_alarm_rate.value;
  const mr = metrics?.miss_rate.value;
  return far === null || far === undefined || mr === null || mr === undefined ? undefined : { far, mr };
};

/** Where a line's name stands: near its lower end, where few monitors are. */
const levelName = (level: number) => ({ x: x((1 - level) * 0.85), y: y((1 - level) * 0.15) });

const asPixels = (point: Point) => ({ x: x(point.far), y: y(point.mr) });

function Axes() {
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
      {levels.map((level) => {
        const { x: cx, y: cy } = levelName(level);
        return (
          <g key={level}>
            <line class="iso" x1={x(0)} y1={y(1 - level)} x2={x(1 - level)} y2={y(0)} />
            <text class="iso-name" transform={`translate(${cx} ${cy}) rotate(${(Math.atan2(inner.height, inner.width) * 180) / Math.PI}) translate(0 -4)`} text-anchor="middle">{`J ${level}`}</text>
          </g>
        );
      })}
      <text class="axis-name" x={x(0.5)} y={size - 8} text-anchor="middle">{words.falseAlarmRate}</text>
      <text class="axis-name" transform={`translate(12 ${y(0.5)}) rotate(-90)`} text-anchor="middle">{words.missRate}</text>
    </g>
  );
}

function Whiskers({ metrics, point }: { readonly metrics: Metrics; readonly point: Point }) {
  const { false_alarm_rate: far, miss_rate: mr } = metrics;
  return (
    <g class="whiskers">
      {far.low !== null && far.high !== null ? <line x1={x(far.low)} x2={x(far.high)} y1={y(point.mr)} y2={y(point.mr)} /> : null}
      {mr.low !== null && mr.high !== null ? <line x1={x(point.far)} x2={x(point.far)} y1={y(mr.low)} y2={y(mr.high)} /> : null}
    </g>
  );
}

/** A run in the plot: hollow where the original labels put it, filled where the corrected ones do, and the way between. */
function RunMark({ row, n }: { readonly row: Both; readonly n: number }) {
  const now = pointOf(row.corrected)!;
  const before = pointOf(row.original);
  const isMoved = before !== undefined && (before.far !== now.far || before.mr !== now.mr);
  return (
    <>
      <Whiskers metrics={row.corrected} point={now} />
      {isMoved ? <line class="moved" x1={x(before.far)} y1={y(before.mr)} x2={x(now.far)} y2={y(now.mr)} /> : null}
      {isMoved ? <Mark shape={n} x={x(before.far)} y={y(before.mr)} isHollow /> : null}
      <circle class="focus-ring" cx={x(now.far)} cy={y(now.mr)} r={10} />
      <Mark shape={n} x={x(now.far)} y={y(now.mr)} />
    </>
  );
}

/** Names go on top of all marks, each where it covers none. */
function Names({ rows, selected }: { readonly rows: readonly Both[]; readonly selected: string }) {
  const marks = rows.flatMap((row) => [pointOf(row.corrected), pointOf(row.original)]).filter((point) => point !== undefined).map(asPixels);
  const labels = placeNames(rows.map((row) => ({ text: row.name, ...asPixels(pointOf(row.corrected)!) })), marks, { left: x(0), right: size, faint: levels.map(levelName) });
  return <g class="point-names" aria-hidden="true">{labels.map((label, n) => {
    const { id, name } = rows[n]!;
    const isCut = label.text !== name;
    return <text key={id} class={`point-name${id === selected ? " is-current" : ""}${isCut ? " is-cut" : ""}`} x={label.x} y={label.y} text-anchor={label.anchor}>{isCut ? <title>{name}</title> : null}{label.text}</text>;
  })}</g>;
}

function Legend() {
  return (
    <ul class="plot-legend">
      <li><svg width="16" height="16" aria-hidden="true"><Mark shape={0} x={8} y={8} isHollow /></svg> {words.legendHollow}</li>
      <li><svg width="16" height="16" aria-hidden="true"><Mark shape={0} x={8} y={8} /></svg> {words.legendFilled}</li>
      <li><svg width="16" height="16" aria-hidden="true" class="whiskers"><line x1="1" x2="15" y1="8" y2="8" /></svg> {words.legendInterval}</li>
      <li><svg width="16" height="16" aria-hidden="true"><line class="iso" x1="1" x2="15" y1="2" y2="14" /></svg> {words.legendIso}</li>
    </ul>
  );
}

interface TradeOffProps { readonly rows: readonly Both[]; readonly pareto: readonly string[]; readonly selected: string; readonly onSelect: (id: string) => void }

/** The numbers of the plot, on corrected labels. */
function PlotTable({ rows, pareto, selected, onSelect }: TradeOffProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={words.tradeOffTitle}>
      <table class="score-table">
        <thead>
          <tr><th scope="col" class="row-name">{words.run}</th><th scope="col">{words.mr}</th><th scope="col">{words.far}</th><th scope="col" title={words.youden}>{words.j}</th><th scope="col" title={words.frontTitle}>{words.front}</th></tr>
        </thead>
        <tbody>
          {rows.map((row, n) => {
            const { corrected, original } = row;
            const cell = (now: number | null | undefined, before: number | null | undefined) => <>{number(now)}<span class="second">{change(before, now) ?? ""}</span></>;
            return (
              <tr key={row.id} class={`can-select${row.id === selected ? " is-current" : ""}`} onClick={() => onSelect(row.id)}>
                <th scope="row" class="row-name" title={rowTitle(row)}>
                  <button type="button" class="row-button" aria-pressed={row.id === selected} onClick={() => onSelect(row.id)}>
                    <span class="name-box"><span class="name-title"><svg class="name-mark" width="14" height="14" aria-hidden="true"><Mark shape={n} x={7} y={7} /></svg> {row.title}</span>
                    <span class="second">{row.subtitle}</span></span>
                  </button>
                </th>
                <td>{cell(corrected.miss_rate.value, original?.miss_rate.value)}</td>
                <td>{cell(corrected.false_alarm_rate.value, original?.false_alarm_rate.value)}</td>
                <td>{cell(corrected.youden_j, original?.youden_j)}</td>
                <td>{pareto.includes(row.id) ? words.yes : ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function TradeOff(props: TradeOffProps) {
  const { rows, selected, onSelect } = props;
  const [pointed, setPointed] = useState<string>();
  const drawn = rows.map((row, n) => ({ row, n })).filter(({ row }) => pointOf(row.corrected));
  if (drawn.length === 0) return <p class="dim">{words.noPoints}</p>;
  const describe = (row: Both) => fill(words.pointWords, { run: row.name, mr: rateWords(row.corrected.miss_rate), far: rateWords(row.corrected.false_alarm_rate) });
  const shown = rows.find((row) => row.id === (pointed ?? selected));
  return (
    <div class="trade-off">
      <figure class="scatter">
        <svg viewBox={`0 0 ${size} ${size}`} width={size} height={size} role="group" aria-label={words.tradeOffTitle}>
          <Axes />
          {drawn.map(({ row, n }) => (
            <g
              key={row.id} class={`point${row.id === selected ? " is-current" : ""}`} tabIndex={0} role="button" aria-label={describe(row)} aria-pressed={row.id === selected}
              onPointerEnter={() => setPointed(row.id)} onPointerLeave={() => setPointed(undefined)} onFocus={() => setPointed(row.id)} onBlur={() => setPointed(undefined)}
              onClick={() => onSelect(row.id)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onSelect(row.id);
              }}
            >
              <title>{describe(row)}</title>
              <RunMark row={row} n={n} />
            </g>
          ))}
          <Names rows={drawn.map(({ row }) => row).filter((row) => drawn.length <= 6 || row.id === selected || row.id === pointed)} selected={selected} />
        </svg>
        <figcaption>
          <span class="caption-point">{shown ? describe(shown) : words.pointHint}</span>
          <Legend />
        </figcaption>
      </figure>
      <PlotTable {...props} />
    </div>
  );
}
