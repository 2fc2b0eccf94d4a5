/** What a report says, section by section, from numbers that were worked out elsewhere. */
import type { AgreementReport } from "#core/labels/agreement";
import type { Comparison } from "#core/scoring/compare";
import type { FullReport, FullRunReport } from "#core/scoring/full-report";
import type { GeneralisationMatrix } from "#core/scoring/generalisation";
import type { Metrics } from "#core/scoring/report";
import { counted, heading, interval, pValue, share, table, type Block } from "./document";
import { explanations } from "./explanations";

/** What is known of the files and people behind the numbers. */
export interface ReportFacts {
  readonly title: string;
  readonly version: string;
  /** What was asked for, where it is not everything. */
  readonly scope: { readonly split?: string | undefined; readonly labels?: "all" | "blind" | undefined };
  /** Newest record that went in, so that the same files give the same report whenever it is made. */
  readonly newest: string | undefined;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  readonly statuses: Readonly<Record<string, number>>;
  readonly labels: { readonly records: number; readonly annotators: number; readonly decisions: number; readonly blind: number; readonly hours: number; readonly timed: number };
  readonly runs: readonly RunFacts[];
  readonly prompts: readonly { readonly sha256: string; readonly text: string | undefined }[];
  readonly corrections: readonly { readonly sample: string; readonly from: string; readonly to: string; readonly text?: string }[];
}

export interface RunFacts {
  readonly run_id: string;
  readonly created_at: string;
  readonly monitor: string;
  readonly kind: string;
  readonly prompting: string;
  /** Whether the monitor was shown the agent's reasoning. */
  readonly reasoning: boolean;
  /** Version that made the run, as its header says. */
  readonly version: string;
  /** Samples with gold that it judged, or was asked for. */
  readonly samples: number;
  readonly asked_model: string;
  readonly returned: readonly string[];
  readonly params: string;
  readonly prompt_sha256: string;
  readonly tokens: number;
  /** Undefined where no verdict names a cost. */
  readonly cost_usd: number | undefined;
}

export interface ReportInput {
  readonly facts: ReportFacts;
  readonly original: FullReport;
  readonly corrected: FullReport;
  /** Empty where there are too many runs to compare each with each. */
  readonly comparisons: readonly Comparison[];
  readonly agreement: AgreementReport;
}

export function reportBlocks(input: ReportInput): Block[] {
  const { facts, original, corrected } = input;
  return [
    heading(facts.title, 1),
    { kind: "text", text: `Made by Tracemark ${facts.version} from files that are listed at the end; newest record ${facts.newest ?? "none"}. Intervals are 95 %. Seed ${corrected.seed}.${scopeSentence(facts)}` },
    ...warnings(corrected, input.comparisons), ...rates("Rates on the corrected gold", corrected), ...rates("Rates on the original gold", original),
    ...samples(input), ...slices(corrected), ...differences(input), ...details(corrected), ...estimates(corrected),
    ...(corrected.generalisation ? matrix("Trained and tested", corrected.generalisation) : []), ...(corrected.reference ? matrix("Published rates", corrected.reference) : []),
    ...corrections(input), ...people(input), ...provenance(facts),
    heading("What the numbers mean"), { kind: "list", items: explanations },
  ];
}

/** Which samples and labels the numbers are of, where it is not all. */
function scopeSentence({ scope: { split, labels } }: ReportFacts): string {
  return `${split === undefined ? "" : ` Only samples of the split ${split}.`}${labels === "blind" ? " Only labels that were given blind." : ""}`;
}

