/** The tabs of the score view, in their order, and what each shows. */
import type { ComponentChildren } from "preact";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import type { ScoreGold } from "#protocol/scores";
import { AgreementTab } from "./agreement";
import { CompareTab } from "./compare-tab";
import { CurvesTab } from "./curves";
import { FaithfulnessTab } from "./faithfulness";
import { Forest, runRows, type ForestRow } from "./forest";
import { GoldChoice } from "./gold-choice";
import { GoldChangesTab } from "./gold-changes";
import { HeatMap } from "./heat-map";
import { MatrixTab } from "./matrix";
import { Notes } from "./notes";
import { openCell } from "./opening";
import { bothParts, type Both } from "./pairs";
import { PairsTab } from "./pairs-tab";
import { PromptingTab } from "./prompting";
import type { TabId } from "./remember";
import type { Reports, RunReport } from "./report";
import { RepeatsTab } from "./repeats";
import { RunsTab } from "./runs-tab";
import { TradeOff } from "./trade-off";

export interface TabContext {
  readonly reports: Reports;
  /** The chosen run on either gold. */
  readonly run: RunReport;
  readonly before: RunReport | undefined;
  readonly rows: readonly Both[];
  readonly gold: ScoreGold;
  readonly notes: readonly string[];
  /** The run that the chosen one is compared with. */
  readonly against: string | undefined;
  readonly select: (runId: string) => void;
  readonly compareWith: (runId: string) => void;
  readonly showGold: (gold: ScoreGold) => void;
}

const titles: Readonly<Record<Exclude<TabId, "notes">, string>> = {
  runs: words.runs, forest: plot.forest, tradeoff: words.tradeOff, category: words.byCategory, task: words.byTask, heat: plot.heat, curves: plot.curves, matrix: plot.matrix,
  prompting: plot.prompting, faithfulness: plot.faithfulness, pairs: plot.pairs, changes: plot.changes, agreement: plot.agreement, compare: plot.compare, repeats: plot.repeats,
};

export function tabTitles(notes: number): { id: TabId; title: string }[] {
  return [...Object.entries(titles).map(([id, title]) => ({ id: id as TabId, title })), { id: "notes", title: notes > 0 ? fill(words.notesCount, { n: notes }) : words.notes }];
}

/** Parts of the chosen run as rows of a forest plot. */
function partRows({ before, run, rows, gold }: TabContext, key: "category" | "task"): ForestRow[] {
  const named = { id: run.run_id, name: rows.find(({ id }) => id === run.run_id)?.name ?? run.monitor };
  return bothParts(before, run, key).map((row) => ({
    ...row,
    open: (cell, count) => openCell(named, cell, count, { title: row.title, [key]: row.id }, gold),
  }));
}

function PartsTab({ context, by, first }: { readonly context: TabContext; readonly by: "category" | "task"; readonly first: string }) {
  const rows = partRows(context, by);
  if (rows.length === 0) return <p class="dim tab-content">{words.noParts}</p>;
  return <Forest name={`by-${by}`} first={first} rows={rows} gold={context.gold} controls={<GoldChoice gold={context.gold} onGold={context.showGold} />} />;
}

/** What keeps the marks of the trade-off from being set beside each other. */
function cautionsOf({ reports: { corrected: { cautions = [] } } }: TabContext): string[] {
  return cautions.map(({ message }) => message);
}

export function tabOf(tab: TabId, context: TabContext): ComponentChildren {
  const { reports, run, rows, gold, select, showGold } = context;
  switch (tab) {
    case "forest": return <Forest name="forest" first={words.run} rows={runRows(rows, gold)} gold={gold} selected={run.run_id} onSelect={select} controls={<GoldChoice gold={gold} onGold={showGold} />} />;
    case "tradeoff": return <TradeOff rows={rows} pareto={reports.corrected.pareto ?? []} correlation={reports.corrected.correlation ?? null} selected={run.run_id} onSelect={select} cautions={cautionsOf(context)} />;
    case "category": return <PartsTab context={context} by="category" first={words.category} />;
    case "task": return <PartsTab context={context} by="task" first={words.task} />;
    case "heat": return <HeatMap context={context} />;
    case "curves": return <CurvesTab context={context} />;
    case "matrix": return <MatrixTab context={context} />;
    case "prompting": return <PromptingTab context={context} />;
    case "faithfulness": return <FaithfulnessTab context={context} />;
    case "pairs": return <PairsTab context={context} />;
    case "changes": return <GoldChangesTab context={context} />;
    case "agreement": return <AgreementTab context={context} />;
    case "compare": return <CompareTab context={context} />;
    case "repeats": return <RepeatsTab context={context} />;
    case "notes": return <Notes notes={context.notes} reports={reports} />;
    default: return <RunsTab context={context} />;
  }
}
