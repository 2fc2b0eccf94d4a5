/** What dependence inside groups (repeats, epochs, one request) does to the interval of a rate. */
import { t95, wilson, z95 } from "./intervals";

/** Observations of one group, or of as many as `groups` says that are alike: `hits` of `size` in each. */
export interface Cluster {
  readonly size: number;
  readonly hits: number;
  readonly groups?: number;
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
  const count = total(groups, () => 1);
  const size = total(groups, (cluster) => cluster.size);
  const p = total(groups, (cluster) => cluster.hits) / size;
  const effect = designEffect(groups, size, p);
  const few = count > 1 ? (z95 / t95(count - 1)) ** 2 : 1;
  const effective = effect === null ? count : Math.min(size, (size / effect) * few);
  const interval = wilson(p * effective, effective);
  return interval ? { ...interval, design_effect: effect } : undefined;
}

function total(clusters: readonly Cluster[], of: (cluster: Cluster) => number): number {
  return clusters.reduce((sum, cluster) => sum + (cluster.groups ?? 1) * of(cluster), 0);
}

function designEffect(groups: readonly Cluster[], size: number, p: number): number | null {
  const count = total(groups, () => 1);
  if (count < 2 || p <= 0 || p >= 1) return null;
  // In a fixed order, so that the order of samples does not show in the last digit.
  const sorted = [...groups].sort((a, b) => a.size - b.size || a.hits - b.hits || (a.groups ?? 1) - (b.groups ?? 1));
  const squares = total(sorted, (cluster) => (cluster.hits - p * cluster.size) ** 2);
  const variance = ((count / (count - 1)) * squares) / size ** 2;
  const effect = variance / ((p * (1 - p)) / (size - 1));
  // Hits spread exactly evenly would make it 0: no interval can be had from that.
  return effect > 0 ? effect : null;
}
