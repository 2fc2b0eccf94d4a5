/** Both rates of each row (runs, or parts of one) with their intervals, on scales from 0 to 1; with groups the wider intervals beneath. */
import type { ComponentChildren } from "preact";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import type { ScoreGold } from "#protocol/scores";
import { pickRate, rateNames, rateTitle, type RateName } from "./compare";
import { countCell, rateCell, rateColumn, type Row, type TableData } from "./data-table";
import { fitText } from "./fit-text";
import { interval, number, rateWords } from "./format";
import { Mark } from "./mark";
import { openCell, type Opening } from "./opening";
import { rowTitle, type Both } from "./pairs";
import { LegendItem, Plot, type PlotMark } from "./plot";
import type { Metrics, Rate } from "./report";

const rowHeight = 34;
const top = 34;
const names = 168;
const panel = 188;
const gap = 28;
const width = names + 2 * panel + gap + 16;
const ticks = [0, 0.25, 0.5, 0.75, 1];

const left = (name: RateName): number => names + (name === "mr" ? 0 : panel + gap);
const at = (name: RateName, share: number): number => left(name) + share * panel;
const rateNameOf = (name: RateName): string => (name === "mr" ? words.missRate : words.falseAlarmRate);

const cellNames = ["tp", "fn", "fp", "tn"] as const;

/** A row of the plot: its rates, and which samples the cells of its table hold. */
export interface ForestRow extends Both {
  readonly open: (cell: (typeof cellNames)[number], count: number) => Opening | undefined;
}

/** The samples that a rate counts against the monitor. */
const wrongOf = (row: ForestRow, name: RateName, metrics: Metrics): Opening | undefined => (name === "mr" ? row.open("fn", metrics.fn) : row.open("fp", metrics.fp));

/** Rows of whole runs. */
export function runRows(rows: readonly Both[], gold: ScoreGold): ForestRow[] {
  return rows.map((row) => ({ ...row, open: (cell, count) => openCell(row, cell, count, undefined, gold) }));
}

const shownOf = (row: Both, gold: ScoreGold): Metrics | undefined => (gold === "original" ? row.original : row.corrected);

function Frame({ rows }: { readonly rows: readonly ForestRow[] }) {
  const bottom = top + rows.length * rowHeight;
  return (
    <g class="axes" aria-hidden="true">
      {rateNames.map((name) => (
        <g key={name}>
          <text class="axis-name" x={left(name)} y={14}>{rateNameOf(name)}</text>
          {ticks.map((tick) => (
            <g key={tick}>
              <line class="grid" x1={at(name, tick)} x2={at(name, tick)} y1={top - 8} y2={bottom} />
              <text x={at(name, tick)} y={bottom + 14} text-anchor="middle">{tick}</text>
            </g>
          ))}
        </g>
      ))}
      {rows.map((row, n) => <text key={row.id} class="row-label" x={names - 12} y={top + (n + 0.5) * rowHeight + 4} text-anchor="end">{fitText(row.name, names - 16)}<title>{row.name}</title></text>)}
    </g>
  );
}

function Interval({ name, rate, y }: { readonly name: RateName; readonly rate: Rate; readonly y: number }) {
  const { low, high, clustered } = rate;
  const caps = (a: number, b: number, cy: number, size: number) => [a, b].map((share) => <line key={share} x1={at(name, share)} x2={at(name, share)} y1={cy - size} y2={cy + size} />);
  return (
    <>
      {low !== null && high !== null ? <g class="whiskers"><line x1={at(name, low)} x2={at(name, high)} y1={y} y2={y} />{caps(low, high, y, 4)}</g> : null}
      {clustered && clustered.low !== null && clustered.high !== null ? (
        <g class="whiskers is-clustered"><line x1={at(name, clustered.low)} x2={at(name, clustered.high)} y1={y + 9} y2={y + 9} />{caps(clustered.low, clustered.high, y + 9, 2)}</g>
      ) : null}
    </>
  );
}

function markOf(row: ForestRow, n: number, name: RateName, gold: ScoreGold, selected: string | undefined): PlotMark[] {
  const metrics = shownOf(row, gold);
  const rate = metrics && pickRate(metrics, name);
  const y = top + (n + 0.5) * rowHeight - (rate?.clustered ? 3 : 0);
  if (!metrics || rate?.value === null || rate?.value === undefined) return [];
  const before = gold === "corrected" && row.original ? pickRate(row.original, name).value : undefined;
  const isMoved = before !== null && before !== undefined && before !== rate.value;
  const x = at(name, rate.value);
  return [{
    id: `${row.id} ${name}`, x, y, lane: name, isCurrent: row.id === selected && name === "mr", open: wrongOf(row, name, metrics),
    words: [fill(plot.forestWords, { name: row.name, rate: rateNameOf(name).toLowerCase(), value: rateWords(rate) }), rateTitle(rate, name), ...(rate.clustered ? [`${plot.clustered.toLowerCase()} ${interval(rate.clustered)}`] : [])].join("; "),
    draw: (
      <>
        <Interval name={name} rate={rate} y={y} />
        {isMoved ? <line class="moved" x1={at(name, before)} x2={x} y1={y} y2={y} /> : null}
        {isMoved ? <Mark shape={n} x={at(name, before)} y={y} isHollow /> : null}
        <Mark shape={n} x={x} y={y} />
      </>
    ),
  }];
}