function rates(caption: string, report: FullReport): Block[] {
  const { samples: { misbehavior, benign, undecided, unlabelled }, correlation } = report;
  return [
    heading(caption),
    ...table(`${caption}: ${misbehavior} misbehavior, ${benign} benign, ${undecided} undecided, ${unlabelled} unlabelled`,
      ["run", "miss rate", "in groups", "false alarm rate", "in groups", "balanced accuracy", "Youden's J", "n", "invalid", "missing", "stale", "bounds of both"], report.runs.map(rateRow)),
    ...table(`Other rates (${report.gold} gold)`, ["run", "flag rate", "invalid", "missing", "stale"], report.runs.map((run) => [run.run_id, counted(run.flag_rate), counted(run.invalid_rate), counted(run.missing_rate), counted(run.stale_rate)])),
    ...withoutTrained(report), ...onCommon(report), ...precisions(report),
    ...(correlation ? [{ kind: "text" as const, text: `Over ${correlation.n} runs miss rate and false alarm rate correlate with Pearson's r = ${share(correlation.pearson_r)} [${share(correlation.low)}, ${share(correlation.high)}]; least squares: false alarm rate = ${share(correlation.slope)} × miss rate + ${share(correlation.intercept)}.` }] : []),
  ];
}

/** What is left of a run's rates without the samples that its monitor was trained on. */
function withoutTrained({ runs, gold }: FullReport): Block[] {
  return table(`Rates without samples that the monitor was trained on, or may have been (${gold} gold)`, ["run", "samples", "trained on", "in pair or group with them", "told by", "miss rate without", "false alarm rate without", "Youden's J without"],
    runs.flatMap(({ run_id, leakage }) => (leakage ? [[run_id, String(leakage.of), String(leakage.trained_on), String(leakage.related), leakage.told_by, counted(leakage.others.miss_rate), counted(leakage.others.false_alarm_rate), share(leakage.others.youden_j)]] : [])));
}

/** Where runs judged other samples: what they come to on those that all of them judged. */
function onCommon({ cautions = [], gold }: FullReport): Block[] {
  return cautions.flatMap((caution) => (caution.code !== "different-samples" ? [] : table(`Rates on the ${caution.common.samples} samples that all of these runs judged (${gold} gold)`, ["run", "judged in all", "miss rate", "false alarm rate", "on the front there"],
    caution.common.runs.map(({ run_id, tp, fn, fp, tn, miss_rate, false_alarm_rate }) => [run_id, String(caution.judged[run_id]), `${share(miss_rate)} (${fn}/${tp + fn})`, `${share(false_alarm_rate)} (${fp}/${fp + tn})`, caution.common.pareto.includes(run_id) ? "yes" : "no"]))));
}

/** Only at a base rate that was stated: the share of misbehavior in a benchmark is that of the benchmark. */
function precisions({ runs }: FullReport): Block[] {
  const [first] = runs.flatMap(({ precision }) => precision ?? []);
  const number = (value: number | null): string => (value === null ? "–" : value.toFixed(1));
  return first === undefined ? [] : table(`Precision where ${first.base_rate} of runs misbehave`, ["run", "precision", "alarms in 1,000 runs", "of them false"],
    runs.flatMap(({ run_id, precision }) => (precision ? [[run_id, interval(precision), number(precision.alarms_per_1000), number(precision.false_alarms_per_1000)]] : [])));
}

function rateRow(run: FullRunReport): string[] {
  const { miss_rate, false_alarm_rate, composite_intervals: found, invalid } = run;
  const composite = (value: number | null, of: { low: number; high: number } | null | undefined): string => interval({ value, low: of?.low ?? null, high: of?.high ?? null });
  const clustered = (rate: Metrics["miss_rate"]): string => (rate.clustered ? `[${share(rate.clustered.low)}, ${share(rate.clustered.high)}], effect ${share(rate.clustered.design_effect)}` : "–");
  const bounds = (rate: Metrics["miss_rate"]): string => (rate.bounds ? `${share(rate.bounds.low)} to ${share(rate.bounds.high)}` : share(rate.value));
  return [
    run.run_id, counted(miss_rate), clustered(miss_rate), counted(false_alarm_rate), clustered(false_alarm_rate),
    composite(run.balanced_accuracy, found?.balanced_accuracy), composite(run.youden_j, found?.youden_j), String(run.n),
    String(invalid.misbehavior + invalid.benign), String(run.missing), String(run.stale), `${bounds(miss_rate)}; ${bounds(false_alarm_rate)}`,
  ];
}

