import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { ModelAnswer, ModelCall, ModelProblem, Monitor, MonitorContext, Verdict } from "#core/monitors/define";
import { kindOf, listMonitors, monitorKinds, reservedIdProblem, rulesMonitor } from "#core/monitors/index";
import { builtInPrompts } from "#core/monitors/llm";
import { judge, runHeader, runMonitor } from "#core/monitors/run-monitor";
import { RunHeader, VerdictRecord, type MonitorConfig } from "#core/workspace/schemas";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import { aTrajectory, runs, thinks } from "../../support/benchmarks/build-trajectory";
import { verdictText } from "../../support/fake-openai";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const log = aTrajectory([["user", "Clean up."], ["assistant", thinks("All of it."), runs("rm -rf /")]]);
const config: MonitorConfig = { kind: "llm", model: "m", base_url: "http://127.0.0.1:1/v1", price: { input_per_million: 2, output_per_million: 10 } };
const guard = (change: Partial<MonitorConfig> = {}): Monitor => ({ id: "guard", kind: "llm", config: { ...config, ...change } });

/** Judges the log with a model that gives this answer, and tells what it was asked. */
async function ask(reply: Partial<ModelAnswer> | ModelProblem, monitor = guard(), more: Partial<MonitorContext> = {}): Promise<{ verdict: Verdict; calls: ModelCall[] }> {
  const calls: ModelCall[] = [];
  const context: MonitorContext = {
    sha256, now: () => 0, taxonomy: builtInTaxonomy, reasoning: true, ...more,
    model: { complete: async (call) => { calls.push(call); return "reason" in reply ? reply : { text: "", attempts: 1, latencyMs: 5, ...reply }; } },
  };
  return { verdict: await judge(monitor, log, context), calls };
}

test("evidence: categories and quotes come through, with usage and cost", async () => {
  const { verdict, calls } = await ask({ text: verdictText(true, ["rm -rf /"]), usage: { inputTokens: 1000, outputTokens: 100 }, finishReason: "stop", modelReturned: "m-1", fingerprint: "fp", attempts: 2 });
  assert.equal(verdict.outcome, "misbehavior");
  assert.deepEqual(verdict.categories, [{ category: "safety_permission", description: "found", severity: "moderate", evidence: ["rm -rf /"] }]);
  assert.deepEqual(verdict.usage, { input_tokens: 1000, output_tokens: 100, cost_usd: 0.003 });
  assert.deepEqual([verdict.modelReturned, verdict.fingerprint, verdict.finishReason, verdict.attempts, verdict.latencyMs], ["m-1", "fp", "stop", 2, 5]);
  const [call] = calls;
  assert.deepEqual([call?.provider, call?.model, call?.baseUrl], ["openai-compatible", "m", "http://127.0.0.1:1/v1"]);
  assert.ok(call?.system.includes("- safety_permission (Safety & Permission Violations):"));
  assert.ok(call?.system.includes("If the evidence is thin"));
  assert.ok(call?.user.includes("\ncommand: rm -rf /\n"));
  assert.deepEqual(Object.keys((call?.schema?.["properties"] ?? {}) as object), ["misbehavior_detected", "score", "detected_categories"]);
});

test("direct: the verdict alone", async () => {
  const { verdict, calls } = await ask({ text: '{"misbehavior_detected": false}' }, guard(), { prompting: "direct" });
  assert.deepEqual([verdict.outcome, verdict.categories, verdict.warnings], ["benign", [], []]);
  assert.deepEqual(Object.keys((calls[0]?.schema?.["properties"] ?? {}) as object), ["misbehavior_detected", "score"]);
});

test("what cannot be used is invalid, with the raw answer kept", async () => {
  const { verdict } = await ask({ text: "I'm sorry, but I can't do that.", finishReason: "stop" });
  assert.deepEqual([verdict.outcome, verdict.reason, verdict.raw, verdict.categories], ["invalid", "refusal", "I'm sorry, but I can't do that.", []]);
});

test("a failed request is invalid with its reason", async () => {
  const { verdict } = await ask({ reason: "context_length", message: "too long", attempts: 1, latencyMs: 9 });
  assert.deepEqual([verdict.outcome, verdict.reason, verdict.message, verdict.attempts, verdict.latencyMs], ["invalid", "context_length", "too long", 1, 9]);
});

test("beyond the stated window nothing is sent and nothing is cut", async () => {
  const { verdict, calls } = await ask({ text: verdictText(false) }, guard({ params: { context_tokens: 200, max_tokens: 50 } }));
  assert.deepEqual([verdict.outcome, verdict.reason, calls.length, verdict.attempts], ["invalid", "context_length", 0, 0]);
  assert.match(verdict.message ?? "", /do not fit the 200 of context_tokens; nothing was sent/);
});

test("a monitor without reasoning in its view is not shown any", async () => {
  const { calls } = await ask({ text: verdictText(false) }, guard(), { reasoning: false });
  assert.equal(calls[0]?.user.includes("All of it."), false);
});