function clusteredCell(rate: Rate | undefined): Row["cells"][number] {
  const effect = rate?.clustered?.["design_effect"];
  return {
    text: rate?.clustered ? interval(rate.clustered) : words.noValue, csv: [rate?.clustered?.low, rate?.clustered?.high, typeof effect === "number" ? effect : null],
    hint: typeof effect === "number" ? fill(plot.designEffect, { value: number(effect) }) : undefined,
  };
}

function tableOf(first: string, rows: readonly ForestRow[], gold: ScoreGold, selected: string | undefined, onSelect: ((id: string) => void) | undefined): TableData {
  const clustered = (name: string, title: string) => ({ title: `${title} ${plot.clustered.toLowerCase()}`, csv: [`${name}_clustered_low`, `${name}_clustered_high`, `${name}_design_effect`] });
  return {
    title: plot.forestTitle, first,
    columns: [rateColumn(words.mr, "miss_rate", words.missRate), clustered("miss_rate", words.mr), rateColumn(words.far, "false_alarm_rate", words.falseAlarmRate), clustered("false_alarm_rate", words.far), { title: words.n, hint: words.nTitle, csv: ["n"] }, ...cellNames.map((cell) => ({ title: words.cells[cell][0], hint: words.cells[cell][1], csv: [cell] }))],
    rows: rows.map((row, n) => {
      const metrics = shownOf(row, gold);
      return {
        key: row.id, name: { text: row.title, second: row.subtitle, hint: rowTitle(row), csv: [row.id] }, mark: n, isCurrent: row.id === selected, onSelect: onSelect && (() => onSelect(row.id)),
        cells: [
          rateCell(metrics?.miss_rate, metrics && wrongOf(row, "mr", metrics)), clusteredCell(metrics?.miss_rate),
          rateCell(metrics?.false_alarm_rate, metrics && wrongOf(row, "far", metrics)), clusteredCell(metrics?.false_alarm_rate), { text: String(metrics?.n ?? words.noValue), csv: [metrics?.n] },
          ...cellNames.map((cell) => countCell(metrics?.[cell] ?? 0, row.open(cell, metrics?.[cell] ?? 0))),
        ],
      };
    }),
  };
}

export interface ForestProps { readonly name: string; readonly first: string; readonly rows: readonly ForestRow[]; readonly gold: ScoreGold; readonly selected?: string | undefined; readonly onSelect?: ((id: string) => void) | undefined; readonly controls?: ComponentChildren }

export function Forest({ name, first, rows, gold, selected, onSelect, controls }: ForestProps) {
  const hasClusters = rows.some((row) => rateNames.some((rate) => shownOf(row, gold)?.[rate === "mr" ? "miss_rate" : "false_alarm_rate"].clustered));
  const isMoved = gold === "corrected" && rows.some((row) => rateNames.some((rate) => row.original && pickRate(row.original, rate).value !== pickRate(row.corrected, rate).value));
  return (
    <Plot
      name={name} title={plot.forestTitle} width={width} height={top + rows.length * rowHeight + 22} table={tableOf(first, rows, gold, selected, onSelect)}
      marks={rows.flatMap((row, n) => rateNames.flatMap((rate) => markOf(row, n, rate, gold, selected)))} under={<Frame rows={rows} />} controls={controls}
      legend={(
        <>
          <LegendItem picture={<Mark shape={0} x={9} y={8} />}>{plot.goldNames[gold].toLowerCase()}</LegendItem>
          {isMoved ? <LegendItem picture={<Mark shape={0} x={9} y={8} isHollow />}>{words.legendHollow}</LegendItem> : null}
          <LegendItem picture={<g class="whiskers"><line x1="1" x2="17" y1="8" y2="8" /></g>}>{plot.wilson}</LegendItem>
          {hasClusters ? <LegendItem picture={<g class="whiskers is-clustered"><line x1="1" x2="17" y1="8" y2="8" /></g>}>{plot.clusteredLegend}</LegendItem> : null}
        </>
      )}
    />
  );
}
