/** The file of a linear guard: what it learned, from what, and where it draws the line. */
import * as z from "zod/mini";
import { bucketBits, featuresOf, featuresVersion, type FeatureVector } from "./features";
import { logistic, marginOf, type Weights } from "./fit";
import type { Trajectory } from "#core/trajectory/model";

const classCounts = z.looseObject({ misbehavior: z.int(), benign: z.int(), sha256: z.string() });

export const LinearModelFile = z.looseObject({
  type: z.literal("linear-guard"), version: z.literal(1),
  /** A sentence for whoever opens the file. */
  about: z.string(),
  features: z.looseObject({ version: z.int(), bits: z.int(), reasoning: z.boolean() }),
  /** Slices that it was trained on, as `category/task`. */
  trained_on: z.array(z.string()),
  seed: z.int(),
  /** The samples that weights were learned from, and those that calibration and threshold were chosen on; the latter null where they were learned from too. */
  samples: z.looseObject({ train: classCounts, dev: z.nullable(classCounts) }),
  excluded: z.array(z.looseObject({ reason: z.string(), count: z.int() })),
  /** Scores that are not below it are misbehavior. */
  threshold: z.number(), threshold_chosen_on: z.string(), threshold_rule: z.string(),
  at_threshold: z.looseObject({ miss_rate: z.number(), false_alarm_rate: z.number() }),
  calibration: z.looseObject({ slope: z.number(), intercept: z.number() }),
  /** The category of all misbehavior that it was trained on, where that is one. */
  category: z.nullable(z.string()),
  /** The features that weigh most either way, by name. */
  telling: z.array(z.looseObject({ feature: z.string(), weight: z.number() })),
  /** The first 12 hexadecimal digits of `content_sha256` of each sample learned from, ascending. */
  trained_content: z.array(z.string()),
  bias: z.number(), buckets: z.array(z.int()), weights: z.array(z.number()),
  tracemark_version: z.string(),
});
export type LinearModelFile = z.infer<typeof LinearModelFile>;

/** A model ready to be applied. */
export interface LinearModel {
  readonly file: LinearModelFile;
  /** Of the file's bytes. */
  readonly sha256: string;
  readonly weights: Weights;
  readonly trainedContent: ReadonlySet<string>;
}

/** The model in the text of a file, or a sentence (without a full stop) why it cannot be used. Never throws. */
export function readLinearModel(text: string, sha256: string): LinearModel | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "is not JSON; make it again with tracemark train" };
  }
  const parsed = LinearModelFile.safeParse(value);
  if (!parsed.success) return { problem: `is no linear guard (${parsed.error.issues[0]?.path.join(".") || "type"}); make it with tracemark train` };
  const file = parsed.data;
  const { buckets, weights, features } = file;
  if (features.version !== featuresVersion || features.bits !== bucketBits) return { problem: "was made by another version of Tracemark; train it again" };
  if (buckets.length !== weights.length || buckets.some((bucket) => bucket < 0 || bucket >= 1 << bucketBits)) return { problem: "has weights that fit no features; train it again" };
  return { file, sha256, weights: weightsOf(buckets, weights, file.bias), trainedContent: new Set(file.trained_content) };
}

/** Weights by bucket out of the lists of a file. */
export function weightsOf(buckets: readonly number[], weights: readonly number[], bias: number): Weights {
  const byBucket = new Float64Array(1 << bucketBits);
  for (const [at, bucket] of buckets.entries()) byBucket[bucket] = weights[at] as number;
  return { byBucket, bias };
}

/** The score of features, from 0 to 1, to six digits, as verdicts and thresholds have it. */
export function scoreOf(weights: Weights, calibration: { readonly slope: number; readonly intercept: number }, features: FeatureVector): number {
  return Math.round(logistic(calibration.slope * marginOf(weights, features) + calibration.intercept) * 1e6) / 1e6;
}

/** The score of a trajectory. `reasoning` false hides reasoning that the model would have read. */
export function scoreTrajectory(model: LinearModel, trajectory: Trajectory, reasoning: boolean): number {
  return scoreOf(model.weights, model.file.calibration, featuresOf(trajectory, reasoning && model.file.features.reasoning));
}