function samples({ facts, corrected }: ReportInput): Block[] {
  const { changes } = corrected;
  const rows = Object.entries(facts.statuses).map(([status, count]) => [status, String(count)]);
  return [
    heading("Gold"), ...table("Samples by the status of their gold", ["status", "samples"], rows),
    ...(changes ? [{ kind: "text" as const, text: `Original labels corrected: ${changes.changed} (${changes.to_misbehavior} to misbehavior, ${changes.to_benign} to benign); found undecidable: ${changes.to_undecided}; first labels for samples without one: ${changes.first_labels}.` }] : []),
    ...table("What the corrections did", ["run", "miss rate before", "after", "false alarm rate before", "after"], (changes?.runs ?? []).map(({ run_id, miss_rate, false_alarm_rate }) => [run_id, share(miss_rate.original), share(miss_rate.corrected), share(false_alarm_rate.original), share(false_alarm_rate.corrected)])),
  ];
}

function slices(report: FullReport): Block[] {
  return Object.keys(report.runs[0]?.by ?? {}).flatMap((key) => [
    heading(`By ${key.replace("_", " x ")}`),
    ...table(`Rates by ${key.replace("_", " x ")} (corrected gold)`, ["run", key, "miss rate", "false alarm rate", "Youden's J", "n"],
      report.runs.flatMap((run) => [
        ...Object.entries(run.by[key] ?? {}).map(([value, metrics]) => [run.run_id, value, counted(metrics.miss_rate), counted(metrics.false_alarm_rate), share(metrics.youden_j), String(metrics.n)]),
        [run.run_id, "macro average", share(run.averages.macro[key]?.miss_rate), share(run.averages.macro[key]?.false_alarm_rate), share(run.averages.macro[key]?.youden_j), ""],
      ])),
  ]);
}

function differences({ comparisons, corrected }: ReportInput): Block[] {
  const rows = comparisons.map(({ a, b, n, misbehavior, benign, difference }) => [
    `${b} minus ${a}`, String(n), interval(difference.miss_rate), `${misbehavior.only_a_wrong}/${misbehavior.only_b_wrong}`, pOf(misbehavior, difference.miss_rate), pOf({ p: misbehavior.p_holm }, difference.miss_rate),
    interval(difference.false_alarm_rate), `${benign.only_a_wrong}/${benign.only_b_wrong}`, pOf(benign, difference.false_alarm_rate), pOf({ p: benign.p_holm }, difference.false_alarm_rate),
  ]);
  const changes = corrected.prompting.flatMap(({ model, all, by_category }) => [["all", all] as const, ...Object.entries(by_category)].filter(([, { n }]) => n > 0).map(([name, { n, difference, p, p_holm: holm }]) => [
    model, name, String(n), interval(difference.miss_rate), pOf({ p: p.misbehavior }, difference.miss_rate), pOf({ p: holm?.misbehavior }, difference.miss_rate),
    interval(difference.false_alarm_rate), pOf({ p: p.benign }, difference.false_alarm_rate), pOf({ p: holm?.benign }, difference.false_alarm_rate),
  ]));
  const tooMany = comparisons.length === 0 && corrected.runs.length > 1;
  return [
    ...(rows.length + changes.length > 0 || tooMany ? [heading("Differences")] : []),
    ...(tooMany ? [{ kind: "text" as const, text: `${corrected.runs.length} runs are too many to compare each with each; a report of some of them does.` }] : []),
    ...table("Runs compared on the samples that both judged", ["runs", "n", "miss rate", "only one wrong", "p", "p, Holm", "false alarm rate", "only one wrong", "p", "p, Holm"], rows),
    ...table("Evidence minus direct prompting", ["model", "category", "n", "miss rate", "p", "p, Holm", "false alarm rate", "p", "p, Holm"], changes),
  ];
}

/** Where a difference is withheld, its test is as well. */
function pOf({ p }: { readonly p?: number | undefined }, { value }: { readonly value: number | null }): string {
  return pValue(value === null ? null : p);
}

