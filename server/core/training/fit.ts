/** Logistic regression on sparse features: the same samples and seed give the same weights, bit by bit. */
import { shuffled, type Random } from "#core/labels/seeded-random";
import { bucketBits, type FeatureVector } from "./features";

export interface LearningSample {
  readonly features: FeatureVector;
  readonly positive: boolean;
  /** Samples of a group are not independent: they are never learned from and judged by one another. */
  readonly group: string;
}

export interface Weights {
  /** By bucket. */
  readonly byBucket: Float64Array;
  readonly bias: number;
}

const epochs = 12;
const rate = 0.5;
const ridge = 1e-5;

/** The sum that the logistic function is taken of. */
export function marginOf({ byBucket, bias }: Weights, { buckets, values }: FeatureVector): number {
  let sum = bias;
  for (let at = 0; at < buckets.length; at++) sum += (byBucket[buckets[at] as number] as number) * (values[at] as number);
  return sum;
}

/** The logistic function, without overflow. */
export function logistic(margin: number): number {
  return margin >= 0 ? 1 / (1 + Math.exp(-margin)) : Math.exp(margin) / (1 + Math.exp(margin));
}

/**
 * Weights by stochastic gradient descent with a step size for each bucket (AdaGrad: Duchi, Hazan and Singer 2011), both classes counting
 * as much in sum. Deterministic for a `random` that is.
 */
export function fitLogistic(samples: readonly LearningSample[], random: Random): Weights {
  const byBucket = new Float64Array(1 << bucketBits);
  const squares = new Float64Array(1 << bucketBits);
  const positives = samples.filter(({ positive }) => positive).length;
  const weightOf = (positive: boolean): number => samples.length / (2 * Math.max(1, positive ? positives : samples.length - positives));
  let [bias, biasSquares] = [0, 0];
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { features: { buckets, values }, positive } of shuffled(samples, random)) {
      const error = (logistic(marginOf({ byBucket, bias }, { buckets, values })) - (positive ? 1 : 0)) * weightOf(positive);
      for (let at = 0; at < buckets.length; at++) {
        const bucket = buckets[at] as number;
        const weight = byBucket[bucket] as number;
        const gradient = error * (values[at] as number) + ridge * weight;
        const square = (squares[bucket] as number) + gradient * gradient;
        squares[bucket] = square;
        byBucket[bucket] = weight - (rate * gradient) / (1e-8 + Math.sqrt(square));
      }
      biasSquares += error * error;
      bias -= (rate * error) / (1e-8 + Math.sqrt(biasSquares));
    }
  }
  return { byBucket, bias };
}

export interface Calibration {
  readonly slope: number;
  readonly intercept: number;
}

/**
 * The line on margins whose logistic function is nearest to the labels (Platt 1999, with the smoothed targets and the damped Newton steps of
 * Lin, Lin and Weng 2007, Machine Learning 68:267-276). The slope is kept above 0, so that more suspicion never lowers a score.
 */
export function calibratePlatt(margins: readonly { readonly margin: number; readonly positive: boolean }[]): Calibration {
  const positives = margins.filter(({ positive }) => positive).length;
  const negatives = margins.length - positives;
  const target = (positive: boolean): number => (positive ? (positives + 1) / (positives + 2) : 1 / (negatives + 2));
  let slope = 1;
  let intercept = 0;
  const loss = (a: number, b: number): number => margins.reduce((sum, { margin, positive }) => {
    const z = a * margin + b;
    return sum + Math.log1p(Math.exp(-Math.abs(z))) + Math.max(z, 0) - target(positive) * z;
  }, 0);
  for (let step = 0; step < 100; step++) {
    let [g1, g2, h11, h12, h22] = [0, 0, 1e-10, 0, 1e-10];
    for (const { margin, positive } of margins) {
      const p = logistic(slope * margin + intercept);
      const [d, w] = [p - target(positive), p * (1 - p)];
      g1 += d * margin;
      g2 += d;
      h11 += w * margin * margin;
      h12 += w * margin;
      h22 += w;
    }
    if (Math.abs(g1) < 1e-8 && Math.abs(g2) < 1e-8) break;
    const determinant = h11 * h22 - h12 * h12;
    if (!(determinant > 0)) break;
    const [da, db] = [-(h22 * g1 - h12 * g2) / determinant, -(h11 * g2 - h12 * g1) / determinant];
    const now = loss(slope, intercept);
    let size = 1;
    while (size > 1e-10 && loss(slope + size * da, intercept + size * db) > now + 1e-4 * size * (g1 * da + g2 * db)) size /= 2;
    if (size <= 1e-10) break;
    slope += size * da;
    intercept += size * db;
  }
  return slope > 1e-3 ? { slope, intercept } : { slope: 1e-3, intercept: Math.log((positives + 1) / (negatives + 1)) };
}
