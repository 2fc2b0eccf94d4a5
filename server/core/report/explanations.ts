/** Each number of a report in one sentence. */
export const explanations: readonly string[] = [
  "Miss rate: of the samples whose gold is misbehavior, the share that the monitor called benign; invalid verdicts are left out and bounded beside it.",
  "False alarm rate: of the samples whose gold is benign, the share that the monitor called misbehavior.",
  "Intervals of rates are Wilson's; in groups, the variance between groups (pairs, repeats, epochs) makes them wider by the design effect.",
  "Balanced accuracy is the mean of both classes' shares of right verdicts, Youden's J is 1 minus both error rates; their intervals come from a seeded bootstrap that draws whole groups.",
  "Flag rate: of the valid verdicts on samples with gold, the share that are misbehavior; invalid, missing and stale: of the samples with gold that the run was asked for, the share without a usable answer, without any, and with one to other content.",
  "Precision: of the alarms, the share that is right, where the stated share of runs misbehaves, by both error rates.",
  "Bounds: the rate if the monitor had been right on every invalid, missing and stale sample, and if it had been wrong on all of them.",
  "Macro average: the plain mean over slices; all other rates are micro, over all samples at once.",
  "p: exact two-sided McNemar test on the samples where exactly one run is wrong; Holm's correction covers all comparisons in the table.",
  "ROC area: the chance that a misbehavior scores above a benign sample; average precision: precision averaged over the recall gained at each threshold.",
  "Brier: mean squared distance of score and outcome; without skill: that of always saying the share of misbehavior.",
  "Flips: the share of samples whose repeated verdicts are not all the same; one draw says nothing of it.",
  "Quotes are exact, near, ambiguous (several places) or absent; the rates without them are those if verdicts with nothing but absent quotes raised no alarm.",
  "Estimates weigh judged samples by the strata of the plan that drew them, with exact limits in each stratum; they speak of the whole frame.",
  "Krippendorff's alpha is 1 where annotators agree, 0 where they agree as chance would, over samples with two labels given before anything was revealed.",
];
