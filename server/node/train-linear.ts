/** Trains a linear guard on the labels of a workspace. */
import { featuresOf } from "#core/training/features";
import type { LinearModelFile } from "#core/training/linear-model";
import { sliceOf } from "#core/training/slices";
import { FeatureNames, trainGuard, type GuardSample } from "#core/training/train-guard";
import { sha256 } from "./sha256";
import { LeftOut, trainingSamples, type TrainingFilter } from "./training-samples";
import type { Workspace } from "./workspace";

export interface TrainLinearOptions extends TrainingFilter {
  readonly seed: number;
  readonly reasoning: boolean;
  /** False alarm rate to keep on dev; default the threshold with the largest Youden's J. */
  readonly budget?: number | undefined;
  readonly version: string;
}

/** Trajectories that are read again to name what the guard goes by. */
const namedFrom = 2000;

/** The model. Rejects on abort, with an `ExpectedFailure` where test is asked for, and with a RangeError where a class has no samples. */
export async function trainLinear(workspace: Workspace, options: TrainLinearOptions): Promise<LinearModelFile> {
  const left = new LeftOut();
  const samples: GuardSample[] = [];
  for await (const { sample, trajectory, contentSha256, label } of trainingSamples(workspace, options, left)) {
    samples.push({
      id: sample.id, contentSha256, slice: sliceOf(sample), category: sample.category, dev: sample.split === "dev", group: sample.group,
      positive: label === "misbehavior", features: featuresOf(trajectory, options.reasoning),
    });
  }
  const model = trainGuard(samples, { ...options, excluded: left.list(), sha256 });
  const names = new FeatureNames(model);
  const ids = samples.map(({ id }) => id).sort().slice(0, namedFrom);
  for (const id of ids) {
    options.signal?.throwIfAborted();
    const sample = workspace.sample(id);
    if (sample) featuresOf((await workspace.trajectories.read(sample)).trajectory, options.reasoning, names.sink);
  }
  return { ...model, telling: names.telling() };
}

/** The file's text: a line for each key, so that what it says of itself can be read. */
export function linearModelText(model: LinearModelFile): string {
  return `{\n${Object.entries(model).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",\n")}\n}\n`;
}
