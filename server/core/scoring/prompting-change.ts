/** What asking for quotes changes: each monitor asked directly against the same one asked for evidence, on the samples that both judged. */
import { compareOn, type Comparison } from "./compare";
import type { ScoreRun } from "./score-input";
import type { ScoredSample, ScoredSamples } from "./scored-samples";

export interface PromptingChange {
  readonly model: string;
  readonly direct: string;
  readonly evidence: string;
  /** Evidence minus direct: over all samples, then in each category. */
  readonly all: SliceChange;
  readonly by_category: Readonly<Record<string, SliceChange>>;
}

export type SliceChange = Pick<Comparison, "n" | "difference"> & { readonly p: { readonly misbehavior: number; readonly benign: number } };

/**
 * Pairs the newest direct with the newest evidence run of each model (of each monitor, where no model is named). The two
 * prompts of a published study differ in more than the quotes, so a change is that of the prompt as a whole.
 */
export function promptingChanges(runs: readonly ScoreRun[], samples: ScoredSamples, options: { readonly gold: "original" | "corrected"; readonly seed: number }): PromptingChange[] {
  const byModel = new Map<string, { direct?: ScoreRun; evidence?: ScoreRun }>();
  for (const run of runs) {
    const { prompting, model, monitor, kind, created_at } = run.header;
    if (prompting === "contrastive") continue;
    const key = model ?? `${kind} ${monitor}`;
    const known = byModel.get(key) ?? {};
    const other = known[prompting];
    if (!other || created_at >= other.header.created_at) known[prompting] = run;
    byModel.set(key, known);
  }
  return [...byModel].flatMap(([model, { direct, evidence }]) => {
    if (!direct || !evidence) return [];
    const within = (test: (scored: ScoredSample) => boolean): SliceChange => {
      const byId = new Map([...samples.byId].filter(([, scored]) => test(scored)));
      const { n, difference, misbehavior, benign } = compareOn(direct, evidence, { ...samples, byId }, options);
      return { n, difference, p: { misbehavior: misbehavior.p, benign: benign.p } };
    };
    const categories = [...new Set([...samples.byId.values()].map(({ sample }) => sample.category ?? "(none)"))].sort();
    return [{
      model, direct: direct.header.run_id, evidence: evidence.header.run_id, all: within(() => true),
      by_category: Object.fromEntries(categories.map((category) => [category, within(({ sample }) => (sample.category ?? "(none)") === category)])),
    }];
  });
}
