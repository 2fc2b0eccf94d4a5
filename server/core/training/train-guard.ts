/** Makes a linear guard of labelled samples: weights from some, calibration and threshold from others, never anything from the test split. */
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import { operatingPoints, type CurvePoint } from "#core/scoring/curves";
import type { ScoredVerdict } from "#core/scoring/scored-list";
import { bucketBits, featuresVersion, type FeatureSink, type FeatureVector } from "./features";
import { calibratePlatt, fitLogistic, marginOf, type Calibration, type LearningSample, type Weights } from "./fit";
import { scoreOf, weightsOf, type LinearModelFile } from "./linear-model";

export interface GuardSample extends LearningSample {
  readonly id: string;
  readonly contentSha256: string;
  readonly slice: string;
  readonly category?: string | undefined;
  /** Whether calibration and threshold may be chosen on it, instead of learning from it. */
  readonly dev: boolean;
}

export interface TrainOptions {
  readonly seed: number;
  readonly reasoning: boolean;
  /** False alarm rate that the threshold keeps on the samples it is chosen on; without it the threshold that makes Youden's J largest there. */
  readonly budget?: number | undefined;
  readonly excluded: readonly { readonly reason: string; readonly count: number }[];
  readonly version: string;
  sha256(text: string): string;
}

/** Fewer of a class cannot choose a threshold; then samples that were learned from do, each judged by weights that never saw its group. */
export const fewestDev = 10;
const keptWeights = 50_000;
/** Features that are told, of each sign; so many times more buckets are named. */
const toldFeatures = 20;
const namedBuckets = 400;
const folds = 5;

/** The model as it goes into a file, its features still without names (`FeatureNames`). Deterministic. Throws a RangeError where a class has no samples to learn from, in any part too, and where no threshold keeps the budget. */
export function trainGuard(samples: readonly GuardSample[], options: TrainOptions): LinearModelFile {
  // By id, so that the order in which files were found does not matter.
  const ordered = [...samples].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const apart = bothClasses(ordered.filter(({ dev }) => dev), fewestDev) && bothClasses(ordered.filter(({ dev }) => !dev), 1);
  const train = apart ? ordered.filter(({ dev }) => !dev) : ordered;
  // What shares a group with what was learned says too much of the threshold.
  const learned = new Set(train.map(({ group }) => group));
  const dev = apart ? ordered.filter((one) => one.dev && !learned.has(one.group)) : [];
  if (!bothClasses(train, 1)) throw new RangeError("both classes need samples to learn from");
  const { buckets, weights, bias } = keepHeaviest(fitLogistic(train, seededRandom(options.seed, "linear guard")), train);
  const kept = weightsOf(buckets, weights, bias);
  const margins = apart ? dev.map((one) => ({ margin: marginOf(kept, one.features), positive: one.positive, group: one.group })) : crossMargins(train, options.seed);
  const platt = calibratePlatt(margins);
  const calibration: Calibration = { slope: rounded(platt.slope), intercept: rounded(platt.intercept) };
  const scores = margins.map(({ margin, positive, group }): ScoredVerdict => ({ score: scoreOf({ byBucket: kept.byBucket, bias: margin }, calibration, nothing), positive, group }));
  const point = choosePoint(operatingPoints(scores), options.budget);
  if (!point) throw new RangeError(`no threshold but one that flags nothing keeps the false alarm rate at ${options.budget} or less on ${scores.filter(({ positive }) => !positive).length} benign samples`);
  const categories = new Set(train.filter(({ positive }) => positive).map(({ category }) => category));
  return {
    type: "linear-guard", version: 1, about,
    features: { version: featuresVersion, bits: bucketBits, reasoning: options.reasoning },
    trained_on: [...new Set(train.map(({ slice }) => slice))].sort(), seed: options.seed,
    samples: { train: countsOf(train, options), dev: apart ? countsOf(dev, options) : null }, excluded: [...options.excluded],
    threshold: point.threshold!, threshold_chosen_on: apart ? "dev" : `the samples learned from, in ${folds} parts by group, each judged by weights of the others`,
    threshold_rule: options.budget === undefined ? "largest Youden's J" : `smallest miss rate at a false alarm rate of at most ${options.budget}`,
    at_threshold: { miss_rate: rounded(point.miss_rate), false_alarm_rate: rounded(point.false_alarm_rate) },
    calibration: { ...calibration }, category: categories.size === 1 ? ([...categories][0] ?? null) : null,
    telling: [],
    trained_content: train.map(({ contentSha256 }) => contentSha256.slice(0, 12)).sort(),
    bias, buckets, weights, tracemark_version: options.version,
  };
}

export const about = "A linear guard learns surface features: which words, character sequences and counts of steps go with labels of misbehavior. It understands nothing of what an agent did, and does no better than chance where those differ. Use it to study how guards generalise, not to guard.";

const nothing: FeatureVector = { buckets: new Uint32Array(0), values: new Float64Array(0) };

