/** `tracemark score`: miss rate and false alarm rate of every run, on the original and the corrected gold. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defaultBudgets } from "#core/scoring/budgets";
import type { DetailsOptions } from "#core/scoring/details";
import { fullReport, type FullReport } from "#core/scoring/full-report";
import { generalisationMatrix, readMatrixCsv, type GeneralisationMatrix } from "#core/scoring/generalisation";
import { breakdowns } from "#core/scoring/score-input";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { scoreInput } from "#node/score-workspace";
import { spanOverlaps } from "#node/span-overlaps";
import type { Workspace } from "#node/workspace";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, listOption, numberOption } from "../option-values";
import { progressLine } from "../progress";
import { scorePage } from "../score-page";
import { loadWorkspace, tellProblems } from "../workspace-call";

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
    { flags: "--budgets <rates>", description: `rates to keep on the curves of monitors that give scores (default: ${defaultBudgets.join(",")})` },
    { flags: "--reference <file>", description: "CSV with published rates (trained_on, tested_on, metric, value) to set beside the runs" },
    { flags: "--seed <number>", description: "seed of the bootstrap (default: 1)" },
    { flags: "--no-evidence", description: "do not look for the quotes of verdicts" },
    { flags: "--trust-content", description: "read no trajectories to tell stale records; implies --no-evidence" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const gold = choiceOption(call, "gold", ["corrected", "original", "both"], "corrected");
    const options = scoreOptions(call);
    const reference = await readReference(call);
    const workspace = await loadWorkspace(call);
    tellProblems(call.io, workspace.problems);
    if (workspace.samples.length === 0) throw new ExpectedFailure("there are no samples", "name them in tracemark.json, or go to the folder that holds them", { file: workspace.root });
    const runs = runsAsked(call, workspace);
    const trust = call.options["trustContent"] === true;
    const progress = progressLine(call.io, "reading samples");
    const evidence = !trust && call.options["evidence"] !== false;
    const { input, unread } = await scoreInput(workspace, {
      runs, split: options.split, content: trust ? "trust" : "check", evidence,
      onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.end());
    for (const id of unread.slice(0, 10)) call.io.note(`warning: sample ${id} cannot be read; whether its records are stale is not known`);
    if (unread.length > 10) call.io.note(`warning: ${unread.length - 10} more samples cannot be read`);
    const overlap = evidence ? await spanOverlaps(workspace, input) : undefined;
    const reportOn = (which: "original" | "corrected"): FullReport => fullReport({ ...input, overlap }, { ...options, gold: which }, reference);
    if (call.options["json"]) {
      for (const which of gold === "both" ? (["original", "corrected"] as const) : [gold]) call.io.out(JSON.stringify(reportOn(which)));
    } else {
      const title = workspace.settings.config?.name ?? workspace.root;
      call.io.out(scorePage({ title, original: reportOn("original"), ...(gold === "original" ? {} : { corrected: reportOn("corrected") }), by: options.by ?? [] }));
    }
    return 0;
  },
});

async function readReference(call: VerbCall): Promise<GeneralisationMatrix | undefined> {
  const file = textOption(call, "reference");
  if (file === undefined) return undefined;
  const text = await readFile(resolve(call.io.cwd, file), "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, file)));
  const { entries, problems } = readMatrixCsv(text);
  const [first] = problems;
  if (entries.length === 0) throw new ExpectedFailure(first?.message.replace(/\.$/, "") ?? "the file holds no rates", "name a CSV file with published rates", { file, line: first?.line });
  for (const { line, message } of problems.slice(0, 10)) call.io.note(`warning: ${file}:${line}: ${message}`);
  return generalisationMatrix(entries);
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

function budgetsAsked(call: VerbCall): number[] | undefined {
  const words = listOption(call, "budgets");
  const bad = words?.find((word) => !(Number(word) >= 0 && Number(word) < 1));
  if (bad !== undefined) throw new ExpectedFailure(`--budgets cannot be ${bad}`, "give rates from 0 to below 1, with commas between");
  return words?.map(Number);
}

function runsAsked(call: VerbCall, workspace: Workspace): string[] | undefined {
  const asked = listOption(call, "run");
  const known = workspace.runs.map(({ header }) => header.run_id);
  const unknown = asked?.find((id) => !known.includes(id));
  if (unknown === undefined) return asked;
  const choice = known.length === 0 ? "there are no runs; run a monitor first" : `choose from ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : ""}`;
  throw new ExpectedFailure(`no run has the id ${unknown}`, choice, { file: workspace.settings.runs });
}
