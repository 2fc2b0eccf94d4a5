/** ATIF written by Tracemark: same hash, same bytes when written again, numbers as recorded, nothing of one's own. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeAtif } from "#core/exports/atif";
import type { Part, Step, Trajectory } from "#core/trajectory/model";
import { contentSha256 } from "#node/sha256";
import { sharedPath } from "../../support/shared";
import { loadAll, openShared, openText } from "../formats/reading";
import { randomFrom } from "../../support/fuzz/random";

function again(text: string, path = "copy.atif.json"): Trajectory {
  const file = openText(path, text);
  assert.equal(file.format?.id, "atif");
  assert.equal(file.ids.length, 1);
  return file.load(0);
}

/** Written, read, written: the hash is kept and the bytes are the same. */
function roundTrip(trajectory: Trajectory): Trajectory {
  const first = writeAtif(trajectory);
  const back = again(first);
  assert.equal(contentSha256(back.steps), contentSha256(trajectory.steps), trajectory.id);
  assert.equal(writeAtif(back), first, trajectory.id);
  assert.equal(writeAtif(trajectory), first);
  return back;
}

test("every trajectory of the reference files comes back", async (t) => {
  const root = sharedPath("trajectories");
  if (!root) return t.skip("skipped: ../shared/trajectories is not there");
  let count = 0;
  for (const folder of readdirSync(root)) {
    if (folder === "large" || !statSync(join(root, folder)).isDirectory()) continue;
    for (const name of readdirSync(join(root, folder))) {
      const file = await openShared(join(root, folder, name));
      for (const trajectory of loadAll(file)) {
        roundTrip(trajectory);
        count++;
      }
    }
  }
  assert.ok(count > 1000, `${count} trajectories`);
});

test("what ATIF has no field for comes back too", () => {
  const parts: Part[] = [
    { kind: "text", text: "before" }, { kind: "reasoning", text: "<think>odd" }, { kind: "tool_call", text: 'n: 1.0\n10: 12345678901234567890\ns: <a>"\\\n', toolName: "f", callId: "c1", args: [{ key: "n", raw: "1.0" }, { key: "10", raw: "12345678901234567890" }, { key: "s", text: '<a>"\\\n' }] },
    { kind: "text", text: "<think>x</think>\ud800" }, { kind: "reasoning", text: "second" }, { kind: "tool_call", text: "{oops", toolName: "g" }, { kind: "tool_call", text: "v: NaN", args: [{ key: "v", raw: "NaN" }] },
    { kind: "tool_call", text: "a: 1\na: 2", toolName: "twice", args: [{ key: "a", raw: "1" }, { key: "a", raw: "2" }] }, { kind: "text", text: "" },
  ];
  const steps: Omit<Step, "index">[] = [
    { role: "tool", parts: [{ kind: "tool_result", text: "first of all", callId: "zzz" }], places: [], flags: ["orphan"] },
    { role: "user", parts: [{ kind: "text", text: "a" }, { kind: "text", text: "b" }, { kind: "tool_call", text: "x: y", toolName: "user_tool", args: [{ key: "x", text: "y" }] }], places: [], flags: ["user_tool", "copied_context"], name: "Ann", time: "2026-01-01" },
    { role: "tool", parts: [{ kind: "tool_result", text: "r" }], places: [] },
    { role: "assistant", parts, places: [], model: "m", tokens: { input: 1, cachedInput: 0, output: 2, reasoning: 1 }, costUsd: 0.1, reasoningHidden: true, extras: [{ type: "image", raw: '{"a": 1.0}', mediaType: "image/png" }] },
    { role: "tool", parts: [{ kind: "tool_result", text: "one", callId: "c1", toolName: "f", isError: true }, { kind: "tool_result", text: "two", callId: "c1" }], places: [], time: "t" },
    { role: "tool", parts: [{ kind: "tool_result", text: "other", callId: "c9" }, { kind: "text", text: "talk" }], places: [], flags: ["duplicate", "copied_context"] },
    { role: "system", parts: [], places: [], tokens: { input: 5 }, costUsd: 1, model: "s" },
    { role: "tool", parts: [], places: [] },
  ];
  const trajectory: Trajectory = {
    id: "dir/f#1", format: "openai-chat", reader: { id: "openai-chat", version: 1 }, title: "t", task: "other task", label: "benign", labelMeaning: "why", model: "m", agent: "A", parentId: "dir/f",
    outcome: { status: "s", success: false, details: [{ name: "n", value: "v" }] }, metadata: [{ name: "k", value: "v" }], steps: steps.map((step, index) => ({ ...step, index })), warnings: [],
  };
  const back = roundTrip(trajectory);
  const bare = (step: Step) => ({ ...step, places: [], flags: [...(step.flags ?? [])].sort() });
  assert.deepEqual(back.steps.map(bare), trajectory.steps.map(bare));
  for (const key of ["title", "task", "label", "labelMeaning", "model", "agent", "outcome"] as const) assert.deepEqual(back[key], trajectory[key]);
  assert.deepEqual(back.metadata, [{ name: "source id", value: "dir/f#1" }, { name: "source format", value: "openai-chat" }, { name: "source parent", value: "dir/f" }, { name: "k", value: "v" }]);
  const text = writeAtif(trajectory);
  assert.ok(text.includes('"n": 1.0,\n            "10": 12345678901234567890,'));
  assert.doesNotThrow(() => JSON.parse(text));
});

