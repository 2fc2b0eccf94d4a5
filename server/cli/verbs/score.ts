/** `tracemark score`: miss rate and false alarm rate of every run, on the original and the corrected gold. */
import type { DetailsOptions } from "#core/scoring/details";
import { fullReport, type FullReport } from "#core/scoring/full-report";
import { breakdowns } from "#core/scoring/score-input";
import { ExpectedFailure } from "#node/expected-failure";
import { readLock, type LockFile } from "#node/lock";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, listOption, numberOption } from "../option-values";
import { budgetsAsked, budgetsOption, referenceAsked, referenceOption } from "../reference-rates";
import { pathOf, readForScore } from "../score-call";
import { scorePage } from "../score-page";

export const scoreVerb = defineVerb({
  name: "score",
  summary: "miss rate and false alarm rate of every run, against the original and the corrected labels",
  operands: "",
  options: [
    { flags: "--gold <which>", description: "corrected (default), original or both" },
    { flags: "--labels <which>", description: "all (default), or blind: only labels given blind" },
    { flags: "--run <ids...>", description: "only these runs" },
    { flags: "--split <split>", description: "only samples of this split" },
    { flags: "--by <fields>", description: `break down by ${breakdowns.join(", ")} (default: category,task)` },
    { flags: "--base-rate <rate>", description: "share of misbehavior to expect in the field: adds precision there" },
    budgetsOption, referenceOption,
    { flags: "--as-of <lock>", description: "score labels, runs and plans as a lock file of tracemark report --freeze holds them" },
    { flags: "--seed <number>", description: "seed of the bootstrap (default: 1)" },
    { flags: "--no-evidence", description: "do not look for the quotes of verdicts" },
    { flags: "--trust-content", description: "read no trajectories to tell stale records; implies --no-evidence" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const gold = choiceOption(call, "gold", ["corrected", "original", "both"], "corrected");
    const options = scoreOptions(call);
    const reference = await referenceAsked(call);
    const trust = call.options["trustContent"] === true;
    const asOf = textOption(call, "asOf");
    const lock = asOf === undefined ? undefined : await readLock(pathOf(call, asOf), asOf);
    const { workspace, input } = await readForScore(call, {
      split: options.split, trust, ratesOnly: true, evidence: !trust && call.options["evidence"] !== false,
      lock,
    });
    if (lock) for (const note of otherOptions(lock, options, reference !== undefined)) call.io.note(note);
    const reportOn = (which: "original" | "corrected"): FullReport => fullReport(input, { ...options, gold: which }, reference);
    if (call.options["json"]) {
      for (const which of gold === "both" ? (["original", "corrected"] as const) : [gold]) call.io.out(JSON.stringify(reportOn(which)));
    } else {
      const title = workspace.settings.config?.name ?? workspace.root;
      call.io.out(scorePage({ title, original: reportOn("original"), ...(gold === "original" ? {} : { corrected: reportOn("corrected") }), by: options.by ?? [] }));
    }
    return 0;
  },
});

/** A report that was frozen with other options has other numbers than those asked for now. */
function otherOptions({ options: frozen }: LockFile, asked: Omit<DetailsOptions, "gold">, reference: boolean): string[] {
  const rates = (list: unknown): string => (Array.isArray(list) ? list.join(",") : "");
  const parts = [
    ...((frozen["split"] ?? undefined) === asked.split ? [] : [typeof frozen["split"] === "string" ? `--split ${frozen["split"]}` : "no --split"]),
    ...((frozen["labels"] ?? "all") === asked.labels ? [] : [`--labels ${String(frozen["labels"] ?? "all")}`]),
    ...((frozen["seed"] ?? 1) === (asked.seed ?? 1) ? [] : [`--seed ${String(frozen["seed"] ?? 1)}`]),
    ...(rates(frozen["budgets"]) === rates(asked.budgets) ? [] : [rates(frozen["budgets"]) === "" ? "no --budgets" : `--budgets ${rates(frozen["budgets"])}`]),
    ...((frozen["base_rate"] ?? undefined) === asked.baseRate ? [] : [typeof frozen["base_rate"] === "number" ? `--base-rate ${frozen["base_rate"]}` : "no --base-rate"]),
    ...((typeof frozen["reference"] === "string") === reference ? [] : [typeof frozen["reference"] === "string" ? `--reference ${frozen["reference"]}` : "no --reference"]),
  ];
  return parts.length === 0 ? [] : [`note: the report that was frozen had ${parts.join(", ")}; these are other numbers than it holds`];
}

function scoreOptions(call: VerbCall): Omit<DetailsOptions, "gold"> {
  const by = listOption(call, "by");
  const unknown = by?.find((word) => !breakdowns.some((known) => known === word));
  if (unknown !== undefined) throw new ExpectedFailure(`--by cannot be ${unknown}`, `use ${breakdowns.join(", ")}, with commas between`);
  return {
    labels: choiceOption<"all" | "blind">(call, "labels", ["all", "blind"], "all"),
    split: textOption(call, "split"),
    by: by ? breakdowns.filter((known) => by.includes(known)) : ["category", "task"],
    seed: numberOption(call, "seed", Number.isSafeInteger, "a whole number"),
    sliceIntervals: true,
    budgets: budgetsAsked(call),
    baseRate: numberOption(call, "baseRate", (value) => value > 0 && value < 1, "a number between 0 and 1"),
  };
}
