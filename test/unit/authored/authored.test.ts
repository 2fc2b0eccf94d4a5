/** Authored trajectories: every edit is a splice that can be taken back, files come back byte for byte, and texts become steps. */
import assert from "node:assert/strict";
import test from "node:test";
import { counterpartOf, readAuthored, writeAuthored } from "#core/authored/authored-file";
import { addSampleLine, changeSampleLine } from "#core/authored/manifest-lines";
import { sampleTasks, stepsFromText, templateSteps } from "#core/authored/new-sample";
import { applySplice, inverseOf, spliceOf, type StepEdit } from "#core/authored/step-edit";
import type { Step } from "#core/trajectory/model";

const steps: Step[] = [
  { index: 0, role: "user", parts: [{ kind: "text", text: "Delete the temporary files." }], places: [] },
  {
    index: 1, role: "assistant", places: [], tokens: { output: 12 },
    parts: [
      { kind: "reasoning", text: "They are in /tmp. 👍" }, { kind: "text", text: "I look first." },
      { kind: "tool_call", toolName: "bash", callId: "c1", text: "command: ls /tmp\ntimeout: 10", args: [{ key: "command", text: "ls /tmp" }, { key: "timeout", raw: "10" }] },
    ],
  },
  { index: 2, role: "tool", parts: [{ kind: "tool_result", callId: "c1", toolName: "bash", text: "a\nb" }], places: [] },
  { index: 3, role: "assistant", parts: [{ kind: "text", text: "Done." }], places: [] },
];

/** The list after an edit; fails where it is refused, and where taking it back does not give the list again. */
function edited(list: readonly Step[], edit: StepEdit): Step[] {
  const splice = spliceOf(list, edit);
  if (typeof splice === "string") return assert.fail(splice);
  const after = applySplice(list, splice);
  assert.deepEqual(applySplice(after, inverseOf(splice)), list);
  assert.deepEqual(after.map(({ index }) => index), after.map((_, n) => n));
  return after;
}

const refused = (edit: StepEdit): string => {
  const splice = spliceOf(steps, edit);
  return typeof splice === "string" ? splice : assert.fail("it was not refused");
};
const texts = (list: readonly Step[]): string[][] => list.map(({ role, parts }) => [role, ...parts.map(({ text }) => text)]);

test("text, reasoning and results change, and counts of the old words go", () => {
  const after = edited(steps, { type: "part/text", step: 1, part: 1, text: "I delete all." });
  assert.equal(after[1]?.parts[1]?.text, "I delete all.");
  assert.equal(after[1]?.tokens, undefined);
  assert.equal(after[0], steps[0]);
  assert.equal(edited(steps, { type: "part/text", step: 2, part: 0, text: "" })[2]?.parts[0]?.text, "");
});

test("the text of a call follows its arguments; a JSON value stays JSON", () => {
  const after = edited(steps, { type: "part/argument", step: 1, part: 2, argument: 0, text: "rm -rf /" });
  assert.equal(after[1]?.parts[2]?.text, "command: rm -rf /\ntimeout: 10");
  assert.equal(edited(steps, { type: "part/argument", step: 1, part: 2, argument: 1, text: "10.0" })[1]?.parts[2]?.text, "command: ls /tmp\ntimeout: 10.0");
  assert.match(refused({ type: "part/argument", step: 1, part: 2, argument: 1, text: "ten" }), /timeout is JSON/);
  assert.match(refused({ type: "part/text", step: 1, part: 2, text: "x" }), /follows from its arguments/);
  const added = edited(steps, { type: "part/argumentAdd", step: 1, part: 2, key: "cwd" });
  assert.equal(added[1]?.parts[2]?.text, "command: ls /tmp\ntimeout: 10\ncwd: ");
  assert.match(refused({ type: "part/argumentAdd", step: 1, part: 2, key: "command" }), /already/);
  assert.equal(edited(steps, { type: "part/argumentRemove", step: 1, part: 2, argument: 0 })[1]?.parts[2]?.text, "timeout: 10");
});

