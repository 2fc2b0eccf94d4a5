/** False alarm rate against miss rate, one mark a run, with its intervals; better is lower left. Axes go from 0 to 1. */
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { useState } from "preact/hooks";
import { Checkbox } from "../ui/checkbox";
import { change } from "./compare";
import { rateColumn, rateCell, type TableData } from "./data-table";
import { number, rateWords } from "./format";
import { colourSet, Mark } from "./mark";
import { openCells } from "./opening";
import { rowTitle, type Both } from "./pairs";
import { diagonal, lineWithin, PlaneAxes, planeSize, x, y } from "./plane";
import { placeNames } from "./place-names";
import { LegendItem, Plot, type PlotMark } from "./plot";
import type { Correlation, Metrics } from "./report";

/** Youden's J of the lines; 0 is what guessing gives. */
const levels = [0, 0.25, 0.5, 0.75];
/** FAR = slope x MR + intercept over the 22 monitors of AutoMonitor-Bench (arXiv 2601.05752). */
const published = { slope: -0.42, intercept: 0.49 };

interface Point { readonly far: number; readonly mr: number }

const pointOf = (metrics: Metrics | undefined): Point | undefined => {
  const far = metrics?.false_alarm_rate.value;
  const mr = metrics?.miss_rate.value;
  return far === null || far === undefined || mr === null || mr === undefined ? undefined : { far, mr };
};

/** Where a line's name stands: near its lower end, where few monitors are. */
const levelName = (level: number) => ({ x: x((1 - level) * 0.85), y: y((1 - level) * 0.15) });

const asPixels = (point: Point) => ({ x: x(point.mr), y: y(point.far) });

function IsoLines() {
  return (
    <>
      {levels.map((level) => {
        const { x: cx, y: cy } = levelName(level);
        return (
          <g key={level}>
            <line class="iso" x1={x(0)} y1={y(1 - level)} x2={x(1 - level)} y2={y(0)} />
            <text class="iso-name" transform={`translate(${cx} ${cy}) rotate(${diagonal}) translate(0 -4)`} text-anchor="middle">{`J ${level}`}</text>
          </g>
        );
      })}
    </>
  );
}

/** A line that tells FAR, the upward axis, from MR; nothing where it runs outside. */
function RateLine({ slope, intercept, name }: { readonly slope: number; readonly intercept: number; readonly name: string }) {
  const line = lineWithin(slope, intercept);
  return line ? <line class={name} {...line} /> : null;
}

function Front({ rows, pareto }: { readonly rows: readonly Both[]; readonly pareto: readonly string[] }) {
  const points = pareto.flatMap((id) => pointOf(rows.find((row) => row.id === id)?.corrected) ?? []).sort((a, b) => a.mr - b.mr || b.far - a.far).map(asPixels);
  return points.length < 2 ? null : <polyline class="front" points={points.map((at) => `${at.x},${at.y}`).join(" ")} />;
}

function Whiskers({ metrics, point }: { readonly metrics: Metrics; readonly point: Point }) {
  const { false_alarm_rate: far, miss_rate: mr } = metrics;
  return (
    <g class="whiskers">
      {mr.low !== null && mr.high !== null ? <line x1={x(mr.low)} x2={x(mr.high)} y1={y(point.far)} y2={y(point.far)} /> : null}
      {far.low !== null && far.high !== null ? <line x1={x(point.mr)} x2={x(point.mr)} y1={y(far.low)} y2={y(far.high)} /> : null}
    </g>
  );
}

/** A run in the plot: hollow where the original labels put it, filled where the corrected ones do, and the way between. */
function RunMark({ row, n }: { readonly row: Both; readonly n: number }) {
  const point = pointOf(row.corrected)!;
  const old = pointOf(row.original);
  const now = asPixels(point);
  const before = old && asPixels(old);
  const isMoved = before !== undefined && (before.x !== now.x || before.y !== now.y);
  return (
    <>
      <Whiskers metrics={row.corrected} point={point} />
      {isMoved ? <line class={`moved${colourSet(n)}`} x1={before.x} y1={before.y} x2={now.x} y2={now.y} /> : null}
      {isMoved ? <Mark shape={n} {...before} isHollow /> : null}
      <Mark shape={n} {...now} />
    </>
  );
}

/** Names go on top of all marks, each where it covers none. */
function Names({ rows, selected }: { readonly rows: readonly Both[]; readonly selected: string }) {
  const marks = rows.flatMap((row) => [pointOf(row.corrected), pointOf(row.original)]).filter((point) => point !== undefined).map(asPixels);
  const labels = placeNames(rows.map((row) => ({ text: row.name, ...asPixels(pointOf(row.corrected)!) })), marks, { left: x(0), right: planeSize, faint: levels.map(levelName) });
  return <g class="point-names" aria-hidden="true">{labels.map((label, n) => {
    const { id, name } = rows[n]!;
    const isCut = label.text !== name;
    return <text key={id} class={`point-name${id === selected ? " is-current" : ""}${isCut ? " is-cut" : ""}`} x={label.x} y={label.y} text-anchor={label.anchor}>{isCut ? <title>{name}</title> : null}{label.text}</text>;
  })}</g>;
}

/** With more runs than these only the chosen one has its name beside its mark; the legend tells the others. */
const namedAtMost = 6;