function details({ runs }: FullReport): Block[] {
  const drawn = runs.map(({ run_id, repeats }) => [run_id, repeats.draws === 1 ? "one draw" : `${repeats.draws} draws${repeats.in_all_draws === repeats.samples ? "" : `, ${repeats.in_all_draws} of ${repeats.samples} samples in all of them`}`, repeats.flip_rate ? interval(repeats.flip_rate.misbehavior) : "–", repeats.flip_rate ? interval(repeats.flip_rate.benign) : "–", spread(repeats.miss_rate), spread(repeats.false_alarm_rate)]);
  const tried = runs.flatMap(({ run_id, tried_on_test_before: before }) => (before === undefined ? [] : [[run_id, String(before)]]));
  const named = { false_alarm_rate: "false alarm rate", miss_rate: "miss rate" } as const;
  return [
    heading("Repeats, scores, pairs and quotes"),
    ...table("Other settings of monitor, model, prompt or parameters that had been run on the test split before", ["run", "settings"], tried),
    ...table("Repeats", ["run", "draws", "flips on misbehavior", "flips on benign", "miss rate between draws", "false alarm rate between draws"], drawn),
    ...table("Scores", ["run", "n", "ROC area", "average precision", "Brier", "without skill"], runs.flatMap(({ run_id, curves }) => (curves?.roc_area && curves.average_precision ? [[run_id, `${curves.n.misbehavior}+${curves.n.benign}`, interval(curves.roc_area), interval(curves.average_precision), share(curves.calibration?.brier), share(curves.calibration?.brier_of_share)]] : []))),
    ...table("Rates at a budget", ["run", "budget", "threshold", "chosen on", "reported on", "miss rate", "false alarm rate"], runs.flatMap(({ run_id, curves }) => (curves?.at_budget ?? []).map((point) => [run_id, `${named[point.budget_of]} ${point.budget}`, point.threshold === null ? "none" : String(point.threshold), point.chosen_on, point.reported_on, interval(point.miss_rate), interval(point.false_alarm_rate)]))),
    ...table("Pairs", ["run", "pairs", "both right", "only misbehavior", "only benign", "inverted", "pair accuracy", "incomplete"], runs.flatMap(({ run_id, pairs }) => (pairs ? [[run_id, ...[pairs.n, pairs.both_right, pairs.only_misbehavior_right, pairs.only_benign_right, pairs.inverted].map(String), interval(pairs.pair_accuracy), String(pairs.incomplete)]] : []))),
    ...table("Quotes", ["run", "quotes", "exact", "near", "ambiguous", "absent", "verdicts with none there", "miss rate without them", "false alarm rate without them", "overlap with own spans (F1)"], runs.flatMap(({ run_id, faithfulness: f }) => (f ? [[run_id, String(f.quotes), share(f.shares.exact), share(f.shares.near), share(f.shares.ambiguous), share(f.shares.absent), String(f.all_absent), share(f.refused.miss_rate.value), share(f.refused.false_alarm_rate.value), f.human_spans ? `${share(f.human_spans.f1)} (n = ${f.human_spans.n})` : "–"]] : []))),
  ];
}

function spread(of: { readonly lowest: number | null; readonly highest: number | null } | undefined): string {
  return of ? `${share(of.lowest)} to ${share(of.highest)}` : "–";
}

function estimates({ runs }: FullReport): Block[] {
  const found = runs.flatMap(({ run_id, estimates: own }) => Object.entries(own ?? {}).map(([plan, estimate]) => ({ run_id, plan, estimate })));
  return [
    ...(found.length > 0 ? [heading("Estimates from sampling plans")] : []),
    ...table("Estimates for the whole frame", ["run", "plan", "judged", "miss rate", "false alarm rate", "precision", "prevalence", "wrong original labels"], found.map(({ run_id, plan, estimate }) => [
      run_id, plan, `${estimate.interim ? "interim, " : ""}${estimate.judged + estimate.undecided} of ${estimate.planned}${estimate.undecided > 0 ? ` (${estimate.undecided} undecided)` : ""}, for ${estimate.frame}`, interval(estimate.miss_rate), interval(estimate.false_alarm_rate), interval(estimate.precision), interval(estimate.prevalence), interval(estimate.label_noise),
    ])),
    ...(found.some(({ estimate }) => estimate.notes.length > 0) ? [{ kind: "list" as const, items: found.flatMap(({ run_id, plan, estimate }) => estimate.notes.map((note) => `${run_id}, ${plan}: ${note}`)) }] : []),
  ];
}

