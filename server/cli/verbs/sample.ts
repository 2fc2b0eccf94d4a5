/** `tracemark sample`: draws the samples that people are to judge, and writes the plan. */
import { relative } from "node:path";
import { annotatorSlug } from "#core/labels/slug";
import { makePlan, type MadePlan, type PlanOptions } from "#core/labels/make-plan";
import { strategies, strategyInfo, type Strategy } from "#core/labels/plan-draw";
import { expectedByAllocation, expectedPrecision, guessBehind, type ExpectedPrecision } from "#core/labels/plan-precision";
import { allocations, stratumKeys, type Allocation, type FrameSample } from "#core/labels/plan-strata";
import { isInBenchmark } from "#core/pairs/pair-status";
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import type { ExpectedWidths } from "#core/scoring/allocation";
import type { RunFile } from "#core/workspace/run-file";
import { ExpectedFailure } from "#node/expected-failure";
import { knownSamples, planFrame } from "#node/plan-frame";
import { selectSamples } from "#node/select-samples";
import { sha256 } from "#node/sha256";
import { writePlan } from "#node/store/plan-writer";
import { systemClock, systemIds } from "#node/store/system-ids";
import type { Workspace } from "#node/workspace";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, listOption, numberOption } from "../option-values";
import { printable } from "../printable";
import { textTable } from "../text-table";
import { loadWorkspace, tellProblems } from "../workspace-call";