test("what is written keeps to ATIF: steps counted from 1, calls have ids, results refer to calls of their step", () => {
  const file = openText("c.json", JSON.stringify({ messages: [
    { role: "user", content: "q" }, { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }, { role: "function", content: "r" }, { role: "tool", tool_call_id: "no", content: "s" },
  ] }));
  const written = JSON.parse(writeAtif(file.load(0))) as { schema_version: string; session_id: string; steps: { step_id: number; source: string; tool_calls?: { tool_call_id: string }[]; observation?: { results: { source_call_id?: string }[] } }[] };
  assert.equal(written.schema_version, "ATIF-v1.6");
  assert.equal(written.session_id, "c.json");
  assert.deepEqual(written.steps.map((step) => [step.step_id, step.source]), [[1, "user"], [2, "agent"]]);
  assert.deepEqual(written.steps[1]!.tool_calls?.map((call) => call.tool_call_id), ["call_2_1"]);
  assert.deepEqual(written.steps[1]!.observation!.results.map((result) => result.source_call_id), [undefined, undefined]);
});

test("200 random trajectories come back", () => {
  const random = randomFrom(5);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const texts = ["", "x", "<think>a</think>b", "line\n\nline", "🚀\ud800", "</think>"];
  const maybe = <T>(value: T) => (random() < 0.4 ? value : undefined);
  for (let round = 0; round < 200; round++) {
    const steps = Array.from({ length: Math.floor(random() * 8) }, (_, index): Step => {
      const parts = Array.from({ length: Math.floor(random() * 4) }, (): Part => {
        const kind = pick(["text", "reasoning", "tool_call", "tool_result"] as const);
        const part: Part = { kind, text: pick(texts) };
        if (kind === "tool_call" && random() < 0.7) {
          part.args = random() < 0.5 ? [{ key: "k", text: pick(texts) }, { key: "", raw: pick(["1.0", "[ 1 ]", "null", '"s"', "{bad"]) }] : [];
          part.text = random() < 0.9 ? part.args.map((arg) => `${arg.key}: ${arg.text ?? arg.raw}`).join("\n") : "other";
        }
        const [toolName, callId, isError] = [maybe(pick(["f", "unknown"])), maybe(pick(["a", "b", "call_1_1"])), maybe(random() < 0.5)];
        return { ...part, ...(toolName ? { toolName } : {}), ...(callId ? { callId } : {}), ...(isError === undefined ? {} : { isError }) };
      });
      return { index, role: pick(["system", "user", "assistant", "tool"] as const), parts, places: [], ...(random() < 0.2 ? { flags: ["orphan"] as const satisfies Step["flags"] & unknown[] } : {}) } as Step;
    });
    roundTrip({ id: `r${round}`, format: "x", reader: { id: "x", version: 1 }, metadata: [], steps, warnings: [] });
  }
});