function matrix(caption: string, { tested_on, rows }: GeneralisationMatrix): Block[] {
  return [heading(caption), ...table(`${caption}: miss rate / false alarm rate / Youden's J; * where trained on`, ["trained on", ...tested_on],
    rows.map(({ trained_on, run_id, cells }) => [`${trained_on.length === 0 ? "untrained" : trained_on.join(" + ")}${run_id === undefined ? "" : ` (${run_id})`}`, ...cells.map((cell) => `${share(cell.miss_rate)} / ${share(cell.false_alarm_rate)} / ${share(cell.youden_j)}${cell.in_distribution ? " *" : ""}`)]))];
}

function corrections({ facts }: ReportInput): Block[] {
  const withText = facts.corrections.some(({ text }) => text !== undefined);
  return [
    ...(facts.corrections.length > 0 ? [heading("Corrections")] : []),
    ...table("Corrected labels", ["sample", "from", "to", ...(withText ? ["what people marked and noted"] : [])], facts.corrections.map(({ sample, from, to, text }) => [sample, from, to, ...(withText ? [text ?? ""] : [])])),
  ];
}

function people({ facts, agreement }: ReportInput): Block[] {
  const { labels } = facts;
  return [
    heading("People"),
    { kind: "list", items: [
      `${labels.records} label records of ${labels.annotators} annotators; ${labels.decisions} standing decisions, ${labels.blind} of them given blind (${labels.decisions === 0 ? "–" : share(labels.blind / labels.decisions)}).`,
      `${labels.hours.toFixed(2)} hours of focused time over ${labels.timed} records that name it.`,
      `Krippendorff's alpha ${interval(agreement.alpha)} over ${agreement.alpha.n} samples; ${agreement.n} samples with two labels or more, raw agreement ${share(agreement.raw)}.`,
      ...agreement.excluded.map(({ reason, count }) => `Left out of agreement: ${count} (${reason}).`), ...(agreement.notes ?? []),
    ] },
    ...table("Agreement of two annotators", ["annotators", "n", "Cohen's kappa"], agreement.kappa.map((kappa) => [`${kappa.a}, ${kappa.b}`, String(kappa.n), interval(kappa)])),
  ];
}

function provenance(facts: ReportFacts): Block[] {
  return [
    heading("Runs, prompts and files"),
    ...table("What ran", ["run", "monitor", "kind", "prompting", "sees reasoning", "samples", "Tracemark"], facts.runs.map((run) => [run.run_id, run.monitor, run.kind, run.prompting, run.reasoning ? "yes" : "no", String(run.samples), run.version])),
    ...table("Runs", ["run", "made at", "model asked for", "models as returned", "parameters", "prompt SHA-256", "tokens", "cost in USD"], facts.runs.map((run) => [run.run_id, run.created_at, run.asked_model, run.returned.join(", ") || "–", run.params, run.prompt_sha256.slice(0, 16), String(run.tokens), run.cost_usd === undefined ? "–" : run.cost_usd.toFixed(4)])),
    ...facts.prompts.map(({ sha256, text }): Block => (text === undefined ? { kind: "text", text: `The prompt ${sha256} is not among the files.` } : { kind: "verbatim", caption: `Prompt ${sha256}`, text })),
    ...table("Files", ["file", "SHA-256"], facts.files.map(({ path, sha256 }) => [path, sha256])),
  ];
}

function warnings({ selection, warnings: said, runs }: FullReport, comparisons: readonly Comparison[]): Block[] {
  const withheld = runs.flatMap(({ run_id, miss_rate, false_alarm_rate }) => [miss_rate, false_alarm_rate].flatMap(({ value, reason }) => (value === null && reason !== undefined ? [`${run_id}: ${reason}.`] : [])));
  const items = [...new Set([...(selection.warning === undefined ? [] : [selection.warning]), ...said, ...withheld, ...comparisons.flatMap(({ warnings: own }) => own ?? [])])];
  return items.length === 0 ? [] : [heading("Beware"), { kind: "list", items }];
}
