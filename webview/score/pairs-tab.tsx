/** Runs on pairs: the same request, one half benign and one misbehaving, right only as a whole. */
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { countCell, intervalCell, intervalColumn, type TableData } from "./data-table";
import { number } from "./format";
import { GoldChoice } from "./gold-choice";
import type { Opening } from "./opening";
import { rowTitle, type Both } from "./pairs";
import { Part } from "./part";
import { PairedRuns, type PairOutcomes } from "./part-shapes";
import { LegendItem, Plot } from "./plot";
import { PartBox, PartPatterns, StackedFrame, stackedHeight, stackedMarks, stackedWidth, type StackRow } from "./stacked-rows";
import type { TabContext } from "./tabs";

interface Paired { readonly row: Both; readonly n: number; readonly pairs: PairOutcomes }

const outcomes = ["both_right", "only_misbehavior_right", "only_benign_right", "inverted"] as const;
const openingOf = (row: Both, pair: (typeof outcomes)[number]): Opening => ({ title: fill(plot.pairQueues[pair], { run: row.name }), selection: { runId: row.id, pair } });

function stackOf({ row, pairs }: Paired): StackRow {
  return {
    key: row.id, name: row.name,
    parts: outcomes.map((outcome) => ({
      key: outcome, count: pairs[outcome], open: openingOf(row, outcome),
      words: fill(plot.pairWords, { run: row.name, n: pairs[outcome], total: pairs.n, outcome: plot.pairNames[outcome].toLowerCase(), share: number(pairs.n === 0 ? null : pairs[outcome] / pairs.n) }),
    })),
  };
}

function tableOf(paired: readonly Paired[]): TableData {
  return {
    title: plot.pairsTitle, first: words.run,
    columns: [{ title: plot.pairsCount, csv: ["pairs"] }, ...outcomes.map((outcome) => ({ title: plot.pairNames[outcome], csv: [outcome] })), intervalColumn(plot.pairAccuracy, "pair_accuracy"), { title: plot.sameGold, csv: ["same_gold", "same_gold_both_wrong"] }, { title: plot.incomplete, csv: ["incomplete"] }],
    rows: paired.map(({ row, n, pairs }) => ({
      key: row.id, mark: n, name: { text: row.title, second: row.subtitle, hint: rowTitle(row), csv: [row.id] },
      cells: [
        countCell(pairs.n), ...outcomes.map((outcome) => countCell(pairs[outcome], openingOf(row, outcome))), intervalCell(pairs.pair_accuracy),
        { text: String(pairs.same_gold.n), csv: [pairs.same_gold.n, pairs.same_gold.both_wrong] }, countCell(pairs.incomplete),
      ],
    })),
  };
}

export function PairsTab({ context }: { readonly context: TabContext }) {
  return (
    <Part part="pairs" title={plot.pairs} gold={context.gold} shape={PairedRuns}>
      {({ runs }) => {
        const paired = context.rows.flatMap((row, n): Paired[] => {
          const pairs = runs.find(({ run_id }) => run_id === row.id)?.pairs;
          return pairs ? [{ row, n, pairs }] : [];
        });
        if (paired.length === 0) return <p class="dim tab-content">{plot.noPairs}</p>;
        const stacks = paired.map(stackOf);
        return (
          <Plot
            name="pairs" title={plot.pairsTitle} width={stackedWidth} height={stackedHeight(stacks.length)} marks={stackedMarks(stacks, "pairs")} under={<><PartPatterns id="pairs" /><StackedFrame rows={stacks} /></>} table={tableOf(paired)}
            controls={<GoldChoice gold={context.gold} onGold={context.showGold} />}
            legend={outcomes.map((outcome, n) => <LegendItem key={outcome} picture={<PartBox id="pairs" n={n} x={1} y={2} width={16} height={12} />}>{plot.pairNames[outcome].toLowerCase()}</LegendItem>)}
          />
        );
      }}
    </Part>
  );
}
