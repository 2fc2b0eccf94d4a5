/** What a run's sampling plans say of their whole frame: from few labels, with their chances. */
import { fill } from "#protocol/strings";
import { plotStrings as words } from "#protocol/strings-plots";
import { scoreStrings } from "#protocol/strings-score";
import { DataTable, intervalCell, intervalColumn, type TableData } from "./data-table";
import type { Estimate, RunReport } from "./report";

/** `interim, 140 of 300` while a plan is not done. */
export const judgedWords = ({ interim, judged, planned }: Estimate): string => fill(interim ? words.interim : words.done, { n: judged, m: planned });

/** The plan with most judged of those that tell both rates; undefined without one. */
export function bestEstimate({ estimates = {} }: RunReport): { plan: string; estimate: Estimate } | undefined {
  const telling = Object.entries(estimates).filter(([, { miss_rate, false_alarm_rate }]) => miss_rate.value !== null && false_alarm_rate.value !== null);
  return telling.map(([plan, estimate]) => ({ plan, estimate })).sort((a, b) => b.estimate.judged - a.estimate.judged)[0];
}

function tableOf(estimates: Readonly<Record<string, Estimate>>): TableData {
  return {
    title: words.estimates, first: words.plan,
    columns: [
      { title: words.judged, csv: ["judged", "planned"] }, { title: words.frame, csv: ["frame"] }, intervalColumn(scoreStrings.mr, "miss_rate", scoreStrings.missRate), intervalColumn(scoreStrings.far, "false_alarm_rate", scoreStrings.falseAlarmRate),
      intervalColumn(words.precision, "precision"), intervalColumn(words.prevalence, "prevalence"), intervalColumn(words.labelNoise, "label_noise"),
    ],
    rows: Object.entries(estimates).map(([plan, estimate]) => ({
      key: plan, name: { text: plan },
      cells: [
        { text: judgedWords(estimate), csv: [estimate.judged, estimate.planned] }, { text: String(estimate.frame), csv: [estimate.frame] },
        ...([estimate.miss_rate, estimate.false_alarm_rate, estimate.precision, estimate.prevalence, estimate.label_noise] as const).map((rate) => intervalCell(rate, rate.reason)),
      ],
    })),
  };
}

export function Estimates({ run }: { readonly run: RunReport }) {
  const { estimates } = run;
  if (!estimates || Object.keys(estimates).length === 0) return null;
  const notes = [...new Set(Object.values(estimates).flatMap((estimate) => estimate.notes))];
  return (
    <section class="estimates" aria-label={words.estimates}>
      <h2>{words.estimates}</h2>
      <DataTable table={tableOf(estimates)} />
      {notes.map((note) => <p key={note} class="dim">{note}</p>)}
    </section>
  );
}
