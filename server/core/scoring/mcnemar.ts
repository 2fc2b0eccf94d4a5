/** Whether two monitors that judged the same samples differ by more than chance: only samples on which exactly one is wrong tell. */
import { logChoose } from "./log-gamma";

/**
 * McNemar's exact two-sided test (McNemar 1947, Psychometrika 12:153-157; the conditional binomial form): twice the smaller
 * tail of a fair coin thrown `onlyA + onlyB` times, at most 1. 1 without discordant samples.
 */
export function mcnemarExact(onlyA: number, onlyB: number): number {
  const trials = onlyA + onlyB;
  const fewer = Math.min(onlyA, onlyB);
  if (onlyA === onlyB) return 1;
  // From the largest term down, each the next times k / (trials - k + 1), until nothing is added any more.
  let term = 1;
  let sum = 0;
  for (let k = fewer; k >= 0 && term > sum * 1e-17; k--) {
    sum += term;
    term *= k / (trials - k + 1);
  }
  return Math.min(1, 2 * sum * Math.exp(logChoose(trials, fewer) - trials * Math.LN2));
}
