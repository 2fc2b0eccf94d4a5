/** Texts of the plots of the score view and of the tables beneath them. */
export const plotStrings = {
  forest: "Forest",
  heat: "Category × task",
  curves: "Curves",
  matrix: "Matrix",
  prompting: "Prompting",
  faithfulness: "Evidence",
  pairs: "Pairs",
  changes: "Gold changes",
  agreement: "Agreement",
  compare: "Compare",
  gold: "Gold of the numbers",
  goldNames: { corrected: "Corrected gold", original: "Original gold" },

  // Export
  saveSvg: "SVG",
  savePng: "PNG",
  saveCsv: "CSV",
  saveTitle: { svg: "Save this plot as SVG", png: "Save this plot as PNG", csv: "Save the table as CSV" },
  pngFailed: "The picture could not be made. Save it as SVG instead.",
  keysHint: "Point at a mark, or move from mark to mark with the arrow keys. Enter shows its samples in the review queue.",
  namesHint: "Point at a mark, or move from mark to mark with the arrow keys, to name it.",
  disagreements: "samples on which people disagree", disagreementsOf: "samples on which {a} and {b} disagree",
  openHint: "{words}. Enter shows the samples.",
  openCount: "Show these samples in the review queue",

  // Waiting
  working: "Working out {part}…",
  stop: "Stop",
  stopped: "Stopped.",
  again: "Try again",
  unreadable: "The answer could not be read.",

  // Titles of queues
  cellTitle: { tp: "hits of {run}", fn: "misses of {run}", fp: "false alarms of {run}", tn: "rightly passed by {run}", invalid: "invalid answers of {run}", missing: "no verdict of {run}", stale: "verdicts of {run} on other content" },
  errorsTitle: "errors of {run}",
  withinTitle: "{title}, {within}",
  reviewedTitle: "reviewed, {title}",
  quotesTitle: { exact: "exact quotes of {run}", near: "near quotes of {run}", ambiguous: "ambiguous quotes of {run}", absent: "absent quotes of {run}", all_absent: "only absent quotes of {run}" },
  scoresTitle: "scores {from} to {to} of {run}",

  // Forest
  forestTitle: "Miss rate and false alarm rate with 95 % intervals",
  forestWords: "{name}: {rate} {value}",
  wilson: "Wilson 95 %",
  clusteredLegend: "95 % with groups",
  clustered: "With groups",
  designEffect: "design effect {value}",

  // Trade-off
  leastSquares: "least squares",
  paretoLegend: "Pareto front",
  correlation: "Pearson's r = {r} [{low}, {high}] over {n} runs; least squares: FAR = {slope} × MR {sign} {intercept}.",
  fewRuns: "Fewer than 4 runs with both rates: no correlation is told.",
  published: "Published line",
  publishedTitle: "Show the line of the published study: r = −0.54 over 22 monitors, FAR = −0.42 MR + 0.49",
  publishedLegend: "published, 22 monitors",

  // Heat map
  heatTitle: "{rate} of {run} by category and task",
  heatWords: "{category}, {task}: {rate} {value}; {second}",
  heatRate: "Rate",
  noHeat: "No sample of this run says its category or task.",

  // Curves
  noCurves: "No run gives scores, so there is no threshold to move. Monitors that answer with a score from 0 to 1 have curves.",
  roc: "ROC", precisionRecall: "Precision and recall", reliability: "Reliability",
  curve: "Curve",
  rocTitle: "ROC: hit rate against false alarm rate over all thresholds",
  prTitle: "Precision against recall over all thresholds",
  reliabilityTitle: "Share of misbehavior against score of {run}",
  hitRate: "Hit rate (1 − MR)", recall: "Recall (1 − MR)", precision: "Precision", score: "Mean score", observed: "Share of misbehavior",
  flaggedTitle: "scores from {from} of {run}",
  curvePoint: "{run} at threshold {threshold}: {y} {yValue}, {x} {xValue}",
  nothingFlagged: "nothing flagged",
  area: "ROC area", averagePrecision: "Average precision", brier: "Brier", brierBase: "Brier of the share", calibrationError: "Calibration error",
  binWords: "Scores {from} to {to}: {share} of {n} misbehave, {interval}; mean score {mean}",
  budgets: "Rates at a budget",
  budgetOf: { false_alarm_rate: "FAR at most {budget}", miss_rate: "MR at most {budget}" },
  threshold: "Threshold", chosenOn: "Chosen on", reportedOn: "Reported on", optimistic: "flattering: chosen on the same samples",
  balancedNote: "Precision and calibration hold for the share of misbehavior in these samples, not for the field.",
  chance: "no skill", perfect: "perfect calibration",

  // Matrix
  noMatrix: "No run says what it was trained on, so there is no matrix. Runs of trained guards name it in trained_on; published rates can be loaded from a CSV file.",
  matrixTitle: "{rate} by what a guard was trained on and tested on",
  matrixOwn: "Runs", matrixPublished: "Published rates",
  untrained: "untrained", trainedOn: "Trained on", testedOn: "Tested on",
  loadPublished: "Load published rates…", forgetPublished: "Forget published rates",
  inDistribution: "trained on", inDistributionColumn: "In distribution", changeBase: "{value} against the untrained",
  matrixWords: "Trained on {trained}, tested on {tested}: {rate} {value}{change}{own}",
  ofWhat: "Rates of",

  // Prompting
  noPrompting: "No model has both a run with direct and one with evidence prompting.",
  promptingTitle: "Evidence minus direct prompting: change of {rate}",
  pHolm: "Holm {p}", pHolmTitle: "Exact McNemar test; beneath, with Holm's correction over both rates of all categories of the model",
  promptingWords: "{model}, {category}: {rate} changes by {value}, p {p}, over {n} samples",
  model: "Model", all: "All", changeOf: "Change of {rate}", p: "p",
  promptingNote: "Below 0 is better with evidence prompting. The two prompts differ in more than the quotes.",

  // Evidence
  noFaithfulness: "No verdict quotes anything that was looked for.",
  faithfulnessTitle: "How the quotes of each run were found",
  faithfulnessWords: "{run}: {n} of {total} quotes {state} ({share})",
  allAbsent: "Verdicts with only absent quotes", refusedMr: "MR without these", refusedFar: "FAR without these", overlap: "Overlap with own spans (F1)",
  quotes: "Quotes",

  // Pairs
  noPairs: "No sample names a pair.",
  pairsTitle: "How pairs came out: the same request, one half benign, one misbehaving",
  pairNames: { both_right: "Both right", only_misbehavior_right: "Both flagged", only_benign_right: "Neither flagged", inverted: "Inverted" },
  pairQueues: { both_right: "pairs that {run} gets right", only_misbehavior_right: "pairs of which {run} flags both halves", only_benign_right: "pairs of which {run} flags neither half", inverted: "pairs that {run} inverts" },
  pairWords: "{run}: {n} of {total} pairs {outcome} ({share})",
  pairAccuracy: "Pair accuracy", sameGold: "Same gold", incomplete: "Incomplete", pairsCount: "Pairs",

  // Gold changes
  noChanges: "No label was changed, so original and corrected gold are the same.",
  changesTitle: "What each corrected label did to {rate} of {run}",
  changesSummary: "{changed} labels changed: {to_misbehavior} to misbehavior, {to_benign} to benign; {to_undecided} left undecided, {first_labels} labelled for the first time.",
  changeWords: "{sample}: {from} to {to}, {rate} {value}",
  sample: "Sample", from: "From", to: "To", noLabel: "none", cell: "Cell",
  showAllChanged: "Show the {n} changed samples",
  changesAll: "all changed samples",
  moreChanges: "The {n} largest of {total} are drawn; the table has all.",

  // Agreement
  noAgreement: "No labels count for agreement yet. Two people who judge the same samples make a start.",
  agreementTitle: "How far people agree, with 95 % intervals",
  agreementWords: "{name}: {value}, n {n}",
  raw: "Raw agreement", onClass: "On {label}", alpha: "Krippendorff's alpha", kappa: "Kappa {a}, {b}", spanF1: "Span F1 {a}, {b}",
  self: "{annotator} again", known: "{annotator} on known items", month: "Raw, {month}", guidelinesChanged: "guidelines changed",
  blindWith: "{run}, blind", shownWith: "{run}, shown", gap: "{run}, shown − blind",
  value: "Value", low: "Low", high: "High", measure: "Measure",
  excludedLine: "Left out: {list}.", nothing: "nothing",

  // Compare
  compareNeeds: "Two runs are needed to compare.",
  runB: "Compared with", compareWith: "A: {run}, B:",
  compareTitle: "{b} minus {a} on the {n} samples that both judged",
  differenceWords: "{rate}: B minus A {value}",
  bothRight: "Both right", onlyA: "Only A wrong", onlyB: "Only B wrong", bothWrong: "Both wrong",
  mcnemar: "McNemar p", difference: "B minus A", atMost: "no sample tells them apart; still at most {value}",
  goldClass: "Gold", discordant: "Show the {n} discordant samples", discordantTitle: "only one of {a} and {b} is wrong",
  compareQueues: { both_right: "both right: {a}, {b}", only_a_wrong: "only {a} wrong", only_b_wrong: "only {b} wrong", both_wrong: "both wrong: {a}, {b}" },
  excluded: "Left out: {only_a} with a verdict of A only, {only_b} of B only, {invalid} invalid, {stale} stale.",

  // Repeats
  repeats: "Repeats", onlyOneDraw: "Every run asked once: its numbers are those of one draw. A run with --repeat tells how much they move.",
  repeatsTitle: "Verdicts that flip, and rates of single draws", draws: "Draws", oneDraw: "one draw",
  flips: "Flips, {gold}", flipsName: "Flips, {gold}: {run}", flipWords: "{run}: {n} of {m} {gold} samples flip, {value}",
  spreadName: "{rate} of draws: {run}", spreadWords: "{run}: {rate} from {low} to {high} over {draws} draws, standard deviation {deviation}",
  betweenDraws: "{rate} of draws", spreadHint: "Of draws: lowest and highest of the draws around their mean; s is their standard deviation.",

  // Estimates
  estimates: "Estimates from plans",
  plan: "Plan", judged: "Judged", interim: "interim, {n} of {m}", done: "{n} of {m}", frame: "Frame", prevalence: "Prevalence", labelNoise: "Wrong original labels",
  estimateTitle: "For all samples of the plan, from those that were drawn and judged",
  estimateHeadline: "estimated from plan {plan}, {judged}",
} as const;
