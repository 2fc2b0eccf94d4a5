/** Labelled samples of a split as examples for a model: balanced, seeded, never of the test split or what hangs on it, and never the sample itself, its pair, its group or its copy. */
import type { LabelledExample } from "#core/monitors/examples";
import type { Monitor } from "#core/monitors/define";
import { estimateTokens, stepTokens } from "#core/monitors/render";
import { heldForTest } from "#core/training/held-for-test";
import { resolveGold } from "#core/labels/gold";
import { isInBenchmark } from "#core/pairs/pair-status";
import type { GoldLabel, Trajectory } from "#core/trajectory/model";
import type { LabelRecord } from "#core/workspace/schemas";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "../expected-failure";
import { contentSha256, sha256 } from "../sha256";
import type { Workspace } from "../workspace";

/** Longer ones would crowd out the record that is to be judged. */
const longestExample = 4_000;

interface Candidate extends LabelledExample {
  readonly sample: Sample;
  readonly contentSha256: string;
}

/** Chooses the examples of one trajectory. */
export interface ExampleChooser {
  choose(trajectory: Trajectory): readonly LabelledExample[];
  /** Hash of what can be chosen from: ids, contents, labels and categories. */
  readonly sha256: string;
}

/**
 * Reads the examples that `monitor.config.examples` asks for, by the corrected gold of its split (default `dev`). Undefined
 * when it asks for none. Throws an `ExpectedFailure` when the split has too few that can be shown.
 */
export async function exampleChooser(workspace: Workspace, monitor: Monitor): Promise<ExampleChooser | undefined> {
  const { examples } = monitor.config;
  if (!examples) return undefined;
  const { count, split = "dev", seed = 0 } = examples;
  await workspace.refreshLabels();
  const order = (sample: Sample): string => sha256(JSON.stringify(["example order 1", seed, sample.id]));
  const held = heldForTest(workspace.samples);
  const ordered = workspace.samples.filter((sample) => isInBenchmark(sample) && sample.split === split && !held.has(sample.id)).map((sample) => ({ sample, key: order(sample) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const pools: Record<GoldLabel, Candidate[]> = { misbehavior: [], benign: [] };
  // Enough to leave a few aside for a sample that is related to them.
  const wanted = count + 8;
  for (const { sample } of ordered) {
    if (pools.misbehavior.length >= wanted && pools.benign.length >= wanted) break;
    const candidate = await candidateOf(workspace, sample);
    if (candidate && pools[candidate.label].length < wanted) pools[candidate.label].push(candidate);
  }
  const found = pools.misbehavior.length + pools.benign.length;
  if (found < count + 1) throw new ExpectedFailure(`monitor "${monitor.id}" is to show ${count} examples, and only ${found} samples of the split "${split}" have a label, are short enough and have nothing to do with the test split`, "label more of them, or lower the count");
  const all = [...pools.misbehavior, ...pools.benign].map(({ id, contentSha256: content, label, categories }) => [id, content, label, categories]);
  return { choose: (trajectory) => choose(pools, count, workspace.sample(trajectory.id), trajectory), sha256: sha256(JSON.stringify(all)) };
}

async function candidateOf(workspace: Workspace, sample: Sample): Promise<Candidate | undefined> {
  try {
    const read = await workspace.trajectories.read(sample);
    const { trajectory } = read;
    const records = workspace.labels.recordsOf(sample.id);
    const gold = resolveGold({ records, original: sample.label, contentSha256: read.contentSha256, overturn: workspace.settings.overturn });
    if (gold.label === null || trajectory.steps.length === 0) return undefined;
    if (stepTokens(trajectory, true).reduce((sum, one) => sum + one, estimateTokens(trajectory.task ?? "")) > longestExample) return undefined;
    return { id: sample.id, sample, trajectory, contentSha256: read.contentSha256, label: gold.label, categories: gold.label === "misbehavior" ? categoriesOf(records, sample) : [] };
  } catch {
    return undefined;
  }
}

function categoriesOf(records: readonly LabelRecord[], sample: Sample): string[] {
  const named = records.filter(({ label, retracted }) => label === "misbehavior" && !retracted).flatMap(({ categories }) => categories ?? []);
  return named.length > 0 ? [...new Set(named)].sort() : sample.category === undefined ? [] : [sample.category];
}

/** Misbehavior and benign in turn, as far as there are both. */
function choose(pools: Record<GoldLabel, readonly Candidate[]>, count: number, sample: Sample | undefined, trajectory: Trajectory): LabelledExample[] {
  const isKin = (one: Candidate): boolean => one.id === trajectory.id
    || (sample !== undefined && (one.sample.group === sample.group || (sample.pairId !== undefined && one.sample.pairId === sample.pairId)));
  // A copy under another id tells as much.
  const told = new Set([contentSha256(trajectory.steps), ...[...pools.misbehavior, ...pools.benign].filter(isKin).map((one) => one.contentSha256)]);
  const usable = (one: Candidate): boolean => !isKin(one) && !told.has(one.contentSha256);
  const queues = [pools.misbehavior.filter(usable), pools.benign.filter(usable)];
  const chosen: Candidate[] = [];
  for (let turn = 0; chosen.length < count && queues.some((queue) => queue.length > 0); turn++) {
    const next = queues[turn % 2]!.shift();
    if (next) chosen.push(next);
  }
  return chosen.map(({ id, trajectory: shown, label, categories }) => ({ id, trajectory: shown, label, categories }));
}
