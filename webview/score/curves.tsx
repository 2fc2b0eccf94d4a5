/** Curves over all thresholds of runs that give scores: ROC, precision against recall, and whether scores mean what they say. */
import { useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { Select } from "../ui/select";
import { DataTable, intervalCell, intervalColumn, rateCell, rateColumn, type TableData } from "./data-table";
import { interval, number } from "./format";
import { GoldChoice } from "./gold-choice";
import { colourSet, Mark } from "./mark";
import { Part } from "./part";
import { Curves, type ScoreCurves } from "./part-shapes";
import { rowTitle, type Both } from "./pairs";
import { PlaneAxes, planeSize, x, y } from "./plane";
import { LegendItem, Plot, type PlotMark } from "./plot";
import type { TabContext } from "./tabs";

type Kind = "roc" | "pr" | "reliability";
interface Scored { readonly row: Both; readonly n: number; readonly curves: ScoreCurves }
interface Spot { readonly x: number; readonly y: number; readonly threshold: number | null }

const kinds: Readonly<Record<Kind, string>> = { roc: plot.roc, pr: plot.precisionRecall, reliability: plot.reliability };
const axes = {
  roc: { x: words.falseAlarmRate, y: plot.hitRate }, pr: { x: plot.recall, y: plot.precision }, reliability: { x: plot.score, y: plot.observed },
} as const;

/** Inside a sentence; abbreviations stay as they are. */
const beginningLower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function spotsOf({ curve }: ScoreCurves, kind: Exclude<Kind, "reliability">): Spot[] {
  return curve.flatMap(({ threshold, miss_rate, false_alarm_rate, precision }): Spot[] => {
    if (kind === "roc") return [{ threshold, x: false_alarm_rate, y: 1 - miss_rate }];
    return precision === null ? [] : [{ threshold, x: 1 - miss_rate, y: precision }];
  });
}

/** At most this many points of a curve can be stepped on; the line has them all. */
const marksAtMost = 25;

const evenly = <T,>(list: readonly T[]): T[] => (list.length <= marksAtMost ? [...list] : Array.from({ length: marksAtMost }, (_, at) => list[Math.round((at * (list.length - 1)) / (marksAtMost - 1))] as T));

/** The lines of runs are told apart by their dashes, and by the marks on them; past the fourth by their colour too. */
const dash = (n: number): string => `curve-${n % 4}${colourSet(n)}`;

function curveMarks({ row, n, curves }: Scored, kind: Exclude<Kind, "reliability">): PlotMark[] {
  return evenly(spotsOf(curves, kind)).map((spot, at) => ({
    id: `${row.id} ${at}`,
    open: spot.threshold === null ? undefined : { title: fill(plot.flaggedTitle, { from: spot.threshold, run: row.name }), selection: { runId: row.id, score: { from: spot.threshold, to: 1 } } },
    x: x(spot.x), y: y(spot.y), draw: <g class="small-mark" transform={`translate(${x(spot.x)} ${y(spot.y)}) scale(0.55)`}><Mark shape={n} x={0} y={0} /></g>,
    words: fill(plot.curvePoint, { run: row.name, threshold: spot.threshold === null ? plot.nothingFlagged : number(spot.threshold), y: beginningLower(axes[kind].y), yValue: number(spot.y), x: beginningLower(axes[kind].x), xValue: number(spot.x) }),
  }));
}

function CurveLine({ spots, n }: { readonly spots: readonly Spot[]; readonly n: number }) {
  return <polyline class={`curve ${dash(n)}`} points={spots.map((spot) => `${x(spot.x).toFixed(1)},${y(spot.y).toFixed(1)}`).join(" ")} />;
}

function reliabilityMarks({ row, n, curves }: Scored): PlotMark[] {
  return (curves.calibration?.bins ?? []).map((bin) => ({
    id: `${row.id} ${bin.from}`, x: x(bin.mean_score), y: y(bin.share),
    words: fill(plot.binWords, { from: number(bin.from), to: number(bin.to), share: number(bin.share), n: bin.n, interval: interval(bin), mean: number(bin.mean_score) }),
    open: { title: fill(plot.scoresTitle, { from: bin.from, to: bin.to, run: row.name }), selection: { runId: row.id, score: { from: bin.from, to: bin.to } } },
    draw: (
      <>
        <g class="whiskers"><line x1={x(bin.mean_score)} x2={x(bin.mean_score)} y1={y(bin.low)} y2={y(bin.high)} /></g>
        <Mark shape={n} x={x(bin.mean_score)} y={y(bin.share)} />
      </>
    ),
  }));
}

function areaTable(scored: readonly Scored[], selected: string, select: (id: string) => void): TableData {
  const value = (key: "brier" | "brier_of_share" | "expected_error", of: ScoreCurves) => ({ text: number(of.calibration?.[key]), csv: [of.calibration?.[key]] });
  return {
    title: plot.curves, first: words.run,
    columns: [
      intervalColumn(plot.area, "roc_area"), intervalColumn(plot.averagePrecision, "average_precision"), { title: plot.brier, csv: ["brier"] }, { title: plot.brierBase, csv: ["brier_of_share"] }, { title: plot.calibrationError, csv: ["expected_error"] },
      { title: words.n, csv: ["n_misbehavior", "n_benign"] },
    ],
    rows: scored.map(({ row, n, curves }) => ({
      key: row.id, mark: n, isCurrent: row.id === selected, onSelect: () => select(row.id), name: { text: row.title, second: row.subtitle, hint: rowTitle(row), csv: [row.id] },
      cells: [
        intervalCell(curves.roc_area), intervalCell(curves.average_precision), value("brier", curves), value("brier_of_share", curves), value("expected_error", curves),
        { text: `${curves.n.misbehavior} + ${curves.n.benign}`, csv: [curves.n.misbehavior, curves.n.benign] },
      ],
    })),
  };
}

function budgetTable(scored: readonly Scored[]): TableData {
  return {
    title: plot.budgets, first: words.run,
    columns: [{ title: plot.budgets, isText: true, csv: ["budget_of", "budget"] }, { title: plot.threshold, csv: ["threshold"] }, rateColumn(words.mr, "miss_rate"), rateColumn(words.far, "false_alarm_rate"), { title: plot.chosenOn, isText: true, csv: ["chosen_on"] }, { title: plot.reportedOn, isText: true, csv: ["reported_on"] }],
    rows: scored.flatMap(({ row, n, curves }) => curves.at_budget.map((point) => ({
      key: `${row.id} ${point.budget_of} ${point.budget}`, mark: n, name: { text: row.name, csv: [row.id] },
      cells: [
        { text: fill(plot.budgetOf[point.budget_of], { budget: point.budget }), csv: [point.budget_of, point.budget] }, { text: point.threshold === null ? plot.nothingFlagged : number(point.threshold), csv: [point.threshold] },
        rateCell(point.miss_rate), rateCell(point.false_alarm_rate), { text: point.chosen_on, second: point.optimistic ? plot.optimistic : undefined, csv: [point.chosen_on] }, { text: point.reported_on, csv: [point.reported_on] },
      ],
    }))),
  };
}

function Drawn({ scored, context }: { readonly scored: readonly Scored[]; readonly context: TabContext }) {
  const [kind, setKind] = useState<Kind>("roc");
  const { run, gold, select, showGold } = context;
  const chosen = scored.find(({ row }) => row.id === run.run_id) ?? scored[0]!;
  const shown = kind === "reliability" ? [chosen] : scored;
  const title = kind === "roc" ? plot.rocTitle : kind === "pr" ? plot.prTitle : fill(plot.reliabilityTitle, { run: chosen.row.name });
  return (
    <Plot
      name={kind} title={title} width={planeSize} height={planeSize} table={areaTable(scored, run.run_id, select)} note={kind === "roc" ? undefined : plot.balancedNote}
      marks={kind === "reliability" ? reliabilityMarks(chosen) : shown.flatMap((one) => curveMarks(one, kind))}
      controls={<><Select label={plot.curve} value={kind} onValue={(value) => setKind(value as Kind)} options={Object.entries(kinds).map(([value, label]) => ({ value, label }))} /><GoldChoice gold={gold} onGold={showGold} /></>}
      under={(
        <>
          <PlaneAxes xName={axes[kind].x} yName={axes[kind].y} />
          {kind === "pr" ? null : <line class="chance" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />}
          {kind === "reliability" ? null : shown.map(({ row, n, curves }) => <CurveLine key={row.id} n={n} spots={spotsOf(curves, kind)} />)}
        </>
      )}
      legend={(
        <>
          {shown.map(({ row, n }) => <LegendItem key={row.id} picture={<>{kind === "reliability" ? null : <line class={`curve ${dash(n)}`} x1="0" x2="18" y1="8" y2="8" />}<Mark shape={n} x={9} y={8} /></>}>{row.name}</LegendItem>)}
          {kind === "pr" ? null : <LegendItem picture={<line class="chance" x1="1" x2="17" y1="14" y2="2" />}>{kind === "roc" ? plot.chance : plot.perfect}</LegendItem>}
        </>
      )}
    >
      <section>
        <h2>{plot.budgets}</h2>
        {scored.some(({ curves }) => curves.at_budget.length > 0) ? <DataTable table={budgetTable(scored)} /> : null}
        {[...new Set(scored.flatMap(({ curves }) => curves.at_budget_reason ?? []))].map((reason) => <p key={reason} class="dim">{reason}</p>)}
      </section>
    </Plot>
  );
}

export function CurvesTab({ context }: { readonly context: TabContext }) {
  return (
    <Part part="curves" title={plot.curves} gold={context.gold} shape={Curves}>
      {({ runs }) => {
        const scored = context.rows.flatMap((row, n): Scored[] => {
          const curves = runs.find(({ run_id }) => run_id === row.id)?.curves;
          return curves && curves.curve.length > 0 ? [{ row, n, curves }] : [];
        });
        return scored.length === 0 ? <p class="dim tab-content">{plot.noCurves}</p> : <Drawn scored={scored} context={context} />;
      }}
    </Part>
  );
}
