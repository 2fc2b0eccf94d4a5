/** What asking for quotes changes: each monitor asked directly against the same one asked for evidence, on the samples that both judged. */
import { chosenAnyhow, compareSlices, type Comparison } from "./compare";
import { holm } from "./holm";
import type { ScoreInput, ScoreRun } from "./score-input";
import type { ScoredSamples } from "./scored-samples";

export interface PromptingChange {
  readonly model: string;
  readonly direct: string;
  readonly evidence: string;
  /** Evidence minus direct: over all samples, then in each category. */
  readonly all: SliceChange;
  readonly by_category: Readonly<Record<string, SliceChange>>;
}

export type SliceChange = Pick<Comparison, "n" | "difference"> & {
  readonly p: { readonly misbehavior: number; readonly benign: number };
  /** Holm's correction over both classes of all categories of the model; only in categories, and where there is more than one test. */
  readonly p_holm?: { readonly misbehavior: number; readonly benign: number };
};

/**
 * Pairs the newest direct with the newest evidence run of each model (of each monitor, where no model is named). The two
 * prompts of a published study differ in more than the quotes, so a change is that of the prompt as a whole.
 */
export function promptingChanges(input: Pick<ScoreInput, "runs" | "unscored">, samples: ScoredSamples, options: { readonly gold: "original" | "corrected"; readonly seed: number }): PromptingChange[] {
  const byModel = new Map<string, { direct?: ScoreRun; evidence?: ScoreRun }>();
  for (const run of input.runs) {
    const { prompting, model, monitor, kind, created_at } = run.header;
    if (prompting === "contrastive") continue;
    const key = model ?? `${kind} ${monitor}`;
    const known = byModel.get(key) ?? {};
    const other = known[prompting];
    if (!other || created_at >= other.header.created_at) known[prompting] = run;
    byModel.set(key, known);
  }
  const chosen = chosenAnyhow(input, samples, options.gold);
  return [...byModel].flatMap(([model, { direct, evidence }]) => {
    if (!direct || !evidence) return [];
    const changeOf = ({ n, difference, misbehavior, benign }: Comparison): SliceChange => ({ n, difference, p: { misbehavior: misbehavior.p, benign: benign.p } });
    const { all, slices } = compareSlices(direct, evidence, samples, ({ sample }) => sample.category ?? "(none)", { ...options, ...chosen });
    return [{
      model, direct: direct.header.run_id, evidence: evidence.header.run_id, all: changeOf(all),
      by_category: Object.fromEntries(corrected([...slices].map(([category, one]) => [category, changeOf(one)]))),
    }];
  });
}

const classes = [["misbehavior", "miss_rate"], ["benign", "false_alarm_rate"]] as const;

/** Many categories are many tests: one of twenty is below 0.05 by chance. A class without samples is no test. */
function corrected(categories: readonly [string, SliceChange][]): [string, SliceChange][] {
  const tests = categories.flatMap(([, { difference, p }], at) => classes.flatMap(([of, rate]) => (difference[rate].value === null ? [] : [{ at, of, p: p[of] }])));
  if (tests.length < 2) return [...categories];
  const adjusted = holm(tests.map(({ p }) => p));
  return categories.map(([category, change], at) => {
    const of = (name: "misbehavior" | "benign"): number => adjusted[tests.findIndex((test) => test.at === at && test.of === name)] ?? 1;
    return [category, { ...change, p_holm: { misbehavior: of("misbehavior"), benign: of("benign") } }];
  });
}
