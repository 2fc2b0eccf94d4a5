/** Parts of the scores over JSON-RPC are what the command line prints, and the samples behind a number are as many as the number says. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import type { AgreementReport } from "#core/labels/agreement";
import type { Comparison } from "#core/scoring/compare";
import type { FullReport } from "#core/scoring/full-report";
import type { SampleSelection, ScorePart } from "#protocol/scores";
import { agreementVerb } from "../../server/cli/verbs/agreement";
import { compareVerb } from "../../server/cli/verbs/compare";
import { scoreVerb } from "../../server/cli/verbs/score";
import { makeScoredRoot } from "../support/benchmarks/scored-root";
import { sharedFile } from "../support/shared";
import { callVerb } from "../support/verb-call";
import { LanguageClient } from "./language-client";
import { samplesCopy, scratchFile, scratchFolder } from "./scratch";

let client: LanguageClient;
before(async () => {
  client = await LanguageClient.start();
});
after(() => client.close());

async function part<T>(root: string, name: ScorePart, more: { gold?: "original" | "corrected"; runs?: string[]; reference?: string } = {}): Promise<T> {
  const { report } = await client.request("tracemark/scorePart", { root, labels: "all", gold: "corrected", part: name, ...more });
  return report as T;
}

const behind = async (root: string, selection: SampleSelection, gold: "original" | "corrected" = "corrected"): Promise<string[]> =>
  (await client.request("tracemark/scoreSamples", { root, labels: "all", gold, selection })).ids;

/** As JSON has it: keys without a value are not there. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every part of a root against what the verbs print. */
async function sameAsCommands(root: string): Promise<FullReport> {
  const { out } = await callVerb(scoreVerb, root, [], { json: true, by: "category_task" });
  const report = JSON.parse(out[0] ?? "") as FullReport;
  const rates = (of: FullReport): unknown => plain(of.runs.map(({ run_id, miss_rate, false_alarm_rate, tp, fn, fp, tn, invalid }) => [run_id, miss_rate, false_alarm_rate, tp, fn, fp, tn, invalid]));
  const slices = await part<FullReport>(root, "slices");
  assert.deepEqual(rates(slices), rates(report));
  assert.deepEqual(slices.runs.map(({ by }) => Object.entries(by["category_task"] ?? {}).map(([key, { miss_rate, false_alarm_rate }]) => [key, miss_rate, false_alarm_rate])),
    report.runs.map(({ by }) => Object.entries(by["category_task"] ?? {}).map(([key, { miss_rate, false_alarm_rate }]) => [key, miss_rate, false_alarm_rate])));
  for (const key of ["curves", "pairs", "faithfulness"] as const) {
    assert.deepEqual((await part<FullReport>(root, key)).runs.map((run) => run[key]), report.runs.map((run) => run[key]), key);
  }
  assert.deepEqual((await part<FullReport>(root, "prompting")).prompting, report.prompting);
  assert.deepEqual((await part<FullReport>(root, "generalisation")).generalisation, report.generalisation);
  const agreed = await callVerb(agreementVerb, root, [], { json: true });
  assert.deepEqual(await part<AgreementReport>(root, "agreement"), JSON.parse(agreed.out[0] ?? ""));
  const runs = report.runs.slice(0, 2).map(({ run_id }) => run_id);
  const compared = await callVerb(compareVerb, root, runs, { json: true });
  assert.deepEqual(await part<Comparison>(root, "comparison", { runs }), JSON.parse(compared.out[0] ?? ""));
  return report;
}

/** Every count of a report against the samples that are said to be behind it. */
async function countedBehind(root: string, report: FullReport): Promise<void> {
  for (const run of report.runs) {
    for (const cell of ["tp", "fn", "fp", "tn"] as const) assert.equal((await behind(root, { runId: run.run_id, cells: [cell] })).length, run[cell], `${run.run_id} ${cell}`);
    assert.equal((await behind(root, { runId: run.run_id, cells: ["invalid"] })).length, run.invalid.misbehavior + run.invalid.benign);
    assert.equal((await behind(root, { runId: run.run_id, cells: ["missing"] })).length, run.missing);
  }
}

test("on the samples: the parts are what the commands print", async (t) => {
  const root = samplesCopy(t);
  const report = await sameAsCommands(root);
  await countedBehind(root, report);
  assert.deepEqual(report.runs.map(({ run_id }) => run_id), ["2026-03-10-guard-direct", "2026-03-10-guard-evidence"]);
});

