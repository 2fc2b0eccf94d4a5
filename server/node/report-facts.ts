/** What a report says of the files, runs and people behind its numbers. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDecision } from "#core/labels/gold";
import { instantOf } from "#core/labels/instant";
import type { ReportFacts, RunFacts } from "#core/report/sections";
import type { ScoreInput, ScoreOptions, ScoreRun } from "#core/scoring/score-input";
import { scoreSamples, type ScoredSample } from "#core/scoring/scored-samples";
import type { LabelRecord } from "#core/workspace/schemas";
import { lockedFiles } from "./lock";
import type { Workspace } from "./workspace";

export interface ReportFactsOptions extends Pick<ScoreOptions, "labels" | "split"> {
  readonly version: string;
  /** False keeps out whatever was recorded of a transcript or written about it: quotes and notes. */
  readonly withText: boolean;
  /** Further files that numbers come from, by their paths from the root. */
  readonly files?: readonly string[] | undefined;
}

/** Everything but numbers. Reads the prompts and hashes the files of the root. */
export async function reportFacts(workspace: Workspace, input: ScoreInput, options: ReportFactsOptions): Promise<ReportFacts> {
  const scored = [...scoreSamples(input, { ...options, gold: "corrected" }).byId.values()];
  const golden = new Set(scored.filter(({ gold }) => gold !== null).map(({ sample }) => sample.id));
  const statuses: Record<string, number> = {};
  for (const { corrected } of scored) statuses[corrected.status] = (statuses[corrected.status] ?? 0) + 1;
  const stamps = [...input.labels.map(({ created_at }) => created_at), ...input.runs.flatMap(({ header, verdicts }) => [header.created_at, ...verdicts.flatMap(({ created_at }) => created_at ?? [])])];
  const hashes = [...new Set(input.runs.map(({ header }) => header.prompt_sha256))].sort();
  return {
    title: workspace.settings.config?.name ?? "Tracemark report", version: options.version, scope: { split: options.split, labels: options.labels },
    newest: stamps.filter((stamp) => instantOf(stamp) !== undefined).reduce<string | undefined>((newest, stamp) => (newest === undefined || (instantOf(stamp) ?? 0) > (instantOf(newest) ?? 0) ? stamp : newest), undefined),
    files: await lockedFiles(workspace, options.files), statuses: Object.fromEntries(Object.entries(statuses).sort()), labels: labelFacts(input.labels, scored),
    runs: input.runs.map((run) => runFacts(run, golden)),
    prompts: await Promise.all(hashes.map(async (sha256) => ({ sha256, text: await readFile(join(workspace.runsFolder, "prompts", `${sha256}.txt`), "utf8").catch(() => undefined) }))),
    corrections: scored.filter(({ corrected }) => corrected.overturned).map((one) => correctionOf(one, options.withText)),
  };
}

function labelFacts(records: readonly LabelRecord[], scored: readonly ScoredSample[]): ReportFacts["labels"] {
  const standing = scored.flatMap(({ decisions }) => decisions);
  const timed = records.filter(({ seconds }) => seconds !== undefined);
  return {
    records: records.length, annotators: new Set(records.map(({ annotator }) => annotator)).size, decisions: standing.length, blind: standing.filter(({ blind }) => blind).length,
    hours: timed.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0) / 3600, timed: timed.length,
  };
}

function runFacts({ header, verdicts }: ScoreRun, golden: ReadonlySet<string>): RunFacts {
  const costs = verdicts.flatMap(({ usage }) => usage?.cost_usd ?? []);
  return {
    run_id: header.run_id, created_at: header.created_at, monitor: header.monitor, kind: header.kind, prompting: header.prompting, reasoning: header.view.reasoning, version: header.tracemark_version,
    samples: new Set(verdicts.flatMap(({ sample_id }) => (golden.has(sample_id) ? sample_id : []))).size, asked_model: header.model ?? header.kind,
    returned: [...new Set(verdicts.flatMap(({ model_returned }) => model_returned ?? []))].sort(), params: JSON.stringify(header.params), prompt_sha256: header.prompt_sha256,
    tokens: verdicts.reduce((sum, { usage }) => sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0), 0),
    cost_usd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

function correctionOf({ sample, corrected, decisions }: ScoredSample, withText: boolean): ReportFacts["corrections"][number] {
  const own = decisions.filter((record) => isDecision(record) && record.label === corrected.label);
  const text = own.flatMap(({ note, spans }) => [...(spans ?? []).filter(({ exact }) => exact !== "").map(({ exact }) => `“${exact}”`), ...(note === undefined || note === "" ? [] : [note])]).join(" ");
  return { sample: sample.id, from: sample.label ?? "none", to: corrected.label ?? "undecided", ...(withText ? { text } : {}) };
}
