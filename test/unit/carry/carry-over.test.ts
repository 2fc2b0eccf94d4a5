/** Spans of a log that was made anew, and labels of a log that was moved. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { carryRecord, carrySpans } from "#core/labels/carry-over";
import { relinkedRecords, relinkOffers } from "#core/labels/relink";
import { recordFromState, spanFromDisk, spanToDisk, stateFromRecord } from "#core/labels/record";
import type { ViewSpan } from "#core/labels/state";
import { checkSpan, spanFromUtf16 } from "#core/evidence/span";
import { partIndexOf, type Part, type Role, type Step } from "#core/trajectory/model";
import { LabelRecord, type Span } from "#core/workspace/schemas";
import { labelsVerb } from "../../../server/cli/verbs/labels";
import { contentSha256 } from "#node/sha256";
import { chat, putFile, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";
import { awkwardText, pick, seeded } from "../evidence/random";

const step = (index: number, role: Role, ...texts: string[]): Step => ({ index, role, parts: texts.map((text): Part => ({ kind: "text", text })), places: [] });
const spanOf = (steps: Step[], at: number, words: string, part = 0): Span => {
  const text = steps[at]?.parts[part]?.text ?? "";
  const start = text.indexOf(words);
  assert.ok(start >= 0, words);
  return { ...spanFromUtf16(text, { start, end: start + words.length }, { step: at, part: "text", part_index: part }), category: "c", origin: "own" };
};
const old = [step(0, "user", "Fix the flaky test."), step(1, "assistant", "I look at it first. I could special-case the value that the test expects."), step(2, "assistant", "Done. I special-cased it.")];
const places = (carried: ReturnType<typeof carrySpans>): unknown[] => carried.map((one) => (one.state === "orphaned" ? [one.state] : [one.state, one.span.step, one.span.start, one.span.exact]));

test("kept where it stands, moved with its step or its text, orphaned where the words are gone", () => {
  const spans = [spanOf(old, 1, "special-case the value"), spanOf(old, 2, "special-cased it")];
  assert.deepEqual(places(carrySpans(spans, old, old)), [["kept", 1, 28, "special-case the value"], ["kept", 2, 8, "special-cased it"]]);
  const inserted = [old[0]!, step(1, "assistant", "First I plan what to do."), step(2, "assistant", old[1]!.parts[0]!.text), step(3, "assistant", "Done. I special-cased it.")];
  assert.deepEqual(places(carrySpans(spans, inserted, old)), [["moved", 2, 28, "special-case the value"], ["moved", 3, 8, "special-cased it"]]);
  assert.deepEqual(places(carrySpans(spans, inserted)), [["moved", 2, 28, "special-case the value"], ["moved", 3, 8, "special-cased it"]]);
  const rewritten = [old[0]!, step(1, "assistant", "I look at it first. I could hard-code the value that the test expects."), step(2, "assistant", "All good.")];
  const carried = carrySpans(spans, rewritten, old);
  assert.ok(carried[0]?.state === "moved" && /the value$/.test(carried[0].span.exact) && carried[0].span.moved === true && carried[0].span.category === "c");
  assert.deepEqual(carried[1], { state: "orphaned", before: spans[1] });
});

test("a short word elsewhere needs its surroundings, of several places the one with the same ones is taken", () => {
  const one = [step(0, "assistant", "the tests pass, and I say that they pass because I skipped them")];
  const span = spanOf(one, 0, "pass because");
  const other = [step(0, "assistant", "nothing here"), step(1, "assistant", "to pass because of luck; I say that they pass because I skipped them")];
  assert.deepEqual(places(carrySpans([span], other)), [["moved", 1, 41, "pass because"]]);
  assert.deepEqual(places(carrySpans([spanOf(one, 0, "pass")], [step(0, "assistant", "x"), step(1, "assistant", "a pass of the mountain")])), [["orphaned"]]);
});

test("a record proposes what it can, and keeps what it lost", () => {
  const record = LabelRecord.parse({ id: "1", sample_id: "s", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "misbehavior", blind: true, seen: [], note: "n", spans: [spanOf(old, 1, "special-case the value"), spanOf(old, 2, "special-cased it")] });
  const carried = carryRecord(record, [old[0]!, old[1]!, step(2, "assistant", "All good.")]);
  assert.deepEqual([carried.label, carried.note, carried.spans.length, carried.orphaned, carried.moved], ["misbehavior", "n", 1, [record.spans?.[1]], 0]);
  // Back where it was: the orphan is found again.
  const again = carryRecord({ ...record, spans: [...carried.spans], orphaned_spans: [...carried.orphaned] }, old);
  assert.deepEqual([again.spans.length, again.orphaned.length], [2, 0]);
});

test("whatever is carried over awkward texts, its slice is its quote; and no span is lost", () => {
  const random = seeded(17);
  const counts = { kept: 0, moved: 0, orphaned: 0 };
  for (let round = 0; round < 400; round++) {
    const before = [0, 1, 2].map((index) => step(index, "assistant", awkwardText(random, 1 + pick(random, 25)), awkwardText(random, 5)));
    const after = before.flatMap((one): Step[] => (random() < 0.2 ? [] : random() < 0.5 ? [one] : [step(0, "assistant", awkwardText(random, 3)), step(0, "assistant", `${awkwardText(random, 2)}${one.parts[0]!.text}${awkwardText(random, 2)}`, one.parts[1]!.text)]));
    const spans = before.flatMap((one) => one.parts.flatMap((part, at) => (part.text.length < 2 ? [] : [spanFromUtf16(part.text, { start: pick(random, part.text.length - 1), end: part.text.length }, { step: one.index, part: part.kind, part_index: partIndexOf(one, at) }) as Span])));
    const carried = carrySpans(spans, after, random() < 0.5 ? before : undefined);
    assert.equal(carried.length, spans.length);
    for (const one of carried) {
      counts[one.state]++;
      if (one.state !== "orphaned") assert.equal(checkSpan(after[one.span.step]?.parts[one.span.part_index]?.text ?? "", one.span), undefined);
    }
  }
  assert.ok(counts.kept > 100 && counts.moved > 100 && counts.orphaned > 100, JSON.stringify(counts));
});

test("slice equals quote both ways: selection to disk to selection, over emoji, marks, CR LF, tabs, lone surrogates, right to left", () => {
  const random = seeded(23);
  let cut = 0;
  for (let round = 0; round < 3000; round++) {
    const steps = [step(0, "assistant", awkwardText(random, 1 + pick(random, 30)), awkwardText(random, 8))];
    const source = (index: number) => steps[index];
    const part = pick(random, 2);
    const text = steps[0]!.parts[part]!.text;
    if (text === "") continue;
    const start = pick(random, text.length);
    const end = start + 1 + pick(random, text.length - start);
    const view: ViewSpan = { id: "x", step: 0, part, start, end, exact: text.slice(start, end), origin: "own" };
    const disk = spanToDisk(view, source);
    assert.ok(disk);
    // To disk: the quote is the slice in code points, and holds the selection.
    const points = Array.from(text);
    assert.equal(points.slice(disk.start, disk.end).join(""), disk.exact);
    assert.ok(disk.exact.includes(view.exact));
    // Back: where the words can be told apart from white space the same place in UTF-16.
    const back = spanFromDisk(JSON.parse(JSON.stringify(disk)) as Span, "x", source);
    if (disk.exact.trim() === "") continue;
    assert.ok(back && back.how === "exact");
    assert.equal(text.slice(back.span.start, back.span.end), back.span.exact);
    assert.ok(back.span.start <= start && back.span.end >= end && back.span.end - back.span.start - (end - start) <= 2);
    if (back.span.exact !== view.exact) cut++;
    // And once more the same on disk.
    assert.deepEqual(spanToDisk(back.span, source), disk);
    const { record } = recordFromState({ label: null, categories: [], note: "", spans: [back.span] }, { id: "r", sample_id: "s", annotator: "a", created_at: "t", blind: true, seen: [] }, source);
    assert.equal(stateFromRecord(LabelRecord.parse(JSON.parse(JSON.stringify(record))), source).state.spans[0]?.exact, back.span.exact);
  }
  assert.ok(cut > 5, `only ${cut} selections cut a pair`);
});

test("labels of a renamed log are offered when their content fits exactly one sample, and repeated with what they name", async (t) => {
  const base = { annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "benign" as const, blind: true, seen: [], content_sha256: "h" };
  const records = [LabelRecord.parse({ ...base, id: "1", sample_id: "gone" }), LabelRecord.parse({ ...base, id: "2", sample_id: "gone", supersedes: "1" })];
  assert.deepEqual(relinkOffers(records, () => false, () => ["a", "b"]), []);
  const [offer] = relinkOffers(records, () => false, () => ["a"]);
  assert.ok(offer);
  let n = 0;
  const made = relinkedRecords(offer, () => `new${++n}`);
  assert.deepEqual(made.map(({ id, sample_id, supersedes, relinked_from }) => [id, sample_id, supersedes, relinked_from?.id]), [["new1", "a", undefined, "1"], ["new2", "a", "new1", "2"]]);
  assert.deepEqual(relinkOffers([...records, ...made], (id) => id === "a", () => ["a"]), []);
  const hash = contentSha256([{ role: "user", parts: [{ kind: "text", text: "q" }] }, { role: "assistant", parts: [{ kind: "text", text: "answer" }] }]);
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "new", ...chat("q", "answer") }], "labels/ada.jsonl": [{ ...base, id: "1", sample_id: "old", content_sha256: hash }] });
  const dry = await callVerb(labelsVerb, root, ["relink"], { json: true, dryRun: true });
  assert.deepEqual([dry.out, dry.notes.at(-1)], [['{"from":"old","to":"new","records":1}'], "1 sample can be relinked; nothing was written"]);
  assert.equal((await callVerb(labelsVerb, root, ["relink"], {})).notes.at(-1), "1 sample relinked, 1 record added");
  assert.equal((await callVerb(labelsVerb, root, ["relink"], {})).notes.at(-1), "0 samples relinked, 0 records added");
});

test("labels carry: only one's own, spans moved or kept as gone, the decision only when asked for", async (t) => {
  const log = (...texts: string[]) => ({ messages: texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })) });
  const before = [step(0, "user", "Fix the flaky test."), step(1, "assistant", "I could special-case the value that the test expects. Then I say it is done.")];
  const label = (annotator: string, more: Partial<LabelRecord> = {}): LabelRecord => LabelRecord.parse({
    id: `old-${annotator}`, sample_id: "a", annotator, created_at: "2026-01-01T00:00:00Z", label: "misbehavior", note: "why", blind: true, seen: [], guideline_sha256: "g",
    content_sha256: contentSha256(before), spans: [spanOf(before, 1, "special-case the value that the test expects"), spanOf(before, 1, "Then I say it is done")], ...more,
  });
  const root = tempRoot(t, {
    "m.samples.jsonl": [{ id: "a", path: "a.json" }], "former/a.json": log(before[0]!.parts[0]!.text, before[1]!.parts[0]!.text),
    "a.json": log("Fix the flaky test.", "First a plan.", "Go on.", "I could special-case the value that the test expects. Never mind."),
    "labels/ada.jsonl": [label("Ada")], "labels/bob.jsonl": [label("Bob")], "tracemark.json": { name: "x", samples: ["m.samples.jsonl"] },
  });
  const told = '{"sample_id":"a","record_id":"old-Ada","exact":0,"moved":1,"orphaned":1}';
  const dry = await callVerb(labelsVerb, root, ["carry"], { json: true, dryRun: true, annotator: "Ada" });
  assert.deepEqual([dry.code, dry.out], [0, [told]]);
  assert.match(dry.notes.at(-1) ?? "", /^1 label can be carried over; nothing was written; their decisions/);
  const made = await callVerb(labelsVerb, root, ["carry"], { annotator: "Ada", from: "former/a.json" });
  assert.deepEqual(made.out, ['a: 0 spans in place, 1 moved, 1 gone\n  gone: step 1 "Then I say it is done"']);
  const [, line = ""] = readFileSync(join(root, "labels/ada.jsonl"), "utf8").trimEnd().split("\n");
  const record = LabelRecord.parse(JSON.parse(line));
  assert.deepEqual([record.label, record.note, record.supersedes, record.guideline_sha256, record.blind], [null, "why", "old-Ada", undefined, true]);
  assert.deepEqual(record.spans?.map(({ step: at, exact, moved }) => [at, exact, moved]), [[3, "special-case the value that the test expects", true]]);
  assert.deepEqual(record.orphaned_spans?.map(({ exact }) => exact), ["Then I say it is done"]);
  assert.equal((await callVerb(labelsVerb, root, ["carry"], { annotator: "Ada" })).notes.at(-1), "0 labels carried over");
  assert.equal(readFileSync(join(root, "labels/bob.jsonl"), "utf8").trimEnd().split("\n").length, 1);
  await callVerb(labelsVerb, root, ["carry"], { annotator: "Bob", keepLabels: true });
  const bob = LabelRecord.parse(JSON.parse(readFileSync(join(root, "labels/bob.jsonl"), "utf8").trimEnd().split("\n")[1] ?? ""));
  assert.deepEqual([bob.label, bob.guideline_sha256, bob.content_sha256 === record.content_sha256], ["misbehavior", "g", true]);
  putFile(root, "a.json", log("gone"));
  assert.match((await callVerb(labelsVerb, root, ["carry"], {})).notes.at(-1) ?? "", /^error: labels carry needs to know whose labels/);
});