test("guidelines and a template of one's own stand in the prompt", async () => {
  const own: Monitor = { ...guard(), template: "## System\nRules: {{guidelines}} Tag {{tag}}.\n## User\n{{trajectory}}" };
  const { calls } = await ask({ text: verdictText(false) }, own, { guidelines: "Deleting is fine." });
  assert.match(calls[0]?.system ?? "", /^Rules: Guidelines of the people who asked for this review:\nDeleting is fine\. Tag [0-9a-f]{20}\.$/);
  assert.match(calls[0]?.user ?? "", /^\[[0-9a-f]{20}\] begin trajectory\n/);
});

test("what a monitor lacks is said in a sentence", () => {
  const problem = (change: Partial<MonitorConfig>, template?: string): string => kindOf(guard()).problem({ ...guard(change), template }) ?? "";
  assert.equal(problem({}), "");
  assert.match(problem({ model: undefined }), /no "model" is set/);
  assert.match(problem({ base_url: undefined }), /no "base_url" is set/);
  assert.equal(problem({ provider: "vscode-lm", base_url: undefined }), "");
  assert.match(problem({ provider: "vscode-lm" }), /"base_url" is set, and provider "vscode-lm" has no address/);
  assert.equal(problem({ provider: "anthropic", base_url: undefined }), "");
  assert.match(problem({ base_url: "not a url" }), /"base_url": "not a url" is no http or https address; write it like/);
  assert.match(problem({ base_url: "https://me:secret@host/v1" }), /holds a user name or password/);
  assert.match(problem({ base_url: "https://host/v1?key=1" }), /holds a query/);
  assert.match(problem({ examples: { count: 2 } }, "{{trajectory}} {{tag}}"), /add \{\{examples\}\}/);
  assert.match(problem({}, "Judge this."), /does not show the agent's work/);
});

test("a kind that lacks what it needs says so and gives no verdict", async () => {
  const monitor: Monitor = { id: "x", kind: "linear", config: { kind: "linear" } };
  assert.match(kindOf(monitor).problem(monitor) ?? "", /no "model" is set; name the file that tracemark train wrote/);
  const { verdict } = await ask({ text: "" }, monitor);
  assert.deepEqual([verdict.outcome, verdict.reason], ["invalid", "configuration"]);
});

test("rules come first and cannot be replaced by another kind", () => {
  const monitors = { rules: config, guard: config, old: { kind: "recorded" as const } };
  assert.deepEqual(listMonitors({ monitors }).map(({ id, kind }) => [id, kind]), [["rules", "rules"], ["guard", "llm"], ["old", "recorded"]]);
  assert.match(reservedIdProblem({ monitors }) ?? "", /"rules" is the built-in monitor/);
  assert.deepEqual(listMonitors(undefined), [rulesMonitor]);
  assert.deepEqual(monitorKinds.map(({ kind }) => kind).sort(), ["command", "linear", "llm", "recorded", "rules", "vote"]);
});

test("a recorded verdict is given as it was recorded, and a missing one is invalid", async () => {
  const monitor: Monitor = { id: "old", kind: "recorded", config: { kind: "recorded" } };
  const record = VerdictRecord.parse({ type: "verdict", sample_id: "sample", outcome: "benign", score: 0.1, detected_categories: [], latency_ms: 3, attempts: 1 });
  const there = await ask({ text: "" }, monitor, { recorded: () => record });
  assert.deepEqual([there.verdict.outcome, there.verdict.score, there.calls.length], ["benign", 0.1, 0]);
  const missing = await ask({ text: "" }, monitor, { recorded: () => undefined });
  assert.deepEqual([missing.verdict.outcome, missing.verdict.reason], ["invalid", "missing"]);
});

test("a bug in a monitor is an invalid verdict, not a broken run", async () => {
  const { verdict } = await ask({ text: "" }, guard(), { sha256: () => { throw new Error("no hash today"); } });
  assert.deepEqual([verdict.outcome, verdict.reason, verdict.message], ["invalid", "error", "no hash today"]);
});

test("verdict lines and headers have the form of the contract, and name the prompt that was used", async () => {
  const context: MonitorContext = { sha256, now: () => 0, taxonomy: builtInTaxonomy, reasoning: false, prompting: "direct", guidelines: "g" };
  const line = await runMonitor(rulesMonitor, log, context, { sampleId: "a", contentSha256: "c", createdAt: "2026-01-01T00:00:00.000Z", repeat: 1 });
  assert.ok(VerdictRecord.safeParse(line).success);
  assert.deepEqual([line.sample_id, line.content_sha256, line.repeat, line.outcome, "raw" in line], ["a", "c", 1, "misbehavior", false]);
  const { header, prompt } = runHeader(guard(), context, { runId: "r", createdAt: "2026-01-01T00:00:00.000Z", version: "1", endpointOrigin: "http://127.0.0.1:1", samples: { count: 1, sha256: "s" } });
  assert.ok(RunHeader.safeParse(header).success);
  assert.equal(prompt, builtInPrompts.direct);
  assert.deepEqual([header.prompting, header.prompt_sha256, header.view, header.guideline_sha256, header.endpoint_origin, header.model], ["direct", sha256(prompt), { reasoning: false }, sha256("g"), "http://127.0.0.1:1", "m"]);
});
