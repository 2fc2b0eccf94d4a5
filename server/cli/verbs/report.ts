/** `tracemark report`: the numbers of a root for an appendix, as HTML, Markdown and LaTeX; and locks that let them be had again. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { agreement } from "#core/labels/agreement";
import { forestSvg } from "#core/report/forest";
import { htmlReport } from "#core/report/html";
import { latexReport } from "#core/report/latex";
import { markdownReport } from "#core/report/markdown";
import { scatterSvg } from "#core/report/scatter";
import { reportBlocks } from "#core/report/sections";
import { compareRuns } from "#core/scoring/compare";
import type { DetailsOptions } from "#core/scoring/details";
import { fullReport } from "#core/scoring/full-report";
import type { GeneralisationMatrix } from "#core/scoring/generalisation";
import type { Breakdown } from "#core/scoring/score-input";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { lockedFiles, readLock, type LockFile } from "#node/lock";
import { reportFacts } from "#node/report-facts";
import { sha256 } from "#node/sha256";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, numberOption } from "../option-values";
import { budgetsAsked, budgetsOption, readReference, referenceAsked, referenceOption } from "../reference-rates";
import { pathOf, readForScore, type ScoreCall } from "../score-call";

declare const __VERSION__: string;

/** More runs than these make a table of pairs that nobody reads. */
const comparedAtMost = 8;
const by: readonly Breakdown[] = ["category", "task", "category_task"];

