/** Laying halves side by side. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alignSteps, partDifferences, wordPieces } from "#core/pairs/align";
import type { Part, Role, Step } from "#core/trajectory/model";
import { awkwardText, seeded } from "../evidence/random";

const step = (role: Role, ...texts: string[]): Step => ({ index: 0, role, parts: texts.map((text): Part => ({ kind: "text", text })), places: [] });
const shape = (left: Step[], right: Step[]): string => alignSteps(left, right).map((row) => `${row.kind[0]}${"left" in row ? row.left : "-"}${"right" in row ? row.right : "-"}`).join(" ");

test("equal steps anchor, changed ones of a role lie side by side, the rest stands alone", () => {
  const a = [step("user", "Do it."), step("assistant", "I look at the file first."), step("tool", "file"), step("assistant", "Done, all tests pass.")];
  const b = [step("user", "Do it."), step("assistant", "I look at the whole file first."), step("assistant", "I skip the test."), step("tool", "file"), step("assistant", "Done,  all tests pass.")];
  assert.equal(shape(a, a), "e00 e11 e22 e33");
  assert.equal(shape(a, b), "e00 c11 r-2 e23 w34");
  assert.equal(shape(b, a), "e00 c11 l2- e32 w43");
  assert.equal(shape([], a), "r-0 r-1 r-2 r-3");
  // Roles are never mixed.
  assert.equal(shape([step("assistant", "x")], [step("tool", "x")]), "l0- r-0");
});

test("of several steps the more alike are paired", () => {
  const a = [step("assistant", "alpha beta gamma"), step("assistant", "delta epsilon zeta")];
  const b = [step("assistant", "delta epsilon eta")];
  assert.equal(shape(a, b), "l0- c10");
});

test("every step of both halves stands in exactly one row, in order, whatever is changed", () => {
  const random = seeded(3);
  for (let round = 0; round < 60; round++) {
    const pick = (n: number): number => Math.floor(random() * n);
    const a = Array.from({ length: pick(30) }, () => step((["user", "assistant", "tool"] as const)[pick(3)] ?? "user", `text ${pick(6)}`));
    const b = a.flatMap((one) => (random() < 0.2 ? [] : random() < 0.3 ? [one, step("assistant", `new ${pick(9)}`)] : [one]));
    const rows = alignSteps(a, b);
    assert.deepEqual(rows.flatMap((row) => ("left" in row ? [row.left] : [])), [...a.keys()]);
    assert.deepEqual(rows.flatMap((row) => ("right" in row ? [row.right] : [])), [...b.keys()]);
  }
});

test("word pieces put together give both texts again, also awkward ones", () => {
  assert.deepEqual(wordPieces("I will fix it.", "I will not fix it."), [{ kind: "same", value: "I will " }, { kind: "right", value: "not " }, { kind: "same", value: "fix it." }]);
  const random = seeded(11);
  for (let round = 0; round < 200; round++) {
    const [left, right] = [awkwardText(random, 12), awkwardText(random, 12)];
    const pieces = wordPieces(left, right);
    assert.equal(pieces.filter(({ kind }) => kind !== "right").map(({ value }) => value).join(""), left);
    assert.equal(pieces.filter(({ kind }) => kind !== "left").map(({ value }) => value).join(""), right);
  }
});

test("parts are compared kind by kind and call by call; what one half has alone is shown alone", () => {
  const left = { role: "assistant" as const, parts: [{ kind: "text" as const, text: "a" }, { kind: "tool_call" as const, toolName: "bash", text: "command: ls" }] };
  const right = { role: "assistant" as const, parts: [{ kind: "reasoning" as const, text: "why" }, { kind: "text" as const, text: "b" }, { kind: "tool_call" as const, toolName: "edit", text: "" }] };
  assert.deepEqual(partDifferences(left, right).map(({ left: l, right: r }) => [l, r]), [[0, 1], [1, -1], [-1, 0], [-1, 2]]);
});
