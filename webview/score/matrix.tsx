/** What a guard learned on one kind of sample is worth on another: a row for what it was trained on, a column for what it is tested on. */
import { useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { useApp } from "../state/app";
import { Select } from "../ui/select";
import type { TableData } from "./data-table";
import { number } from "./format";
import { GoldChoice } from "./gold-choice";
import { GridFrame, GridValues, gridMarks, gridSize, type GridCell } from "./grid";
import { openCells, type Opening } from "./opening";
import { Part } from "./part";
import { Generalisation, type Matrix, type MatrixCell } from "./part-shapes";
import { LegendItem, Plot } from "./plot";
import { RateChoice, shownRateNames, type ShownRate } from "./rate-choice";
import type { TabContext } from "./tabs";

type Source = "own" | "published";
type MatrixRow = Matrix["rows"][number];

const keys = { mr: "miss_rate", far: "false_alarm_rate", j: "youden_j" } as const;
const signed = (value: number): string => `${value < 0 ? "−" : "+"}${number(Math.abs(value))}`;

function openingOf(row: MatrixRow, cell: MatrixCell, rate: ShownRate, context: TabContext): Opening | undefined {
  const own = context.rows.find(({ id }) => id === row.run_id);
  const at = cell.tested_on.lastIndexOf("/");
  if (!own || at < 0) return undefined;
  return openCells(own, rate === "mr" ? ["fn"] : rate === "far" ? ["fp"] : ["fn", "fp"], fill(plot.errorsTitle, { run: own.name }), { title: cell.tested_on, category: cell.tested_on.slice(0, at), task: cell.tested_on.slice(at + 1) });
}

function nameOf({ trained_on, run_id }: MatrixRow, rows: readonly MatrixRow[]): string {
  const name = trained_on.length === 0 ? plot.untrained : trained_on.join(" + ");
  const hasTwin = rows.filter((other) => other.trained_on.join() === trained_on.join()).length > 1;
  return hasTwin && run_id !== undefined ? `${name} (${run_id})` : name;
}

function tableOf(matrix: Matrix, title: string): TableData {
  return {
    title, first: plot.trainedOn,
    columns: [{ title: plot.testedOn, isText: true, csv: ["tested_on"] }, { title: words.mr, csv: ["miss_rate", "miss_rate_change"] }, { title: words.far, csv: ["false_alarm_rate", "false_alarm_rate_change"] }, { title: words.j, csv: ["youden_j", "youden_j_change"] }, { title: plot.inDistributionColumn, csv: ["in_distribution"] }],
    rows: matrix.rows.flatMap((row) => row.cells.map((cell) => ({
      key: `${row.run_id ?? ""} ${row.trained_on.join()} ${cell.tested_on}`, name: { text: nameOf(row, matrix.rows) },
      cells: [
        { text: cell.tested_on },
        ...(["mr", "far", "j"] as const).map((rate) => {
          const change = cell.change?.[keys[rate]];
          return { text: number(cell[keys[rate]]), second: change === null || change === undefined ? undefined : signed(change), csv: [cell[keys[rate]], change] };
        }),
        { text: cell.in_distribution ? words.yes : "", csv: [cell.in_distribution ? "yes" : "no"] },
      ],
    }))),
  };
}

function Drawn({ matrix, context, controls }: { readonly matrix: Matrix; readonly context: TabContext; readonly controls: preact.ComponentChildren }) {
  const [rate, setRate] = useState<ShownRate>("mr");
  const cellOf = (row: MatrixRow, cell: MatrixCell): GridCell => {
    const change = cell.change?.[keys[rate]];
    const moved = change === null || change === undefined ? undefined : signed(change);
    return {
      value: cell[keys[rate]], second: moved, isMarked: cell.in_distribution, open: cell[keys[rate]] === null ? undefined : openingOf(row, cell, rate, context),
      words: fill(plot.matrixWords, {
        trained: nameOf(row, matrix.rows), tested: cell.tested_on, rate: shownRateNames[rate].toLowerCase(), value: number(cell[keys[rate]]),
        change: moved ? `, ${fill(plot.changeBase, { value: moved })}` : "", own: cell.in_distribution ? `; ${plot.inDistribution}` : "",
      }),
    };
  };
  const grid = { rowNames: matrix.rows.map((row) => nameOf(row, matrix.rows)), columnNames: matrix.tested_on, rowTitle: plot.trainedOn, columnTitle: plot.testedOn, cells: matrix.rows.map((row) => row.cells.map((cell) => cellOf(row, cell))) };
  const title = fill(plot.matrixTitle, { rate: shownRateNames[rate] });
  return (
    <Plot
      name={`matrix-${rate}`} title={title} {...gridSize(grid)} marks={gridMarks(grid)} under={<GridFrame {...grid} />} over={() => <GridValues {...grid} />} table={tableOf(matrix, title)} controls={<><RateChoice rate={rate} onRate={setRate} />{controls}</>}
      legend={<LegendItem picture={<rect class="cell-marked" x="2" y="2" width="14" height="12" />}>{plot.inDistribution}</LegendItem>}
    />
  );
}

/** Cells of slices that a guard was trained on hold what it remembers, unless only the test split is scored. */
function leakageNotes({ reports: { corrected: { cautions = [] } } }: TabContext): string[] {
  return cautions.flatMap(({ code, message }) => (code === "trained-on-scored" ? [message] : []));
}

export function MatrixTab({ context }: { readonly context: TabContext }) {
  const app = useApp();
  const [wanted, setWanted] = useState<Source>("own");
  return (
    <Part part="generalisation" title={plot.matrix} gold={context.gold} shape={Generalisation}>
      {({ generalisation: own, reference: published }, notes) => {
        const source: Source = published && (wanted === "published" || !own) ? "published" : "own";
        const matrix = source === "published" ? published : own;
        const load = <button type="button" class="text-button" onClick={() => app.host.post({ type: "score/reference", forget: published ? true : undefined })}>{published ? plot.forgetPublished : plot.loadPublished}</button>;
        if (!matrix) return <div class="tab-content"><p class="dim">{plot.noMatrix}</p><p>{load}</p></div>;
        const controls = (
          <>
            {own && published ? <Select label={plot.ofWhat} value={source} onValue={(value) => setWanted(value as Source)} options={[{ value: "own", label: plot.matrixOwn }, { value: "published", label: plot.matrixPublished }]} /> : null}
            {source === "own" ? <GoldChoice gold={context.gold} onGold={context.showGold} /> : null}
            {load}
          </>
        );
        return <>{[...notes, ...leakageNotes(context)].map((note) => <p key={note} class="dim">{note}</p>)}<Drawn matrix={matrix} context={context} controls={controls} /></>;
      }}
    </Part>
  );
}