interface LegendProps { readonly drawn: readonly { readonly row: Both; readonly n: number }[]; readonly hasFront: boolean; readonly hasLine: boolean; readonly isPublished: boolean }

function Legend({ drawn, hasFront, hasLine, isPublished }: LegendProps) {
  const line = (name: string) => <line class={name} x1="1" x2="17" y1="3" y2="13" />;
  return (
    <>
      <LegendItem picture={<Mark shape={0} x={9} y={8} isHollow />}>{words.legendHollow}</LegendItem>
      <LegendItem picture={<Mark shape={0} x={9} y={8} />}>{words.legendFilled}</LegendItem>
      <LegendItem picture={<g class="whiskers"><line x1="1" x2="17" y1="8" y2="8" /></g>}>{words.legendInterval}</LegendItem>
      <LegendItem picture={line("iso")}>{words.legendIso}</LegendItem>
      {hasFront ? <LegendItem picture={line("front")}>{plot.paretoLegend}</LegendItem> : null}
      {hasLine ? <LegendItem picture={line("fitted")}>{plot.leastSquares}</LegendItem> : null}
      {isPublished ? <LegendItem picture={line("published")}>{plot.publishedLegend}</LegendItem> : null}
      {drawn.length > namedAtMost ? drawn.map(({ row, n }) => <LegendItem key={row.id} picture={<Mark shape={n} x={9} y={8} />}>{row.name}</LegendItem>) : null}
    </>
  );
}

interface TradeOffProps { readonly rows: readonly Both[]; readonly pareto: readonly string[]; readonly correlation: Correlation | null; readonly selected: string; readonly onSelect: (id: string) => void; /** Why the marks may not be set beside each other. */ readonly cautions?: readonly string[] }

/** The numbers of the plot, on corrected labels. */
function tableOf({ rows, pareto, selected, onSelect }: TradeOffProps): TableData {
  return {
    title: words.tradeOffTitle, first: words.run,
    columns: [rateColumn(words.mr, "miss_rate", words.missRate), rateColumn(words.far, "false_alarm_rate", words.falseAlarmRate), { title: words.j, hint: words.youden, csv: ["youden_j"] }, { title: words.front, hint: words.frontTitle, csv: ["pareto_front"] }],
    rows: rows.map((row, n) => {
      const { corrected, original } = row;
      const moved = change(original?.youden_j, corrected.youden_j);
      return {
        key: row.id, mark: n, isCurrent: row.id === selected, onSelect: () => onSelect(row.id), name: { text: row.title, second: row.subtitle, hint: rowTitle(row), csv: [row.id] },
        cells: [
          rateCell(corrected.miss_rate), rateCell(corrected.false_alarm_rate), { text: number(corrected.youden_j), second: moved, csv: [corrected.youden_j] },
          { text: pareto.includes(row.id) ? words.yes : "", csv: [pareto.includes(row.id) ? "yes" : "no"] },
        ],
      };
    }),
  };
}

function correlationWords(correlation: Correlation | null): string {
  if (!correlation) return plot.fewRuns;
  const { pearson_r, low, high, n, slope, intercept } = correlation;
  return fill(plot.correlation, { r: number(pearson_r), low: number(low), high: number(high), n, slope: number(slope), sign: intercept < 0 ? "−" : "+", intercept: number(Math.abs(intercept)) });
}

export function TradeOff(props: TradeOffProps) {
  const { rows, pareto, correlation, selected } = props;
  const [isPublished, setPublished] = useState(false);
  const drawn = rows.map((row, n) => ({ row, n })).filter(({ row }) => pointOf(row.corrected));
  if (drawn.length === 0) return <p class="dim tab-content">{words.noPoints}</p>;
  const describe = (row: Both) => fill(words.pointWords, { run: row.name, mr: rateWords(row.corrected.miss_rate), far: rateWords(row.corrected.false_alarm_rate) });
  const marks = drawn.map(({ row, n }): PlotMark => ({
    id: row.id, words: describe(row), ...asPixels(pointOf(row.corrected)!), isCurrent: row.id === selected,
    open: { ...openCells(row, ["fn", "fp"], fill(plot.errorsTitle, { run: row.name })), gold: "corrected" }, draw: <RunMark row={row} n={n} />,
  }));
  return (
    <Plot
      name="trade-off" title={words.tradeOffTitle} width={planeSize} height={planeSize} marks={marks} table={tableOf(props)} note={[correlationWords(correlation), ...(props.cautions ?? [])].join(" ")}
      controls={<Checkbox checked={isPublished} title={plot.publishedTitle} onChecked={setPublished}>{plot.published}</Checkbox>}
      under={(
        <>
          <PlaneAxes xName={words.missRate} yName={words.falseAlarmRate}><IsoLines /></PlaneAxes>
          {isPublished ? <RateLine {...published} name="published" /> : null}
          {correlation ? <RateLine slope={correlation.slope} intercept={correlation.intercept} name="fitted" /> : null}
          <Front rows={rows} pareto={pareto} />
        </>
      )}
      over={(pointed) => <Names rows={drawn.map(({ row }) => row).filter((row) => drawn.length <= namedAtMost || row.id === selected || row.id === pointed)} selected={selected} />}
      legend={<Legend drawn={drawn} hasFront={pareto.length > 1} hasLine={correlation !== null} isPublished={isPublished} />}
    />
  );
}
