/** What dependence inside groups (repeats, epochs, one request) does to the interval of a rate. */
import { groupTypes } from "./bootstrap";
import { t95, wilson, z95 } from "./intervals";

/** Observations of one group: `hits` of `size`. */
export interface Cluster {
  readonly size: number;
  readonly hits: number;
}

export interface ClusteredInterval {
  readonly low: number;
  readonly high: number;
  /**
   * Variance of the rate over what independent observations would give; null where it cannot be estimated (one group, or a
   * rate of 0 or 1), then each group counts as one observation.
   */
  readonly design_effect: number | null;
}

/**
 * Interval of the pooled rate when observations within a cluster may depend on each other. Variance: the linearised ratio
 * estimator between clusters, G/(G-1) * sum((hits - p*size)^2) / N^2 (Cochran 1977, Sampling Techniques, section 9A.1-9A.3).
 * Design effect: that over p(1-p)/(N-1). Interval: Wilson with the effective size N / design effect, reduced for few
 * clusters by (z / t with G-1 degrees of freedom)^2 and never above N (Korn and Graubard 1998, Survey Methodology
 * 24:193-201; with Wilson as in Franco et al. 2019, J. Survey Stat. Methodol. 7:334-364). Undefined when no cluster holds
 * more than one observation.
 */
export function clusteredInterval(clusters: readonly Cluster[]): ClusteredInterval | undefined {
  const groups = clusters.filter((cluster) => cluster.size > 0);
  if (!groups.some((cluster) => cluster.size > 1)) return undefined;
  const count = groups.length;
  const size = groups.reduce((sum, cluster) => sum + cluster.size, 0);
  const p = groups.reduce((sum, cluster) => sum + cluster.hits, 0) / size;
  const effect = designEffect(groups, size, p);
  const few = count > 1 ? (z95 / t95(count - 1)) ** 2 : 1;
  const effective = effect === null ? count : Math.min(size, (size / effect) * few);
  const interval = wilson(p * effective, effective);
  return interval ? { ...interval, design_effect: effect } : undefined;
}

function designEffect(groups: readonly Cluster[], size: number, p: number): number | null {
  const count = groups.length;
  if (count < 2 || p <= 0 || p >= 1) return null;
  // Alike groups at once and in a fixed order, so that the order of samples does not show in the last digit.
  const types = groupTypes(groups.map((cluster) => [cluster.size, cluster.hits]));
  const squares = types.reduce((sum, type) => sum + type.groups * ((type.counts[1] ?? 0) - p * (type.counts[0] ?? 0)) ** 2, 0);
  const variance = ((count / (count - 1)) * squares) / size ** 2;
  const effect = variance / ((p * (1 - p)) / (size - 1));
  // Hits spread exactly evenly would make it 0: no interval can be had from that.
  return effect > 0 ? effect : null;
}
