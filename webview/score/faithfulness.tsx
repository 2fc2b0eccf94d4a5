/** Whether the quotes of each run stand in what it read, and what refusing made-up ones would cost. */
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { countCell, rateCell, rateColumn, type TableData } from "./data-table";
import { number } from "./format";
import { GoldChoice } from "./gold-choice";
import type { Opening } from "./opening";
import { rowTitle, type Both } from "./pairs";
import { Part } from "./part";
import { FaithfulRuns, type Faithfulness } from "./part-shapes";
import { LegendItem, Plot } from "./plot";
import { PartBox, PartPatterns, StackedFrame, stackedHeight, stackedMarks, stackedWidth, type StackRow } from "./stacked-rows";
import type { TabContext } from "./tabs";

interface Quoted { readonly row: Both; readonly n: number; readonly found: Faithfulness }

const states = ["exact", "near", "ambiguous", "absent"] as const;
const openingOf = (row: Both, quotes: (typeof states)[number] | "all_absent"): Opening => ({ title: fill(plot.quotesTitle[quotes], { run: row.name }), selection: { runId: row.id, quotes } });
const countOf = (found: Faithfulness, state: (typeof states)[number]): number => Math.round((found.shares[state] ?? 0) * found.quotes);

function stackOf({ row, found }: Quoted): StackRow {
  return {
    key: row.id, name: row.name,
    parts: states.map((state) => {
      const count = countOf(found, state);
      return { key: state, count, open: openingOf(row, state), words: fill(plot.faithfulnessWords, { run: row.name, n: count, total: found.quotes, state: words.evidenceStates[state].toLowerCase(), share: number(found.shares[state]) }) };
    }),
  };
}

function tableOf(quoted: readonly Quoted[]): TableData {
  return {
    title: plot.faithfulnessTitle, first: words.run,
    columns: [
      { title: plot.quotes, csv: ["quotes"] }, ...states.map((state) => ({ title: words.evidenceStates[state], csv: [state] })), { title: plot.allAbsent, csv: ["all_absent"] },
      rateColumn(plot.refusedMr, "miss_rate_refused"), rateColumn(plot.refusedFar, "false_alarm_rate_refused"), { title: plot.overlap, csv: ["span_f1", "span_precision", "span_recall", "span_n"] },
    ],
    rows: quoted.map(({ row, n, found }) => ({
      key: row.id, mark: n, name: { text: row.title, second: row.subtitle, hint: rowTitle(row), csv: [row.id] },
      cells: [
        countCell(found.quotes),
        ...states.map((state) => ({ text: number(found.shares[state]), hint: String(countOf(found, state)), csv: [found.shares[state]], open: countOf(found, state) === 0 ? undefined : openingOf(row, state) })),
        countCell(found.all_absent, openingOf(row, "all_absent")), rateCell(found.refused.miss_rate), rateCell(found.refused.false_alarm_rate),
        { text: number(found.human_spans?.f1), second: found.human_spans ? `n ${found.human_spans.n}` : undefined, csv: [found.human_spans?.f1, found.human_spans?.precision, found.human_spans?.recall, found.human_spans?.n] },
      ],
    })),
  };
}

export function FaithfulnessTab({ context }: { readonly context: TabContext }) {
  return (
    <Part part="faithfulness" title={plot.faithfulness} gold={context.gold} shape={FaithfulRuns}>
      {({ runs }) => {
        const quoted = context.rows.flatMap((row, n): Quoted[] => {
          const found = runs.find(({ run_id }) => run_id === row.id)?.faithfulness;
          return found ? [{ row, n, found }] : [];
        });
        if (quoted.length === 0) return <p class="dim tab-content">{plot.noFaithfulness}</p>;
        const stacks = quoted.map(stackOf);
        return (
          <Plot
            name="evidence" title={plot.faithfulnessTitle} width={stackedWidth} height={stackedHeight(stacks.length)} marks={stackedMarks(stacks, "quotes")} under={<><PartPatterns id="quotes" /><StackedFrame rows={stacks} /></>} table={tableOf(quoted)}
            controls={<GoldChoice gold={context.gold} onGold={context.showGold} />}
            legend={states.map((state, n) => <LegendItem key={state} picture={<PartBox id="quotes" n={n} x={1} y={2} width={16} height={12} />}>{words.evidenceStates[state].toLowerCase()}</LegendItem>)}
          />
        );
      }}
    </Part>
  );
}
