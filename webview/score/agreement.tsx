/** How far people agree: with each other, with themselves, with settled gold, over time, and with a monitor they did or did not see. */
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import type { TableData } from "./data-table";
import { interval, number } from "./format";
import { IntervalFrame, intervalHeight, intervalMarks, intervalWidth, scaleOf, type IntervalRow } from "./interval-rows";
import type { Opening } from "./opening";
import { Part } from "./part";
import { Agreement, type Interval } from "./part-shapes";
import { Plot } from "./plot";
import type { TabContext } from "./tabs";

interface Measure { readonly key: string; readonly name: string; readonly kind: string; readonly shape: number; readonly value: Pick<Interval, "value" | "low" | "high" | "n">; readonly ruled?: string | undefined; readonly open?: Opening | undefined }

const everyone: Opening = { title: plot.disagreements, disagreement: { between: [] } };
const two = ({ a, b }: { readonly a: string; readonly b: string }): Opening => ({ title: fill(plot.disagreementsOf, { a, b }), disagreement: { between: [a, b] } });

/** The month, or the first after it that has labels, in which each new version of the guidelines began. */
function changedMonths({ over_time, guideline_changes }: Agreement): ReadonlySet<string> {
  return new Set(guideline_changes.slice(1).flatMap(({ at }) => over_time.find(({ month }) => month >= at.slice(0, 7))?.month ?? []));
}

function measuresOf(report: Agreement, nameOfRun: (id: string) => string): Measure[] {
  const { raw, raw_interval: found, n, per_class, alpha, kappa, span_f1, self, known, anchoring, over_time } = report;
  const months = changedMonths(report);
  const measure = (kind: string, shape: number, name: string, value: Measure["value"], more: Pick<Measure, "ruled" | "open"> = {}): Measure => ({ key: `${kind} ${name}`, kind, shape, name, value, ...more });
  return [
    measure("raw", 0, plot.raw, { value: raw, low: found?.low ?? null, high: found?.high ?? null, n }, { open: everyone }),
    ...per_class.map((one) => measure("class", 0, fill(plot.onClass, { label: one.label }), one, { open: everyone })),
    measure("alpha", 1, plot.alpha, alpha, { open: everyone }), ...kappa.map((one) => measure("kappa", 1, fill(plot.kappa, { a: one.a, b: one.b }), one, { open: two(one) })),
    ...span_f1.map((one) => measure("span_f1", 2, fill(plot.spanF1, { a: one.a, b: one.b }), one)),
    ...self.map((one) => measure("self", 3, fill(plot.self, { annotator: one.annotator }), one.raw)), ...known.map((one) => measure("known", 3, fill(plot.known, { annotator: one.annotator }), one)),
    ...anchoring.flatMap(({ run_id, blind, shown, gap }) => {
      const run = nameOfRun(run_id);
      return [measure("with_monitor_blind", 0, fill(plot.blindWith, { run }), blind), measure("with_monitor_shown", 0, fill(plot.shownWith, { run }), shown), ...(gap ? [measure("gap", 2, fill(plot.gap, { run }), { ...gap, n: (blind.n ?? 0) + (shown.n ?? 0) })] : [])];
    }),
    ...over_time.map((one) => measure("month", 0, fill(plot.month, { month: one.month }), one, { ruled: months.has(one.month) ? plot.guidelinesChanged : undefined })),
  ];
}

function tableOf(measures: readonly Measure[]): TableData {
  return {
    title: plot.agreementTitle, first: plot.measure,
    columns: [{ title: plot.value, csv: ["kind", "value"] }, { title: plot.low, csv: ["low"] }, { title: plot.high, csv: ["high"] }, { title: words.n, csv: ["n"] }],
    rows: measures.map(({ key, kind, name, value, ruled, open }) => ({
      key, name: { text: name, second: ruled, csv: [name] },
      cells: [{ text: number(value.value), csv: [kind, value.value], open }, { text: number(value.low), csv: [value.low] }, { text: number(value.high), csv: [value.high] }, { text: String(value.n ?? words.noValue), csv: [value.n] }],
    })),
  };
}

function Drawn({ report, context }: { readonly report: Agreement; readonly context: TabContext }) {
  const measures = measuresOf(report, (id) => context.rows.find((row) => row.id === id)?.name ?? id);
  const rows = measures.map(({ key, name, shape, value, ruled, open }): IntervalRow => ({
    key, name, shape, ruled, open, value: value.value, low: value.low, high: value.high, words: fill(plot.agreementWords, { name, value: `${number(value.value)} ${interval(value)}`.trim(), n: value.n ?? words.noValue }),
  }));
  const scale = scaleOf(rows.flatMap(({ value, low }) => [value, low]));
  const excluded = report.excluded.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return (
    <Plot
      name="agreement" title={plot.agreementTitle} width={intervalWidth} height={intervalHeight(rows.length)} marks={intervalMarks(rows, scale)} under={<IntervalFrame rows={rows} scale={scale} axis={plot.agreementTitle} />} table={tableOf(measures)}
      note={[fill(plot.excludedLine, { list: excluded === "" ? plot.nothing : excluded }), ...(report.notes ?? [])].join(" ")}
    />
  );
}

export function AgreementTab({ context }: { readonly context: TabContext }) {
  return (
    <Part part="agreement" title={plot.agreement} gold="corrected" shape={Agreement}>
      {(report) => (report.annotators.length === 0 ? <p class="dim tab-content">{plot.noAgreement}</p> : <Drawn report={report} context={context} />)}
    </Part>
  );
}
