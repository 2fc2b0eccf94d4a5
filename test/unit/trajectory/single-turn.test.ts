/** Records of prompts and replies under their many names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadAll, openText } from "../formats/reading";

function read(text: string, path = "r.jsonl", format = "single-turn") {
  const file = openText(path, text);
  assert.equal(file.format?.id, format);
  return { ids: file.ids, all: loadAll(file) };
}

const shown = (one: { steps: { role: string; parts: { kind: string; text: string }[] }[] }) => one.steps.map((step) => `${step.role[0]}:${step.parts.map((part) => `${part.kind[0]}=${part.text}`).join("|")}`);

test("names in any case, system, reasoning of its own or in tags", () => {
  const { all } = read([
    { Question: "q", Response: "<think>t</think>a", system_prompt: "s" }, { instruction: "i", input: "x", output: "o" }, { problem: "p", chain_of_thought: "c", completion: "r" },
    { prompt: "q", context: "k", answer: "a" },
  ].map((one) => JSON.stringify(one)).join("\n"));
  assert.deepEqual(all.map(shown), [["s:t=s", "u:t=q", "a:r=t|t=a"], ["u:t=i\n\nx", "a:t=o"], ["u:t=p", "a:r=c|t=r"], ["u:t=k\n\nq", "a:t=a"]]);
  assert.deepEqual(all.map((one) => one.warnings.map((warning) => warning.code)), [[], [], [], ["joined-fields"]]);
  assert.deepEqual(all[2]!.steps[1]!.places, [{ line: 3, pointer: "/completion" }, { line: 3, pointer: "/chain_of_thought" }]);
});

test("pairs: halves with a label, answers preferred, answers side by side", () => {
  const { ids, all } = read([
    { id: "a", question: "q", benign: "good", misbehaving: "bad" }, { id: "b", prompt: "q", chosen: "good", rejected: "bad" }, { id: "c", prompt: "q", response_a: "1", response_b: "2" },
  ].map((one) => JSON.stringify(one)).join("\n"));
  assert.deepEqual(ids, ["r.jsonl#a/benign", "r.jsonl#a/misbehaving", "r.jsonl#b/chosen", "r.jsonl#b/rejected", "r.jsonl#c/response_a", "r.jsonl#c/response_b"]);
  assert.deepEqual(all.map((one) => one.label), ["benign", "misbehavior", undefined, undefined, undefined, undefined]);
  assert.deepEqual(shown(all[3]!), ["u:t=q", "a:t=bad"]);
});

test("lists: turns that alternate, several replies to one prompt, history, a table by columns", () => {
  const { ids, all } = read([
    { turns: ["q1", "q2"], choices: [{ turns: ["a1", "a2"] }] }, { prompt: "q", response: ["a", "b"] }, { instruction: "now", history: [["before", "then"]], output: "o" },
  ].map((one) => JSON.stringify(one)).join("\n"));
  assert.deepEqual(ids, ["r.jsonl#0", "r.jsonl#1/0", "r.jsonl#1/1", "r.jsonl#2"]);
  assert.deepEqual(all.map(shown), [["u:t=q1", "a:t=a1", "u:t=q2", "a:t=a2"], ["u:t=q", "a:t=a"], ["u:t=q", "a:t=b"], ["u:t=before", "a:t=then", "u:t=now", "a:t=o"]]);
  const table = read(JSON.stringify({ prompt: ["p1", "p2"], completion: ["c1", "c2"], safe: ["false", "true"] }), "t.json");
  assert.deepEqual(table.ids, ["t.json#0", "t.json#1"]);
  assert.deepEqual(table.all.map((one) => [...shown(one), one.label]), [["u:t=p1", "a:t=c1", "misbehavior"], ["u:t=p2", "a:t=c2", "benign"]]);
  assert.deepEqual(table.all[1]!.steps[0]!.places, [{ pointer: "/prompt/1" }]);
});

test("names that may mean anything are taken and told; verdicts stand apart from facts", () => {
  const { all } = read(JSON.stringify([{ input: "q", output: "a", target: "b", score: 0.5, topic: "x" }]), "w.json");
  assert.deepEqual(all[0]!.warnings.map((warning) => warning.code), ["ambiguous-fields"]);
  assert.deepEqual(all[0]!.outcome?.details, [{ name: "target", value: "b" }, { name: "score", value: "0.5" }]);
  assert.deepEqual(all[0]!.metadata, [{ name: "topic", value: "x" }]);
});

test("one object is one trajectory, without a record in its id; a record without a reply is marked", () => {
  assert.deepEqual(read(JSON.stringify({ prompt: "q", response: "a" }), "one.json").ids, ["one.json"]);
  const { all } = read(`${JSON.stringify({ prompt: "q", response: "a" })}\n${JSON.stringify({ other: 1 })}`);
  assert.deepEqual(all[1]!.warnings.map((warning) => [warning.code, warning.line]), [["bad-record", 2]]);
});
