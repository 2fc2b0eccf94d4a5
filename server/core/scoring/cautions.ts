/** What keeps the numbers of a report from meaning what they seem to, with a code for programs, a sentence for people, and the numbers to go by instead. */
import { correlate, type Correlation } from "./correlation";
import type { Leakage } from "./leakage";
import { paretoFront, type OperatingPoint } from "./pareto";
import type { RunReport } from "./report";
import { isWithheld, ratio } from "./rate";
import type { Entries } from "./run-entries";
import { countCells } from "./tally";

export interface CommonRates extends OperatingPoint {
  readonly run_id: string;
  readonly tp: number;
  readonly fn: number;
  readonly fp: number;
  readonly tn: number;
}

export type Caution =
  /** The monitor of a run was trained on samples that the run is scored on; the numbers over the others are its `leakage`. */
  | { readonly code: "trained-on-scored"; readonly message: string; readonly run_id: string }
  /** The runs that are set beside each other did not judge the same samples; `common` is what they come to on those that all of them judged. */
  | {
    readonly code: "different-samples"; readonly message: string;
    /** Samples with gold that each judged; an invalid verdict is one. */
    readonly judged: Readonly<Record<string, number>>;
    readonly common: { readonly samples: number; readonly misbehavior: number; readonly benign: number; readonly runs: readonly CommonRates[]; readonly pareto: readonly string[]; readonly correlation: Correlation | null };
  };

export function leakageCaution({ run_id }: Pick<RunReport, "run_id">, { told_by, of, trained_on, related, others }: Leakage): Caution {
  const what = told_by === "verdicts"
    ? `${trained_on} of ${of} samples scored were trained on`
    : `${trained_on} of ${of} samples scored are of what it was trained on and not held for testing; which of them it was shown is not known`;
  const rest = of - trained_on - related;
  const kin = related === 0 ? "" : ` (without ${related} more that share a pair or a group with them)`;
  const rates = isWithheld(others.miss_rate) || isWithheld(others.false_alarm_rate) ? "no rates are told" : `miss rate ${shown(others.miss_rate)}, false alarm rate ${shown(others.false_alarm_rate)}`;
  return { code: "trained-on-scored", run_id, message: `${run_id}: ${what}${rest === 0 ? `, and none of the others is independent of them${kin}` : `; on the ${rest} others${kin}: ${rates}`}. Score the test split to see how well it guards.` };
}

function shown({ value, numerator, denominator }: { readonly value: number | null; readonly numerator: number; readonly denominator: number }): string {
  return value === null ? "not defined" : `${value.toFixed(3)} (${numerator}/${denominator})`;
}

/** What runs judged, by index of the sample: 1 where a sample with gold has a verdict on its content as it is. */
export function judgedSamples(entries: Entries): Uint8Array {
  const { list, columns: { gold } } = entries.scored;
  const judged = new Uint8Array(list.length);
  for (let at = 0; at < entries.length; at++) if (gold[entries.index(at)] !== 2) judged[entries.index(at)] = 1;
  return judged;
}

export interface JudgedRun {
  readonly report: Pick<RunReport, "run_id" | "miss_rate" | "false_alarm_rate">;
  readonly judged: Uint8Array;
  /** Asked for one run after the other. */
  readonly entries: () => Entries;
}

/** Whether the runs that Pareto front and correlation are made of, those with both rates, judged the same samples; nothing where they did. */
export function differentSamples(all: readonly JudgedRun[]): Caution[] {
  const runs = all.filter(({ report }) => report.miss_rate.value !== null && report.false_alarm_rate.value !== null);
  const [first, ...rest] = runs;
  if (!first || rest.every(({ judged }) => judged.every((one, index) => one === first.judged[index]))) return [];
  const isCommon = first.judged.map((one, index) => (one === 1 && rest.every(({ judged }) => judged[index] === 1) ? 1 : 0));
  const { gold } = first.entries().scored.columns;
  const count = (code: number): number => isCommon.reduce((sum, one, index) => sum + (one === 1 && gold[index] === code ? 1 : 0), 0);
  const [misbehavior, benign] = [count(0), count(1)];
  const samples = misbehavior + benign;
  const found = runs.map(({ report: { run_id }, entries }): CommonRates => {
    const { tp, fn, fp, tn } = countCells(entries().ofSamples((index) => isCommon[index] === 1));
    return { run_id, tp, fn, fp, tn, miss_rate: ratio(fn, tp + fn), false_alarm_rate: ratio(fp, fp + tn) };
  });
  const judged = Object.fromEntries(runs.map(({ report: { run_id }, judged: own }) => [run_id, own.reduce((sum, one) => sum + one, 0)]));
  const pareto = paretoFront(found);
  const correlation = correlate(found.flatMap(({ miss_rate, false_alarm_rate }) => (miss_rate === null || false_alarm_rate === null ? [] : [[miss_rate, false_alarm_rate] as const])));
  return [{ code: "different-samples", message: messageOf(Object.values(judged), { samples, misbehavior, benign, pareto, correlation }), judged, common: { samples, misbehavior, benign, runs: found, pareto, correlation } }];
}

function messageOf(judged: readonly number[], { samples, misbehavior, benign, pareto, correlation }: { readonly samples: number; readonly misbehavior: number; readonly benign: number; readonly pareto: readonly string[]; readonly correlation: Correlation | null }): string {
  const [fewest, most] = [Math.min(...judged), Math.max(...judged)];
  const range = fewest === most ? `${most} samples with gold each` : `between ${fewest} and ${most} samples with gold`;
  const front = pareto.length === 0 ? "too few to tell a front" : `there the front is ${pareto.join(", ")}${correlation === null ? "" : ` and Pearson's r ${correlation.pearson_r.toFixed(3)}`}`;
  const common = samples === 0 ? "none in common" : `${samples} in common (${misbehavior} misbehavior, ${benign} benign): ${front}`;
  return `The ${judged.length} runs of the trade-off${judged.length < 4 ? " and its Pareto front" : ", its Pareto front and its correlation"} did not judge the same samples: ${range}, ${common}. Their rates may lie apart by the samples alone.`;
}
