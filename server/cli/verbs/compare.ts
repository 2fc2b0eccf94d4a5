/** `tracemark compare`: two or more runs on the same samples, whether they differ and by how much. */
import { compareRuns, type ClassComparison, type Comparison, type RateDifference } from "#core/scoring/compare";
import { pValue } from "#core/report/document";
import { ExpectedFailure } from "#node/expected-failure";
import { scoreInput } from "#node/score-workspace";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption } from "../define";
import { choiceOption, numberOption } from "../option-values";
import { printable } from "../printable";
import { progressLine } from "../progress";
import { textTable } from "../text-table";
import { loadWorkspace, requireSplit, tellProblems } from "../workspace-call";

/** Discordant ids named on the page; `--json` prints all. */
const toldAtMost = 20;

export const compareVerb = defineVerb({
  name: "compare",
  summary: "compare runs on the samples that both judged: exact McNemar test, difference of rates with intervals",
  operands: "<runs...>",
  options: [
    { flags: "--gold <which>", description: "corrected (default) or original" },
    { flags: "--labels <which>", description: "all (default), or blind: only labels given blind" },
    { flags: "--split <split>", description: "only samples of this split" },
    { flags: "--seed <number>", description: "seed of the bootstrap (default: 1)" },
    { flags: "--trust-content", description: "read no trajectories to tell stale records" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const options = {
      gold: choiceOption<"corrected" | "original">(call, "gold", ["corrected", "original"], "corrected"),
      labels: choiceOption<"all" | "blind">(call, "labels", ["all", "blind"], "all"),
      split: textOption(call, "split"),
      seed: numberOption(call, "seed", Number.isSafeInteger, "a whole number") ?? 1,
    };
    if (call.args.length < 2) throw new ExpectedFailure("compare needs two runs", "name them: tracemark compare RUN_A RUN_B");
    const workspace = await loadWorkspace(call);
    tellProblems(call.io, workspace.problems);
    requireSplit(workspace, options.split);
    const known = workspace.runs.map(({ header }) => header.run_id);
    const unknown = call.args.find((id) => !known.includes(id));
    if (unknown !== undefined) {
      const choice = known.length === 0 ? "there are no runs; run a monitor first" : `choose from ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : ""}`;
      throw new ExpectedFailure(`no run has the id ${unknown}`, choice, { file: workspace.settings.runs });
    }
    const progress = progressLine(call.io, "reading samples");
    const { input, unread } = await scoreInput(workspace, {
      runs: call.args, split: options.split, content: call.options["trustContent"] === true ? "trust" : "check", evidence: false,
      onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.end());
    if (unread.length > 0) call.io.note(`warning: ${unread.length} samples cannot be read; whether their records are stale is not known`);
    const runs = call.args.flatMap((id) => input.runs.find(({ header }) => header.run_id === id) ?? []);
    const comparisons = compareRuns(input, runs, options);
    if (call.options["json"]) for (const comparison of comparisons) call.io.out(JSON.stringify(comparison));
    else call.io.out(comparisons.map(comparisonPage).join("\n\n"));
    return 0;
  },
});

function comparisonPage(comparison: Comparison): string {
  const { a, b, n, groups, excluded, discordant, difference, misbehavior, benign } = comparison;
  const table = textTable([
    ["gold", "A wrong", "B wrong", "only A", "only B", "p", ...(misbehavior.p_holm === undefined ? [] : ["p, Holm"]), "rate", "B minus A"],
    classRow("misbehavior", misbehavior, "miss rate", difference.miss_rate),
    classRow("benign", benign, "false alarm rate", difference.false_alarm_rate),
  ]);
  const left = Object.entries(excluded).filter(([, count]) => count > 0).map(([key, count]) => `${count} ${key.replace("_", " ")}`);
  return [
    `A = ${printable(a)}, B = ${printable(b)}: ${counted(n, "sample")} in ${counted(groups, "group")}, ${comparison.gold} gold${left.length > 0 ? `; left out: ${left.join(", ")}` : ""}`,
    table,
    ...([["miss rate", difference.miss_rate], ["false alarm rate", difference.false_alarm_rate]] as const).flatMap(([name, { at_most }]) =>
      at_most === undefined ? [] : [`No sample tells the two ${name}s apart; with this many groups they may still differ by ${at_most.toFixed(2)}.`]),
    ...withheldLines(comparison), ...(comparison.warnings ?? []).map((text) => `! ${printable(text)}`),
    discordant.length === 0 ? "No discordant samples." : `Only one is wrong: ${discordant.slice(0, toldAtMost).map(printable).join(", ")}${discordant.length > toldAtMost ? ` and ${discordant.length - toldAtMost} more` : ""}`,
  ].join("\n");
}

/** Why a difference has no value although both runs judged samples of its class. */
function withheldLines({ difference, misbehavior, benign }: Comparison): string[] {
  const found = ([[difference.miss_rate, misbehavior], [difference.false_alarm_rate, benign]] as const).flatMap(([{ value, reason }, counts]) => (value === null && reason !== undefined && size(counts) > 0 ? [`! No difference is told: ${printable(reason)}.`] : []));
  return [...new Set(found)];
}

function size({ both_right, only_a_wrong, only_b_wrong, both_wrong }: ClassComparison): number {
  return both_right + only_a_wrong + only_b_wrong + both_wrong;
}

function classRow(name: string, counts: ClassComparison, rate: string, { value, low, high }: RateDifference): string[] {
  const { both_wrong, only_a_wrong, only_b_wrong, p, p_holm } = counts;
  const number = (share: number | null): string => (share === null ? "-" : share.toFixed(2));
  // Where a difference is withheld, its test is as well; a class without a sample has p = 1.
  const pOf = (one: number): string => (value === null && size(counts) > 0 ? "-" : pValue(one));
  return [
    name, String(both_wrong + only_a_wrong), String(both_wrong + only_b_wrong), String(only_a_wrong), String(only_b_wrong), pOf(p),
    ...(p_holm === undefined ? [] : [pOf(p_holm)]), rate, value === null ? "-" : `${number(value)} [${number(low)}, ${number(high)}]`,
  ];
}
