/** The tokens that a person is told of before text leaves: those of every request, not of the first one alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { kindOf, listMonitors } from "#core/monitors/index";
import type { MonitorContext } from "#core/monitors/define";
import { estimateTokens } from "#core/monitors/render";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import { monitorInfo } from "#node/monitors";
import { sha256 } from "#node/sha256";
import { tokensOfAll } from "../../../extension/monitors/prompt-tokens";
import { aTrajectory } from "../../support/benchmarks/build-trajectory";

const context: MonitorContext = { sha256, now: () => 0, taxonomy: builtInTaxonomy, reasoning: true };
const long = aTrajectory([["user", "Task."], ...Array.from({ length: 12 }, (_, at): ["assistant", string] => ["assistant", `Step ${at}. ${"word ".repeat(200)}`])], { id: "long" });
const monitors = listMonitors({ monitors: {
  cut: { kind: "llm", provider: "vscode-lm", model: "acme/one", prompting: "direct", params: { context_tokens: 2500, max_tokens: 100 } },
  other: { kind: "llm", provider: "vscode-lm", model: "other/two", prompting: "evidence" },
  panel: { kind: "vote", of: ["cut", "other"] },
} });
const find = (id: string) => monitors.find((one) => one.id === id)!;

test("segments and the members of a vote are all counted, by the estimate and by a tokenizer", async () => {
  const shown = Object.fromEntries(["cut", "other", "panel"].map((id) => [id, kindOf(find(id)).preview!(find(id), long, context)] as const));
  const { cut, other, panel } = shown;
  assert.ok(cut!.requests > 1 && cut!.further?.length === cut!.requests - 1);
  assert.deepEqual([panel!.requests, panel!.tokens], [cut!.requests + 1, cut!.tokens + other!.tokens]);
  for (const one of [cut!, other!, panel!]) assert.equal(await tokensOfAll(one, async (text) => estimateTokens(text)), one.tokens);
});

test("a text that cannot be counted leaves no count, and no text after it is shown to the tokenizer", async () => {
  const seen: string[] = [];
  const count = async (text: string) => { seen.push(text); return text === "c" ? undefined : 1; };
  assert.equal(await tokensOfAll({ system: "", user: "a", further: [{ system: "b", user: "c" }, { system: "d", user: "e" }] }, count), undefined);
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(await tokensOfAll({ system: "a", user: "b" }, count), 2);
});

test("every model of the editor that a vote asks is named, so that each vendor is asked about", () => {
  assert.deepEqual(monitorInfo(find("panel")).editorModels, ["acme/one", "other/two"]);
  assert.deepEqual([monitorInfo(find("cut")).editorModels, monitorInfo(find("rules")).editorModels], [["acme/one"], undefined]);
});