export const sampleVerb = defineVerb({
  name: "sample",
  summary: "draw samples for people to judge, and write the plan",
  operands: "",
  options: [
    { flags: "--strategy <name>", description: `${strategies.join(", ")}` },
    { flags: "--budget <number>", description: "at most so many samples (default: all that fit)" },
    { flags: "--run <id>", description: "run whose verdicts the strategy goes by" },
    { flags: "--by <keys>", description: `strata of stratified: ${stratumKeys.join(", ")}` },
    { flags: "--allocation <how>", description: `how stratified shares the budget: ${allocations.join(", ")} (default neyman)` },
    { flags: "--threshold <score>", description: "where a score turns into a flag (default: told from the run)" },
    { flags: "--assign <names>", description: "annotators, with commas between" },
    { flags: "--overlap <share>", description: "share of the samples that two annotators judge (default 0)" },
    { flags: "--raters <number>", description: "how many annotators judge a sample of the overlap (default 2)" },
    { flags: "--repeats <share>", description: "share of each annotator's samples that come again, unmarked (default 0.05)" },
    { flags: "--known <share>", description: "share of samples with settled gold to slip in, unmarked (default 0)" },
    { flags: "--samples <patterns...>", description: "draw only from these samples: ids, patterns, files, manifests" },
    { flags: "--split <split>", description: "draw only from this split" },
    { flags: "--seed <number>", description: "whole number that fixes the draw (default: by the clock, and written down)" },
    { flags: "--id <id>", description: "id of the plan, and name of its file" },
    { flags: "--dry-run", description: "write nothing; print what would be drawn and how wide the intervals would be" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const strategy = choiceOption<Strategy | "">(call, "strategy", strategies, "");
    if (strategy === "") throw new ExpectedFailure("sample needs a strategy", `give --strategy with one of ${strategies.join(", ")}`);
    const workspace = await loadWorkspace(call);
    tellProblems(call.io, workspace.problems);
    const split = textOption(call, "split");
    const patterns = listOption(call, "samples");
    const selected = await selectSamples(workspace, { patterns, split }, call.io.cwd);
    // Rates are of the benchmark: what its status keeps out of it is judged only where it is named.
    const samples = patterns ? selected : selected.filter(isInBenchmark);
    if (samples.length === 0) throw new ExpectedFailure("no sample is accepted yet", "name drafts and samples in review with --samples");
    if (samples.length < selected.length) call.io.note(`note: ${counted(selected.length - samples.length, "sample")} left out because of the status in the manifest (draft, in review or rejected)`);
    const run = runFor(call, workspace, strategy);
    const frame = planFrame(workspace, samples, run);
    const options = planOptions(call, strategy, run);
    const known = knownFor(call, workspace, frame, options);
    const made = makePlan(frame, { ...options, known }, sha256);
    if (made.items.length === 0) throw noneFits(strategy, frame);
    const dryRun = call.options["dryRun"] === true;
    const path = dryRun ? undefined : await writePlan(workspace.plansFolder, made.header, made.items);
    const guess = made.draw.probability ? guessBehind(frame) : undefined;
    const notes = [...made.notes, ...(guess === undefined ? [] : [guess])];
    for (const note of notes) call.io.note(`note: ${note}`);
    const file = path === undefined ? undefined : relative(call.io.cwd, path).replaceAll("\\", "/");
    const byAllocation = dryRun ? expectedByAllocation(frame, made.draw, options.seed) : undefined;
    // Simulated where it can be: the formula does not know what few events cost.
    const expected = byAllocation?.find(({ allocation }) => allocation === (options.allocation ?? "neyman"))?.half_width ?? expectedPrecision(frame, made.draw);
    if (call.options["json"]) call.io.out(JSON.stringify(planLine({ ...made, notes }, expected, byAllocation, file)));
    else for (const line of planText(made, expected, byAllocation, file)) call.io.out(line);
    return 0;
  },
});

/** Says where samples would fit but for the test split, which is not for learning. */
function noneFits(strategy: Strategy, frame: readonly FrameSample[]): ExpectedFailure {
  const held = strategy === "threshold" ? frame.filter(({ verdict, heldForTest }) => heldForTest && verdict?.score !== undefined).length : 0;
  if (held === 0) return new ExpectedFailure(`no sample fits the strategy ${strategy}`, "choose another strategy or another run");
  return new ExpectedFailure(`all ${held} samples that have a score are of the test split, or of a pair or group with one, and samples near the threshold are for learning`, "choose another split, or another strategy");
}

function runFor(call: VerbCall, workspace: Workspace, strategy: Strategy): RunFile | undefined {
  const asked = textOption(call, "run");
  const ids = workspace.runs.map(({ header }) => header.run_id);
  const choice = ids.length === 0 ? "there are no runs; run a monitor first" : `choose from ${ids.slice(0, 8).join(", ")}${ids.length > 8 ? ", …" : ""}`;
  if (asked !== undefined) {
    const run = workspace.runs.find(({ header }) => header.run_id === asked);
    if (!run) throw new ExpectedFailure(`no run has the id ${asked}`, choice, { file: workspace.settings.runs });
    return run;
  }
  if (workspace.runs.length === 1) return workspace.runs[0];
  if (strategyInfo[strategy].needsRun) throw new ExpectedFailure(`the strategy ${strategy} goes by the verdicts of a run`, `name it with --run: ${choice}`);
  if (strategy === "stratified" && ids.length > 1 && listOption(call, "by")?.every((key) => key === "category" || key === "task") !== true) {
    throw new ExpectedFailure("there are several runs to go by", `name one with --run, or give --by category: ${choice}`);
  }
  return undefined;
}

function planOptions(call: VerbCall, strategy: Strategy, run: RunFile | undefined): PlanOptions {
  const share = (name: string): number | undefined => numberOption(call, name, (value) => value >= 0 && value <= 1, "a share between 0 and 1");
  const count = (name: string): number | undefined => numberOption(call, name, (value) => Number.isSafeInteger(value) && value >= 1, "a whole number from 1");
  const annotators = listOption(call, "assign");
  checkNames(annotators);
  const overlap = share("overlap");
  if (overlap !== undefined && (annotators?.length ?? 0) < 2) throw new ExpectedFailure("--overlap needs two annotators", "name them with --assign A,B");
  const by = listOption(call, "by");
  const unknown = by?.find((word) => !stratumKeys.some((key) => key === word));
  if (unknown !== undefined) throw new ExpectedFailure(`--by cannot be ${unknown}`, `use ${stratumKeys.join(", ")}`);
  const now = systemClock.now();
  const createdAt = new Date(now).toISOString();
  return {
    strategy, budget: count("budget"), by: by && stratumKeys.filter((key) => by.includes(key)),
    allocation: choiceOption<Allocation>(call, "allocation", allocations, "neyman"), threshold: share("threshold"),
    seed: numberOption(call, "seed", Number.isSafeInteger, "a whole number") ?? now % 0x8000_0000,
    annotators, overlap, raters: count("raters"), repeats: share("repeats"),
    // The name says nothing of the strategy: whoever judges blind sees it.
    planId: textOption(call, "id") ?? `plan-${createdAt.slice(0, 10)}-${systemIds().next().slice(-6).toLowerCase()}`,
    createdAt, ...(run === undefined ? {} : { runId: run.header.run_id }),
  };
}

function checkNames(annotators: readonly string[] | undefined): void {
  const slugs = new Map<string, string>();
  for (const name of annotators ?? []) {
    const other = slugs.get(annotatorSlug(name));
    if (other !== undefined) throw new ExpectedFailure(`${other} and ${name} would share one label file`, "give the annotators names that differ in letters or digits");
    slugs.set(annotatorSlug(name), name);
  }
}

function knownFor(call: VerbCall, workspace: Workspace, frame: readonly FrameSample[], options: PlanOptions): string[] {
  const share = numberOption(call, "known", (value) => value >= 0 && value <= 1, "a share between 0 and 1") ?? 0;
  if (share === 0) return [];
  const pool = knownSamples(workspace, workspace.samples);
  if (pool.length === 0) throw new ExpectedFailure("no sample has a settled gold yet", "leave --known out until some are adjudicated or judged alike by two people");
  const wanted = Math.max(1, Math.round(share * Math.min(options.budget ?? frame.length, frame.length)));
  return shuffled(pool, seededRandom(options.seed, "known")).slice(0, wanted);
}

/** What `--json` prints. `half_width` is null where a plan cannot tell the rate. */
function planLine({ header, items, draw, notes }: MadePlan, expected: ExpectedPrecision | null, byAllocation: readonly ExpectedWidths[] | undefined, file: string | undefined) {
  return {
    plan_id: header.plan_id, file: file ?? null, strategy: header.strategy, probability: header.probability, seed: header.seed,
    run_id: header.run_id ?? null, samples: draw.drawn.length, items: items.length, strata: header.strata,
    assigned: Object.fromEntries((header.annotators ?? []).map((name) => [name, items.filter(({ assigned_to }) => assigned_to === name).length])),
    half_width: expected, ...(byAllocation ? { allocations: byAllocation } : {}), notes,
  };
}

function planText({ header, items, draw }: MadePlan, expected: ExpectedPrecision | null, byAllocation: readonly ExpectedWidths[] | undefined, file: string | undefined): string[] {
  const width = (value: number | null | undefined): string => (value === null || value === undefined ? "cannot be told" : `± ${value.toFixed(3)}`);
  const assigned = (header.annotators ?? []).map((name) => `${printable(name)} ${items.filter(({ assigned_to }) => assigned_to === name).length}`);
  return [
    `${header.plan_id}: ${counted(draw.drawn.length, "sample")} in ${counted(items.length, "item")}, ${strategyInfo[header.strategy as Strategy].title.toLowerCase()}, seed ${header.seed}`,
    ...(assigned.length > 0 ? [`assigned   ${assigned.join(", ")}`] : []),
    `for rates  ${header.probability ? "yes: every sample had a known chance of being drawn" : "no: the samples were not drawn at random over all of them"}`,
    ...(expected ? [`miss rate to be expected ${width(expected.miss_rate)}, false alarm rate ${width(expected.false_alarm_rate)} (half of the 95 % interval)`] : []),
    ...(byAllocation ?? []).map(({ allocation, half_width }) => `  shared ${allocation}: miss rate ${width(half_width.miss_rate)}, false alarm rate ${width(half_width.false_alarm_rate)}, precision ${width(half_width.precision)}, prevalence ${width(half_width.prevalence)}`),
    "", textTable([["stratum", "samples", "drawn"], ...header.strata.map(({ id, N, n }) => [printable(id), String(N), String(n)])]), "",
    file === undefined ? "nothing was written" : file,
  ];
}
