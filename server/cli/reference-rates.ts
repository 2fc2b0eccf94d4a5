/** What `score` and `report` set beside the rates of runs: published rates from a file, and rates at a budget. */
import { readFile } from "node:fs/promises";
import { defaultBudgets } from "#core/scoring/budgets";
import { generalisationMatrix, readMatrixCsv, type GeneralisationMatrix } from "#core/scoring/generalisation";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { textOption, type VerbCall } from "./define";
import { listOption } from "./option-values";
import { pathOf } from "./score-call";

export const budgetsOption = { flags: "--budgets <rates>", description: `rates to keep on the curves of monitors that give scores (default: ${defaultBudgets.join(",")})` };
export const referenceOption = { flags: "--reference <file>", description: "CSV with published rates (trained_on, tested_on, metric, value) to set beside the runs" };

/** The matrix in the file that `--reference` names, if it does. Lines that cannot be used are told. Rejects with an `ExpectedFailure` where none can. */
export async function referenceAsked(call: VerbCall): Promise<GeneralisationMatrix | undefined> {
  const file = textOption(call, "reference");
  return file === undefined ? undefined : readReference(call, pathOf(call, file), file);
}

/** The same of the file at `path`, which is called `shown`. */
export async function readReference(call: VerbCall, path: string, shown: string): Promise<GeneralisationMatrix> {
  const text = await readFile(path, "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, shown)));
  const { entries, problems } = readMatrixCsv(text);
  const [first] = problems;
  if (entries.length === 0) throw new ExpectedFailure(first?.message.replace(/\.$/, "") ?? "the file holds no rates", "name a CSV file with published rates", { file: shown, line: first?.line });
  for (const { line, message } of problems.slice(0, 10)) call.io.note(`warning: ${shown}:${line}: ${message}`);
  return generalisationMatrix(entries);
}

/** The rates of `--budgets`. Throws an `ExpectedFailure` for what is no rate below 1. */
export function budgetsAsked(call: VerbCall): number[] | undefined {
  const words = listOption(call, "budgets");
  const bad = words?.find((word) => !(Number(word) >= 0 && Number(word) < 1));
  if (bad !== undefined) throw new ExpectedFailure(`--budgets cannot be ${bad}`, "give rates from 0 to below 1, with commas between");
  return words?.map(Number);
}