export const reportVerb = defineVerb({
  name: "report",
  summary: "write a report as HTML, Markdown and LaTeX; freeze the files behind it, or check that they still give the same numbers",
  operands: "",
  options: [
    { flags: "--out <folder>", description: "where to write report.html, report.md and report.tex (default: report)" },
    { flags: "--labels <which>", description: "all (default), or blind: only labels given blind" },
    { flags: "--split <split>", description: "only samples of this split" },
    { flags: "--run <ids...>", description: "only these runs" },
    { flags: "--base-rate <rate>", description: "share of misbehavior to expect in the field: adds precision there" },
    budgetsOption, referenceOption,
    { flags: "--seed <number>", description: "seed of the bootstrap (default: 1)" },
    { flags: "--no-text", description: "keep quotes and notes of people out" },
    { flags: "--freeze <file>", description: "also write a lock file of every label, run, plan, manifest and guideline" },
    { flags: "--check <lock>", description: "write nothing; exit 1 when the locked files do not give the same numbers any more" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const asked = {
      labels: choiceOption<"all" | "blind">(call, "labels", ["all", "blind"], "all"), split: textOption(call, "split"),
      seed: numberOption(call, "seed", Number.isSafeInteger, "a whole number") ?? 1,
      budgets: budgetsAsked(call), baseRate: numberOption(call, "baseRate", (value) => value > 0 && value < 1, "a number between 0 and 1"),
    };
    const check = textOption(call, "check");
    if (check !== undefined) return checkLock(call, check);
    const matrix = await referenceAsked(call);
    const read = await readForScore(call, { split: asked.split, evidence: true, trust: false });
    const reference = matrix && { matrix, path: relative(read.workspace.root, pathOf(call, textOption(call, "reference")!)).replaceAll("\\", "/") };
    const written = await writeReport(call, read, { ...asked, by, sliceIntervals: true }, reference);
    const freeze = textOption(call, "freeze");
    if (freeze !== undefined) {
      const lock = await lockOf(read, asked, reference);
      await writeFile(pathOf(call, freeze), `${JSON.stringify(lock, null, 1)}\n`).catch((error: unknown) => Promise.reject(fileFailure(error, freeze)));
      written.push(freeze);
    }
    if (call.options["json"]) call.io.out(JSON.stringify({ written }));
    else for (const path of written) call.io.out(path);
    return 0;
  },
});

/** What a lock holds of a report; everything else of it is what `score` prints as well. */
type LockedOptions = Pick<DetailsOptions, "labels" | "split" | "budgets" | "baseRate"> & { readonly seed: number };

/** Published rates, and the path of their file from the root. */
interface Reference {
  readonly matrix: GeneralisationMatrix;
  readonly path: string;
}

function filesOf(reference: Reference | undefined): string[] {
  return reference ? [reference.path] : [];
}

async function lockOf(read: ScoreCall, asked: LockedOptions, reference: Reference | undefined): Promise<LockFile> {
  const { labels, split, seed, budgets, baseRate } = asked;
  return {
    type: "lock", tracemark_version: __VERSION__,
    options: {
      labels, split, seed, ...(budgets ? { budgets } : {}), ...(baseRate === undefined ? {} : { base_rate: baseRate }), ...(reference ? { reference: reference.path } : {}),
      runs: read.input.runs.map(({ header }) => header.run_id),
    },
    score_sha256: scoreHash(read, asked, reference?.matrix), files: await lockedFiles(read.workspace, filesOf(reference)),
  };
}

async function writeReport(call: VerbCall, { workspace, input }: ScoreCall, options: Omit<DetailsOptions, "gold"> & { readonly seed: number }, reference: Reference | undefined): Promise<string[]> {
  const [original, corrected] = [fullReport(input, { ...options, gold: "original" }, reference?.matrix), fullReport(input, { ...options, gold: "corrected" }, reference?.matrix)];
  const facts = await reportFacts(workspace, input, { ...options, version: __VERSION__, withText: call.options["text"] !== false, files: filesOf(reference) });
  const comparisons = input.runs.length <= comparedAtMost ? compareRuns(input, input.runs, { ...options, gold: "corrected" }) : [];
  if (comparisons.length === 0 && input.runs.length > comparedAtMost) call.io.note(`note: ${input.runs.length} runs are too many to compare each with each; name some with --run`);
  const within = new Set(input.samples.filter(({ split }) => options.split === undefined || split === options.split).map(({ id }) => id));
  const agreed = agreement({ samples: input.samples.filter(({ id }) => within.has(id)), records: input.labels.filter(({ sample_id }) => within.has(sample_id)), labels: options.labels ?? "all", seed: options.seed });
  const blocks = reportBlocks({ facts, original, corrected, comparisons, agreement: agreed });
  const folder = textOption(call, "out") ?? "report";
  const figures = [scatterSvg(corrected), forestSvg(corrected)].filter((figure) => figure !== undefined);
  const files = { "report.html": htmlReport(facts.title, blocks, figures), "report.md": markdownReport(blocks), "report.tex": latexReport(blocks) };
  try {
    await mkdir(pathOf(call, folder), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(pathOf(call, folder), name), text);
  } catch (error) {
    throw fileFailure(error, folder);
  }
  return Object.keys(files).map((name) => `${folder}/${name}`);
}

/** Of the lines that `score --gold both --json` prints with these options. */
function scoreHash({ input }: ScoreCall, options: Omit<DetailsOptions, "gold">, reference: GeneralisationMatrix | undefined): string {
  const line = (gold: "original" | "corrected"): string => `${JSON.stringify(fullReport(input, { ...options, by: ["category", "task"], sliceIntervals: true, gold }, reference))}\n`;
  return sha256(line("original") + line("corrected"));
}

async function checkLock(call: VerbCall, file: string): Promise<number> {
  const lock = await readLock(pathOf(call, file), file);
  const { split, labels, seed, runs, budgets, base_rate: baseRate, reference } = lock.options;
  const options: LockedOptions = {
    split: typeof split === "string" ? split : undefined, labels: labels === "blind" ? "blind" : "all", seed: typeof seed === "number" ? seed : 1,
    budgets: Array.isArray(budgets) ? budgets.map(Number) : undefined, baseRate: typeof baseRate === "number" ? baseRate : undefined,
  };
  const asked = Array.isArray(runs) ? { ...call, options: { ...call.options, run: runs.map(String) } } : call;
  let same = false;
  let why = "the numbers are others: a trajectory, or the way in which they are worked out, has changed";
  try {
    const read = await readForScore(asked, { split: options.split, evidence: true, trust: false, lock });
    const matrix = typeof reference === "string" ? await readReference(call, resolve(read.workspace.root, reference), reference) : undefined;
    same = scoreHash(read, options, matrix) === lock.score_sha256;
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error;
    why = error.sentence();
  }
  if (call.options["json"]) call.io.out(JSON.stringify({ same, ...(same ? {} : { why }) }));
  else call.io.out(same ? `the files locked in ${file} give the same numbers` : `not the same: ${why}`);
  return same ? 0 : 1;
}
