/** One rate of the chosen run for every category and task at once. */
import { useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { pickRate } from "./compare";
import { countCell, rateCell, rateColumn, type TableData } from "./data-table";
import { number, rateWords } from "./format";
import { GoldChoice } from "./gold-choice";
import { GridFrame, GridValues, gridMarks, gridSize, type GridCell } from "./grid";
import { openCell } from "./opening";
import { partTitle } from "./pairs";
import { Part } from "./part";
import { Slices } from "./part-shapes";
import { Plot } from "./plot";
import { RateChoice, shownRateNames, type ShownRate } from "./rate-choice";
import type { Metrics } from "./report";
import type { TabContext } from "./tabs";

interface Slice { readonly category: string; readonly task: string; readonly metrics: Metrics }


function slicesOf(by: Readonly<Record<string, Metrics>>): Slice[] {
  return Object.entries(by).map(([key, metrics]) => {
    const at = key.lastIndexOf("/");
    return { category: key.slice(0, at), task: key.slice(at + 1), metrics };
  });
}

const valueOf = (metrics: Metrics, rate: ShownRate): number | null => (rate === "j" ? metrics.youden_j ?? null : pickRate(metrics, rate).value);

function Drawn({ slices, context, name }: { readonly slices: readonly Slice[]; readonly context: TabContext; readonly name: string }) {
  const [rate, setRate] = useState<ShownRate>("mr");
  const { gold, run } = context;
  const [categories, tasks] = [[...new Set(slices.map(({ category }) => category))], [...new Set(slices.map(({ task }) => task))]];
  const open = ({ category, task, metrics }: Slice, cell: "tp" | "fn" | "fp" | "tn") => openCell({ id: run.run_id, name }, cell, metrics[cell], { title: `${partTitle(category)}, ${partTitle(task)}`, category, task }, gold);
  const cellOf = (slice: Slice): GridCell => {
    const shown = rate === "j" ? undefined : pickRate(slice.metrics, rate);
    const second = shown ? `${shown.numerator} / ${shown.denominator}` : `n ${slice.metrics.n}`;
    return {
      value: valueOf(slice.metrics, rate), second, open: open(slice, rate === "far" ? "fp" : "fn"),
      words: fill(plot.heatWords, { category: partTitle(slice.category), task: partTitle(slice.task), rate: shownRateNames[rate].toLowerCase(), value: shown ? rateWords(shown) : number(valueOf(slice.metrics, "j")), second }),
    };
  };
  const grid = {
    rowNames: categories.map(partTitle), columnNames: tasks.map(partTitle), rowTitle: words.category, columnTitle: words.task,
    cells: categories.map((category) => tasks.map((task) => {
      const slice = slices.find((one) => one.category === category && one.task === task);
      return slice && cellOf(slice);
    })),
  };
  const title = fill(plot.heatTitle, { rate: shownRateNames[rate], run: name });
  const table: TableData = {
    title, first: words.category,
    columns: [{ title: words.task, csv: ["task"], isText: true }, rateColumn(words.mr, "miss_rate", words.missRate), rateColumn(words.far, "false_alarm_rate", words.falseAlarmRate), { title: words.j, hint: words.youden, csv: ["youden_j"] }, { title: words.n, hint: words.nTitle, csv: ["n"] }, ...(["tp", "fn", "fp", "tn"] as const).map((cell) => ({ title: words.cells[cell][0], hint: words.cells[cell][1], csv: [cell] }))],
    rows: slices.map((slice) => ({
      key: `${slice.category}/${slice.task}`, name: { text: partTitle(slice.category), csv: [slice.category] },
      cells: [
        { text: partTitle(slice.task), csv: [slice.task] }, rateCell(slice.metrics.miss_rate, open(slice, "fn")), rateCell(slice.metrics.false_alarm_rate, open(slice, "fp")),
        { text: number(slice.metrics.youden_j), csv: [slice.metrics.youden_j] }, countCell(slice.metrics.n), ...(["tp", "fn", "fp", "tn"] as const).map((cell) => countCell(slice.metrics[cell], open(slice, cell))),
      ],
    })),
  };
  return (
    <Plot
      name={`heat-map-${rate}`} title={title} {...gridSize(grid)} marks={gridMarks(grid)} under={<GridFrame {...grid} />} over={() => <GridValues {...grid} />} table={table}
      controls={<><RateChoice rate={rate} onRate={setRate} /><GoldChoice gold={gold} onGold={context.showGold} /></>}
    />
  );
}

export function HeatMap({ context }: { readonly context: TabContext }) {
  const { run, rows, gold } = context;
  return (
    <Part part="slices" title={plot.heat} gold={gold} shape={Slices}>
      {({ runs }) => {
        const slices = slicesOf(runs.find(({ run_id }) => run_id === run.run_id)?.by?.["category_task"] ?? {});
        return slices.length === 0 ? <p class="dim tab-content">{plot.noHeat}</p> : <Drawn slices={slices} context={context} name={rows.find(({ id }) => id === run.run_id)?.name ?? run.monitor} />;
      }}
    </Part>
  );
}
