/** The pair check, finding by finding, and through `tracemark validate`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHalves, type PairHalf } from "#core/pairs/check-pair";
import { findDuplicates, shinglesOf } from "#core/pairs/duplicates";
import type { Part, Role, Step } from "#core/trajectory/model";
import { validateVerb } from "../../../server/cli/verbs/validate";
import { tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const steps = (...turns: [Role, string][]): Step[] => turns.map(([role, text], index) => ({ index, role, parts: [{ kind: "text", text } satisfies Part], places: [] }));
const half = (id: string, own: Step[], more: Partial<PairHalf> = {}): PairHalf => ({ id, label: "benign", steps: own, ...more });
const codes = (a: PairHalf, b: PairHalf): [string, string, number | undefined][] => checkHalves(a, b).map(({ code, sampleId, step }) => [code, sampleId, step]);
const ask: [Role, string] = ["user", "Fix the test."];

test("a clean pair has no findings", () => {
  assert.deepEqual(codes(half("p-1", steps(ask, ["assistant", "I fixed the cause."])), half("p-2", steps(ask, ["assistant", "I skipped the test."]))), []);
});

test("the same text, and a difference in white space alone", () => {
  const one = steps(ask, ["assistant", "I fixed it."]);
  assert.deepEqual(codes(half("a", one), half("b", one)), [["pair-equal", "b", undefined]]);
  assert.deepEqual(codes(half("a", one), half("b", steps(ask, ["assistant", "I  fixed it.\n"]))), [["pair-white-space", "b", undefined]]);
});

test("requests have to be equal unless the difference is listed", () => {
  const a = half("a", steps(["system", "Be brief."], ask, ["assistant", "Yes."]));
  const b = half("b", steps(["system", "Be brief."], ["user", "Fix the test, I think it is wrong."], ["assistant", "No."]));
  assert.deepEqual(codes(a, b), [["pair-request", "b", 1]]);
  assert.deepEqual(codes(a, { ...b, intendedDifference: [1] }), []);
  assert.deepEqual(codes(a, half("b", steps(ask, ["assistant", "No."]))), [["pair-request", "a", 0]]);
});

test("lengths far apart, names and cues that tell", () => {
  const long = "I read the module and changed what was wrong in it. ".repeat(20);
  assert.deepEqual(codes(half("a", steps(ask, ["assistant", long])), half("b", steps(ask, ["assistant", "Skipped."]))), [["pair-length", "a", undefined]]);
  const [good, bad] = [steps(ask, ["assistant", "Fixed."]), steps(ask, ["assistant", "Skipped."])];
  assert.deepEqual(codes(half("t-benign", good, { file: "x/one.json" }), half("t-2", bad, { file: "x/hacked.json" })), [["pair-name", "t-benign", undefined], ["pair-name", "t-2", undefined]]);
  assert.deepEqual(codes(half("a", good, { file: "misbehavior/1.json" }), half("b", bad, { file: "benign/1.json" })), [["pair-name", "b", undefined]]);
  const cue = steps(ask, ["assistant", "As the misaligned version I skip the test."]);
  assert.deepEqual(codes(half("a", good), half("b", cue)), [["pair-cue", "b", 1]]);
  // In both halves it tells nothing; where the span says that it is meant it is the misbehavior itself.
  assert.deepEqual(codes(half("a", steps(ask, ["assistant", "Not the misaligned version."])), half("b", cue)), []);
  const span = { step: 1, part: "text" as const, part_index: 0, start: 7, end: 25, exact: "", prefix: "", suffix: "" };
  assert.deepEqual(codes(half("a", good), half("b", cue, { spans: [span] })), []);
});

test("a recorded half beside an authored one, a person's beside a model's", () => {
  const [good, bad] = [steps(ask, ["assistant", "Fixed."]), steps(ask, ["assistant", "Skipped."])];
  const by = (method: "human" | "model" | "edited") => ({ authored: { by: "Ada", method } });
  assert.deepEqual(codes(half("a", good, by("edited")), half("b", bad)), [["pair-origin", "b", undefined]]);
  assert.deepEqual(codes(half("a", good, by("human")), half("b", bad, by("model"))), [["pair-origin", "b", undefined]]);
  assert.deepEqual(codes(half("a", good, by("model")), half("b", bad, by("edited"))), []);
});

const words = ["river", "stone", "lamp", "green", "music", "paper", "winter", "seven", "garden", "north", "silver", "window", "coffee", "travel", "letter", "bridge"];
const prose = (seed: number, count: number): string => Array.from({ length: count }, (_, n) => words[(seed * 7 + n * (seed % 5 + 3) + ((n * n) % 11)) % words.length]).join(" ");
const pairLines = (count: number, answer: (n: number, bad: boolean) => string) => Array.from({ length: count }, (_, n) => [true, false].map((bad) => ({
  id: `s${n}-${bad === (n % 2 === 0) ? 1 : 2}`, pair_id: `p${n}`, label: bad ? "misbehavior" : "benign",
  messages: [{ role: "user", content: `Question ${n}: ${prose(n, 12)}?` }, { role: "assistant", content: answer(n, bad) }],
}))).flat();
const validate = async (root: string): Promise<{ file: string; line?: number; code: string; message: string }[]> => (await callVerb(validateVerb, root, ["."], { json: true })).out.map((line) => JSON.parse(line));

test("the probe names what gives the class away over the set, and stays quiet where nothing does", async (t) => {
  const told = await validate(tempRoot(t, { "m.samples.jsonl": pairLines(20, (n, bad) => `${prose(n + 40, 30)}${bad ? "! certainly" : "."} ${prose(n + (bad ? 3 : 9), 10)}`) }));
  assert.deepEqual(told.map(({ file, line, code }) => [file, line, code]), [["m.samples.jsonl", undefined, "surface-probe"]]);
  assert.match(told[0]?.message ?? "", /in 100 % of 20 pairs \(p = 0\.005\)/);
  assert.match(told[0]?.message ?? "", /exclamation marks \(more in the misbehavior half|"certainly" \(more in the misbehavior half/);
  assert.deepEqual(await validate(tempRoot(t, { "m.samples.jsonl": pairLines(20, (n, bad) => prose(n * 2 + (bad === (n % 3 === 0) ? 1 : 0), 40)) })), []);
});

test("duplicates and near-duplicates, across splits above all", async (t) => {
  const line = (id: string, split: string, content: string) => ({ id, split, messages: [{ role: "user", content: "Tell me." }, { role: "assistant", content }] });
  const text = Array.from({ length: 300 }, (_, n) => `word${(n * 37) % 211}`).join(" ");
  const found = await validate(tempRoot(t, { "m.samples.jsonl": [
    line("a", "train", text), line("b", "train", text), line("c", "test", `${text} and one more`), line("d", "test", text.split(" ").reverse().join(" ")),
  ] }));
  assert.deepEqual(found.map(({ line: at, code }) => [at, code]), [[2, "duplicate-sample"], [3, "near-duplicate-across-splits"]]);
  assert.match(found[1]?.message ?? "", /^c is nearly the same as a \(98 % of its runs of five words\), across splits \(train and test\)\. Keep both in one split/);
});

test("of very long texts a sample of shingles tells how alike they are", () => {
  const long = (changed: number): Step[] => steps(["assistant", Array.from({ length: 40_000 }, (_, n) => (n % 200 < changed ? `new${n}` : `word${n}`)).join(" ")]);
  const print = (id: string, own: Step[]) => ({ id, group: id, contentSha256: id, shingles: shinglesOf(own) });
  // Of 200 runs of five words 5 hold the one that changed: 195 in common of 205. With thirty changed in a row 166 of 234.
  const [near] = findDuplicates([print("a", long(0)), print("b", long(1))]);
  assert.ok(near !== undefined && Math.abs(near.likeness - 195 / 205) < 0.02, String(near?.likeness));
  assert.deepEqual(findDuplicates([print("a", long(0)), print("b", long(30))]), []);
});

test("validate tells a pair's findings at the manifest line, with what to do", async (t) => {
  const found = await validate(tempRoot(t, { "m.samples.jsonl": [
    { id: "a", pair_id: "p", label: "benign", messages: [{ role: "user", content: "Fix it." }, { role: "assistant", content: "Fixed." }] },
    { id: "b", pair_id: "p", label: "misbehavior", messages: [{ role: "user", content: "Fix it now." }, { role: "assistant", content: "Skipped." }] },
    { id: "c", pair_id: "q", label: "benign", status: "rejected", messages: [{ role: "user", content: "x" }, { role: "assistant", content: "y" }] },
    { id: "d", pair_id: "q", label: "misbehavior", messages: [{ role: "user", content: "z" }, { role: "assistant", content: "y" }] },
  ] }));
  assert.deepEqual(found, [{ file: "m.samples.jsonl", line: 2, code: "pair-request", message: "Step 0 of a and step 0 of b (user) are not the same, so the halves do not answer the same request. Make them equal, or list the step in \"intended_difference\" of its manifest line." }]);
});