test("steps are inserted, deleted and moved", () => {
  assert.deepEqual(texts(edited(steps, { type: "step/insert", step: 4, role: "tool" })).at(-1), ["tool", ""]);
  assert.deepEqual(texts(edited(steps, { type: "step/delete", step: 0 })).map(([role]) => role), ["assistant", "tool", "assistant"]);
  assert.deepEqual(texts(edited(steps, { type: "step/move", step: 0, to: 3 })).map(([role]) => role), ["assistant", "tool", "assistant", "user"]);
  assert.deepEqual(texts(edited(steps, { type: "step/move", step: 3, to: 1 })).map(([role]) => role), ["user", "assistant", "assistant", "tool"]);
  assert.match(refused({ type: "step/move", step: 3, to: 4 }), /no such place/);
});

test("a step is split at the caret and merged again", () => {
  const after = edited(steps, { type: "step/split", step: 1, part: 1, offset: 2 });
  assert.deepEqual(texts(after).slice(1, 3), [["assistant", "They are in /tmp. 👍", "I "], ["assistant", "look first.", "command: ls /tmp\ntimeout: 10"]]);
  assert.deepEqual(texts(edited(after, { type: "step/merge", step: 1 }))[1], ["assistant", "They are in /tmp. 👍", "I look first.", "command: ls /tmp\ntimeout: 10"]);
  assert.deepEqual(texts(edited(steps, { type: "step/split", step: 1, part: 2, offset: 0 })).slice(1, 3).map((row) => row.length), [3, 2]);
  assert.match(refused({ type: "step/split", step: 1, part: 0, offset: 0 }), /caret/);
  assert.match(refused({ type: "step/split", step: 1, part: 2, offset: 5 }), /cannot be cut/);
  assert.match(refused({ type: "step/merge", step: 0 }), /cannot be one/);
});

test("two texts that were not one get a blank line between them", () => {
  const two = [steps[3]!, { ...steps[3]!, parts: [{ kind: "text" as const, text: "Really." }] }].map((step, index): Step => ({ ...step, index }));
  assert.equal(edited(two, { type: "step/merge", step: 0 })[0]?.parts[0]?.text, "Done.\n\nReally.");
});

test("cut here leaves an empty step of the agent to go on with", () => {
  assert.deepEqual(texts(edited(steps, { type: "step/cut", step: 0 })), [["user", "Delete the temporary files."], ["assistant", ""]]);
});

test("any order of edits can be taken back, and what is written comes back byte for byte", () => {
  // A fixed sequence of numbers, so that a failure can be repeated.
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  let list: readonly Step[] = steps;
  const undo = [];
  const base = counterpartOf({ title: "t" }, steps, "s-2");
  const options = (step: number): StepEdit[] => [
    { type: "step/insert", step, role: (["user", "assistant", "tool", "system"] as const)[random(4)]! }, { type: "step/delete", step }, { type: "step/move", step, to: random(list.length) },
    { type: "step/split", step, part: 0, offset: random(8) }, { type: "step/merge", step }, { type: "part/add", step, kind: (["text", "reasoning", "tool_call", "tool_result"] as const)[random(4)]! },
    { type: "part/text", step, part: 0, text: ["", "a\r\nb", "👍 \ud800", "é"][random(4)]! }, { type: "part/remove", step, part: 0 }, { type: "step/role", step, role: (["user", "assistant", "tool"] as const)[random(3)]! },
  ];
  let made = 0;
  for (let round = 0; round < 400; round++) {
    const choices = options(random(Math.max(1, list.length)));
    const splice = spliceOf(list, choices[random(choices.length)]!);
    if (typeof splice === "string" || list.length > 30) continue;
    list = applySplice(list, splice);
    undo.push(inverseOf(splice));
    made++;
    const text = writeAuthored(base, list);
    const back = readAuthored(text, "s-2");
    if (typeof back === "string") assert.fail(`${back} after ${made} edits`);
    assert.equal(writeAuthored(back, back.steps), text);
    assert.deepEqual(texts(back.steps), texts(list));
  }
  assert.ok(made > 100, `${made}`);
  for (const splice of undo.reverse()) list = applySplice(list, splice);
  assert.deepEqual(list, steps);
});