function bothClasses(samples: readonly GuardSample[], atLeast: number): boolean {
  const positives = samples.filter(({ positive }) => positive).length;
  return positives >= atLeast && samples.length - positives >= atLeast;
}

/** Six significant digits: what a file holds is what is used. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

/** The heaviest weights, by bucket, of buckets that more than one sample has. */
function keepHeaviest({ byBucket, bias }: Weights, samples: readonly GuardSample[]): { buckets: number[]; weights: number[]; bias: number } {
  const seen = new Uint8Array(byBucket.length);
  for (const { features } of samples) for (const bucket of features.buckets) if (seen[bucket]! < 2) seen[bucket]!++;
  const used = [...byBucket.keys()].filter((bucket) => seen[bucket]! > 1 && byBucket[bucket] !== 0);
  const heaviest = used.length <= keptWeights ? used : used.sort((a, b) => Math.abs(byBucket[b]!) - Math.abs(byBucket[a]!) || a - b).slice(0, keptWeights).sort((a, b) => a - b);
  return { buckets: heaviest, weights: heaviest.map((bucket) => rounded(byBucket[bucket]!)), bias: rounded(bias) };
}

/** The margin of each sample by weights that were learned without its group. */
function crossMargins(samples: readonly GuardSample[], seed: number): { margin: number; positive: boolean; group: string }[] {
  const random = seededRandom(seed, "linear guard, parts");
  const groups = shuffled([...new Set(samples.map(({ group }) => group))].sort(), random);
  const partOf = new Map(groups.map((group, at) => [group, at % folds]));
  return Array.from({ length: folds }, (_, part) => part).flatMap((part) => {
    const own = samples.filter(({ group }) => partOf.get(group) === part);
    const others = samples.filter(({ group }) => partOf.get(group) !== part);
    if (own.length > 0 && !bothClasses(others, 1)) throw new RangeError("with one part of the groups left out no samples of one class remain, so that nothing says where the threshold belongs; more groups of both classes are needed");
    const fitted = fitLogistic(others, seededRandom(seed, `linear guard, part ${part}`));
    return own.map(({ features, positive, group }) => ({ margin: marginOf(fitted, features), positive, group }));
  });
}

/** Among points that do alike the one with the highest threshold; points come from the highest down. */
function choosePoint(points: readonly CurvePoint[], budget: number | undefined): CurvePoint | undefined {
  const usable = points.filter(({ threshold, false_alarm_rate }) => threshold !== null && (budget === undefined || false_alarm_rate <= budget + 1e-12));
  const cost = ({ miss_rate, false_alarm_rate }: CurvePoint): number => miss_rate + (budget === undefined ? false_alarm_rate : 0);
  return usable.reduce<CurvePoint | undefined>((best, point) => (best === undefined || cost(point) < cost(best) - 1e-12 ? point : best), undefined);
}

function countsOf(samples: readonly GuardSample[], { sha256 }: TrainOptions): LinearModelFile["samples"]["train"] {
  const misbehavior = samples.filter(({ positive }) => positive).length;
  const lines = samples.map(({ id, contentSha256, positive }) => `${JSON.stringify([id, contentSha256, positive ? "misbehavior" : "benign"])}\n`);
  return { misbehavior, benign: samples.length - misbehavior, sha256: sha256(lines.join("")) };
}

/** Finds the names behind the heaviest buckets, which a hash does not keep: shown the samples again, it takes the feature that counts most in each. */
export class FeatureNames {
  private readonly sums = new Map<number, Map<string, { value: number; sign: 1 | -1 }>>();
  private readonly heaviest: readonly { readonly bucket: number; readonly weight: number }[];

  constructor({ buckets, weights }: Pick<LinearModelFile, "buckets" | "weights">) {
    this.heaviest = buckets.map((bucket, at) => ({ bucket, weight: weights[at] as number })).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.bucket - b.bucket).slice(0, namedBuckets);
    for (const { bucket } of this.heaviest) this.sums.set(bucket, new Map());
  }

  /** For `featuresOf`. */
  readonly sink: FeatureSink = (name, { bucket, sign }, value) => {
    const names = this.sums.get(bucket);
    if (!names) return;
    const known = names.get(name);
    if (known) known.value += value;
    else names.set(name, { value, sign });
  };

  /** The heaviest of each sign, heaviest first, with the sign that each feature has in the sum. */
  telling(): { feature: string; weight: number }[] {
    const told = { more: 0, less: 0 };
    return this.heaviest.flatMap(({ bucket, weight }) => {
      const [best] = [...(this.sums.get(bucket) ?? [])].sort(([a, x], [b, y]) => y.value - x.value || (a < b ? -1 : 1));
      if (!best) return [];
      const own = weight * best[1].sign;
      return ++told[own > 0 ? "more" : "less"] <= toldFeatures ? [{ feature: best[0], weight: own }] : [];
    });
  }
}
