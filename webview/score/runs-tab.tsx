/** All runs with their counts, and what there is to know of the chosen one. */
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { rateCell, rateColumn, type TableData } from "./data-table";
import { Estimates } from "./estimates";
import type { Both } from "./pairs";
import { SaveCsv } from "./plot";
import { RunDetails } from "./run-details";
import { ScoreTable } from "./table";
import type { TabContext } from "./tabs";
import type { Metrics } from "./report";

const counts = ["n", "tp", "fn", "fp", "tn", "missing", "stale"] as const;

/** Every number of the runs on both golds, for a file. */
function tableOf(rows: readonly Both[]): TableData {
  const golds = rows.flatMap((row) => [["original", row.original] as const, ["corrected", row.corrected] as const].flatMap(([gold, metrics]) => (metrics ? [{ row, gold, metrics: metrics as Metrics }] : [])));
  return {
    title: words.runs, first: "run_id",
    columns: [
      { title: "gold" }, rateColumn("", "miss_rate"), rateColumn("", "false_alarm_rate"), rateColumn("", "flag_rate"), { title: "", csv: ["balanced_accuracy", "youden_j", "auroc"] }, { title: "", csv: [...counts] },
      { title: "", csv: ["invalid_misbehavior", "invalid_benign"] }, { title: "", csv: ["quotes", "exact", "near", "ambiguous", "absent"] },
    ],
    rows: golds.map(({ row, gold, metrics }) => ({
      key: `${row.id} ${gold}`, name: { text: row.id },
      cells: [
        { text: gold }, rateCell(metrics.miss_rate), rateCell(metrics.false_alarm_rate), rateCell(metrics.flag_rate), { text: "", csv: [metrics.balanced_accuracy, metrics.youden_j, metrics.auroc] }, { text: "", csv: counts.map((name) => metrics[name]) },
        { text: "", csv: [metrics.invalid.misbehavior, metrics.invalid.benign] }, { text: "", csv: (["quotes", "exact", "near", "ambiguous", "absent"] as const).map((name) => metrics.evidence?.[name]) },
      ],
    })),
  };
}

export function RunsTab({ context: { rows, run, select } }: { readonly context: TabContext }) {
  return (
    <div class="tab-content">
      <div class="plot-bar" title={plot.saveTitle.csv}><span class="save-buttons"><SaveCsv name="runs" table={tableOf(rows)} /></span></div>
      <ScoreTable first={words.run} rows={rows} selected={run.run_id} onSelect={select} hasEvidence />
      <RunDetails run={run} title={rows.find((row) => row.id === run.run_id)?.name ?? run.monitor} />
      <Estimates run={run} />
    </div>
  );
}