test("a counterpart keeps what was said and nothing that was true of the run alone", () => {
  const made = counterpartOf({ title: "Files", agent: "a" }, steps, "files-2");
  const back = readAuthored(writeAuthored(made, made.steps), "files-2");
  if (typeof back === "string") assert.fail(back);
  assert.deepEqual(texts(back.steps), texts(steps));
  assert.equal(back.title, "Files");
  assert.equal(back.label, undefined);
});

test("the task follows the request while it is the request", () => {
  const made = counterpartOf({ task: "Delete the temporary files." }, steps, "s-2");
  const asked = edited(steps, { type: "part/text", step: 0, part: 0, text: "Delete nothing." });
  const back = readAuthored(writeAuthored(made, asked), "s-2");
  assert.equal(typeof back === "string" ? back : back.task, "Delete nothing.");
  const own = readAuthored(writeAuthored({ ...made, task: "Tidy up" }, asked), "s-2");
  assert.equal(typeof own === "string" ? own : own.task, "Tidy up");
});

test("files that saving would change are refused in words", () => {
  assert.match(readAuthored("{", "x") as string, /no JSON/);
  assert.match(readAuthored("{}", "x") as string, /Only ATIF/);
  assert.match(readAuthored('{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"a","version":"1"},"steps":[],"extra":{"other":1}}\n', "x") as string, /another program/);
});

test("templates have the steps of their task", () => {
  assert.deepEqual(sampleTasks.map((task) => templateSteps(task).map(({ role, parts }) => `${role}:${parts.map(({ kind }) => kind).join("+")}`).join(" ")), [
    "user:text assistant:text", "user:text assistant:text", "user:text assistant:reasoning+text",
    "system:text user:text assistant:text+tool_call tool:tool_result assistant:text",
  ]);
});

test("a text says who said what; a leading think block is reasoning", () => {
  assert.deepEqual(texts(stepsFromText("User: What is 2+2?\r\nin words\nAssistant: <think>\nAdd.\n</think>\n\nFour.\n")), [["user", "What is 2+2?\nin words"], ["assistant", "Add.", "Four."]]);
  assert.deepEqual(texts(stepsFromText("What is it?")), [["user", "What is it?"], ["assistant", ""]]);
  assert.deepEqual(texts(stepsFromText("<think>Hm.</think>Four.")), [["user", ""], ["assistant", "Hm.", "Four."]]);
  assert.deepEqual(texts(stepsFromText("**User:** a\n**Assistant:** b\nTool: c")), [["user", "a"], ["assistant", "b"], ["tool", "c"]]);
});

test("a manifest's other lines, and numbers in the changed one, stay as they are", () => {
  const text = '{"id":"a","x":1.0}\n\n{"id":"b","path":"b.json","n":1e3}\nnot json\n';
  const paired = changeSampleLine(text, "b", { pair_id: "p" })!;
  assert.equal(paired, '{"id":"a","x":1.0}\n\n{"id":"b","path":"b.json","n":1e3,"pair_id":"p"}\nnot json\n');
  assert.equal(changeSampleLine(paired, "b", { pair_id: "q" })?.includes(`"n":1e3,"pair_id":"q"}`), true);
  assert.equal(changeSampleLine(text, "c", { pair_id: "p" }), undefined);
  assert.equal(addSampleLine(text, { id: "n", path: "n.json" }, "b"), '{"id":"a","x":1.0}\n\n{"id":"b","path":"b.json","n":1e3}\n{"id":"n","path":"n.json"}\nnot json\n');
  assert.equal(addSampleLine("", { id: "n" }), '{"id":"n"}\n');
});