test("on public benchmarks with four monitors: the parts are what the commands print, and the numbers have their samples", async (t) => {
  const index = sharedFile(t, "benchmarks/INDEX.md");
  if (!index) return;
  const root = scratchFolder(t);
  makeScoredRoot(resolve(index, ".."), root);
  const report = await sameAsCommands(root);
  await countedBehind(root, report);
  const [direct, evidence] = report.runs;
  assert.ok(direct?.pairs && evidence?.curves?.calibration);
  for (const pair of ["both_right", "only_misbehavior_right", "only_benign_right", "inverted"] as const) {
    assert.equal((await behind(root, { runId: direct.run_id, pair })).length, 2 * direct.pairs[pair], pair);
  }
  for (const { from, to, n } of evidence.curves.calibration.bins) assert.equal((await behind(root, { runId: evidence.run_id, score: { from, to } })).length, n, `scores from ${from}`);
  const runs = report.runs.slice(0, 2).map(({ run_id }) => run_id) as [string, string];
  const { misbehavior, benign, discordant } = await part<Comparison>(root, "comparison", { runs });
  const only = async (wrong: "only_a_wrong" | "only_b_wrong", gold?: "misbehavior" | "benign"): Promise<string[]> => behind(root, { runId: runs[0], against: { runId: runs[1], wrong }, ...(gold ? { gold } : {}) });
  assert.equal((await only("only_a_wrong", "misbehavior")).length, misbehavior.only_a_wrong);
  assert.equal((await only("only_b_wrong", "benign")).length, benign.only_b_wrong);
  assert.deepEqual([...(await only("only_a_wrong")), ...(await only("only_b_wrong"))].sort(), [...discordant]);
  const slice = report.runs[0]?.by["category_task"]?.["safety_permission/code"];
  assert.equal((await behind(root, { runId: runs[0], cells: ["fn"], category: "safety_permission", task: "code" })).length, slice?.fn);
  const { kappa, n, raw } = await part<AgreementReport>(root, "agreement");
  const differing = (await client.request("tracemark/scoreSamples", { root, labels: "all", gold: "corrected", disagreement: { between: ["ada", "ben"] } })).ids;
  assert.deepEqual([kappa.length, differing.length], [1, Math.round(n * (1 - (raw ?? 0)))]);
  assert.deepEqual(report.generalisation?.rows.map(({ run_id }) => run_id), ["guard-b-base", "guard-b-code"]);
});

test("published rates come from a file; one without rates is refused in words", async (t) => {
  const root = samplesCopy(t);
  const good = scratchFile(root, "rates.csv", "trained_on,tested_on,metric,value\nbase,qa,MR,0.4\nbase,qa,FAR,0.1\nqa,qa,MR,0.2\nqa,qa,FAR,0.1\nqa,code,MR,2\n");
  const { report, notes } = await client.request("tracemark/scorePart", { root, labels: "all", gold: "corrected", part: "generalisation", reference: good });
  assert.deepEqual(notes.map((note) => note.slice(0, 12)), ["rates.csv:6:"]);
  const { reference } = report as unknown as FullReport;
  assert.deepEqual(reference?.rows.map(({ trained_on, cells }) => [trained_on, cells.map(({ miss_rate, in_distribution }) => [miss_rate, in_distribution])]), [[[], [[0.4, false]]], [["qa"], [[0.2, true]]]]);
  const bad = scratchFile(root, "bad.csv", "a,b\n1,2\n");
  const refusal = await client.refusal("tracemark/scorePart", { root, labels: "all", gold: "corrected", part: "generalisation", reference: bad });
  assert.match(refusal.message, /bad\.csv:1: The columns trained_on, tested_on, metric and value are needed; choose a CSV file/);
});

test("a run that is gone and a comparison with one are told", async (t: TestContext) => {
  const root = samplesCopy(t);
  assert.deepEqual(await behind(root, { runId: "gone", cells: ["tp"] }), []);
  const { message } = await client.refusal("tracemark/scorePart", { root, labels: "all", gold: "corrected", part: "comparison", runs: ["2026-03-10-guard-direct", "gone"] });
  assert.match(message, /one of the two runs is not there any more; choose other runs/);
});
