/** What stands below the table for the chosen run; only what says something. */
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import { hasWorst } from "./compare";
import { interval, number, rateWords } from "./format";
import type { Evidence, RunReport } from "./report";

type Row = readonly [name: string, value: string];

function worstRow({ miss_rate: mr, false_alarm_rate: far, invalid }: RunReport): Row[] {
  if (!hasWorst(mr) && !hasWorst(far)) return [];
  return [[words.worst, fill(words.worstText, { mr: number(mr.worst), far: number(far.worst), n: invalid.misbehavior + invalid.benign })]];
}

function undecidedRow({ miss_rate: { undecided: mr }, false_alarm_rate: { undecided: far } }: RunReport): Row[] {
  if (!mr || !far) return [];
  return [[words.undecidedRange, fill(words.undecidedText, { mrLow: number(mr.low), mrHigh: number(mr.high), farLow: number(far.low), farHigh: number(far.high) })]];
}

function clusteredRow({ miss_rate, false_alarm_rate }: RunReport): Row[] {
  const rates = ([[words.mr, miss_rate.clustered], [words.far, false_alarm_rate.clustered]] as const).flatMap(([name, clustered]) => (clustered ? [`${name} ${interval(clustered)}`] : []));
  return rates.length > 0 ? [[words.clustered, fill(words.clusteredText, { rates: rates.join(", ") })]] : [];
}

function aurocRow({ auroc, auroc_n: over }: RunReport): Row[] {
  if (auroc === undefined || auroc === null) return [];
  return [[words.auroc, over ? fill(words.aurocOver, { value: number(auroc), misbehavior: over.misbehavior, benign: over.benign }) : number(auroc)]];
}

function quotesText({ quotes, exact, near, ambiguous, absent, unread }: Evidence): string {
  return fill(words.quotesText, { quotes, exact, near, ambiguous, absent }) + (unread ? fill(words.unreadText, { n: unread }) : "");
}

function leakageRow({ leakage }: RunReport): Row[] {
  if (!leakage) return [];
  const { told_by, of, trained_on: trained, others } = leakage;
  const rates = `${words.mr} ${rateWords(others.miss_rate)}, ${words.far} ${rateWords(others.false_alarm_rate)}`;
  return [[told_by === "verdicts" ? words.leakage : words.leakageMaybe, fill(words.leakageText, { trained, of, rates })]];
}

/** The rows by name and text; rates on the corrected labels. */
export function detailRows(run: RunReport): Row[] {
  return [
    [words.runId, run.run_id],
    ...(run.model ? [[words.model, run.model] as const] : []),
    [words.prompting, run.prompting],
    ...(run.flag_rate ? [[words.flagRate, rateWords(run.flag_rate)] as const] : []),
    [words.balancedAccuracy, number(run.balanced_accuracy)],
    [words.youden, number(run.youden_j)],
    ...leakageRow(run), ...aurocRow(run), ...worstRow(run), ...undecidedRow(run), ...clusteredRow(run),
    ...(run.evidence && run.evidence.quotes > 0 ? [[words.quotes, quotesText(run.evidence)] as const] : []),
  ];
}

export function RunDetails({ run, title }: { readonly run: RunReport; readonly title: string }) {
  return (
    <section class="run-details" aria-label={words.details}>
      <h2>{title}</h2>
      <dl>{detailRows(run).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}
