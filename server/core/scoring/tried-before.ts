/** How often the test split had been looked at before a run: the best of many settings on it is better by luck alone. */
import type { RunHeader } from "#core/workspace/schemas";
import type { VerdictColumns } from "#core/workspace/verdict-columns";

export interface TriedRun {
  readonly header: RunHeader;
  readonly verdicts: readonly { readonly sample_id: string }[];
  readonly columns?: VerdictColumns | undefined;
}

/**
 * For the runs that judged a sample of `test`, by run id: how many other settings (monitor, model, prompt, parameters, what
 * it was trained on) had been run on such samples by an earlier `created_at`. A run that was made again counts once.
 */
export function triedBefore(runs: readonly TriedRun[], isTest: (sampleId: string) => boolean): ReadonlyMap<string, number> {
  const onTest = runs.filter((run) => run.columns?.someId(isTest) ?? run.verdicts.some(({ sample_id }) => isTest(sample_id))).map(({ header }) => ({ id: header.run_id, at: header.created_at, setting: settingOf(header) }));
  return new Map(onTest.map(({ id, at, setting }) => [id, new Set(onTest.filter((other) => other.at < at && other.setting !== setting).map((other) => other.setting)).size]));
}

function settingOf({ kind, monitor, model, prompting, prompt_sha256, params, trained_on }: RunHeader): string {
  return JSON.stringify([kind, monitor, model ?? null, prompting, prompt_sha256, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)), trained_on ?? []]);
}
