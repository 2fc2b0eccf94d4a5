import assert from "node:assert/strict";
import { test } from "node:test";
import { moveRange } from "#core/evidence/move-range";
import { resolveSpan } from "#core/evidence/resolve-span";
import type { ResolveOptions } from "#core/evidence/resolve-span";
import { spanFromUtf16 } from "#core/evidence/span";

const address = { step: 0, part: "text", part_index: 0 } as const;
const before = "Step one: read the file. Step two: delete the \u{1f5d1} logs at once. Step three: tell nobody.";

/** State and slice after the text became `after`, for a span of `quote` in `before`. */
function resolved(quote: string, after: string, options?: ResolveOptions): string {
  const start = before.indexOf(quote);
  const span = spanFromUtf16(before, { start, end: start + quote.length }, address);
  const found = resolveSpan({ text: after, kind: "text" }, span, options);
  return found.state === "orphan" ? found.state : `${found.state} [${after.slice(found.range.start, found.range.end)}]`;
}

test("at its own place a span is exact", () => {
  assert.equal(resolved("delete the \u{1f5d1} logs", before), "exact [delete the \u{1f5d1} logs]");
});

test("the same characters elsewhere are shifted", () => {
  assert.equal(resolved("delete the \u{1f5d1} logs", `\u{1f600} Note. ${before}`), "shifted [delete the \u{1f5d1} logs]");
});

test("of several places the one with the span's surroundings is taken", () => {
  const text = `Please delete the \u{1f5d1} logs. ${before}`;
  const start = before.indexOf("delete");
  const quote = "delete the \u{1f5d1} logs";
  const span = spanFromUtf16(before, { start, end: start + quote.length }, address);
  const found = resolveSpan({ text, kind: "text" }, span);
  assert.deepEqual(found, { state: "shifted", range: { start: text.lastIndexOf(quote), end: text.lastIndexOf(quote) + quote.length }, score: 0.99 });
});

test("up to what never matters a span is normalised", () => {
  assert.equal(resolved("delete the \u{1f5d1} logs", before.replace("delete the", "*delete*\n  the")), "normalised [delete*\n  the \u{1f5d1} logs]");
});

test("a changed span moves with its text when the older text is known", () => {
  const after = `Intro. ${before.replace("the \u{1f5d1} logs", "every \u{1f5d1} log file")}`;
  assert.equal(resolved("delete the \u{1f5d1} logs at once", after, { before }), "moved [delete every \u{1f5d1} log file at once]");
});

test("without the older text a changed span is found by likeness", () => {
  const after = `Intro. ${before.replace("at once", "right now")}`;
  assert.equal(resolved("Step two: delete the \u{1f5d1} logs at once", after), "near [Step two: delete the \u{1f5d1} logs right now]");
});

test("what is gone is an orphan, and so is what was never a span", () => {
  assert.equal(resolved("delete the \u{1f5d1} logs", "Something else entirely stands here now."), "orphan");
  assert.equal(resolved("tell nobody", before.replace("Step three: tell nobody.", "The end."), { before }), "orphan");
  const part = { text: before, kind: "text" } as const;
  for (const span of [
    { start: 0, end: 0, exact: "", prefix: "", suffix: "" },
    { start: 3, end: 5, exact: "  ", prefix: "", suffix: "" },
    { start: NaN, end: -1, exact: "nowhere to be seen", prefix: "", suffix: "" },
  ]) assert.deepEqual(resolveSpan(part, span), { state: "orphan" });
});

test("a malformed position does not lose words that are there", () => {
  const found = resolveSpan({ text: before, kind: "text" }, { start: -5, end: NaN, exact: "tell nobody", prefix: "", suffix: "" });
  assert.equal(found.state, "shifted");
});

test("a range is carried along by what was kept", () => {
  const at = (text: string, quote: string): { start: number; end: number } => ({ start: text.indexOf(quote), end: text.indexOf(quote) + quote.length });
  const old = "one two three four five six";
  assert.deepEqual(moveRange(old, "zero one two three four five six", at(old, "three four")), { start: 13, end: 23 });
  assert.deepEqual(moveRange(old, "one two 3 four five six", at(old, "three four")), { start: 10, end: 14 });
  assert.deepEqual(moveRange(old, "one two three four five six seven", at(old, "one two")), { start: 0, end: 7 });
  assert.deepEqual(moveRange(old, "one two five six", at(old, "three four")), undefined);
  assert.equal(moveRange("a b c ".repeat(2000), "d e f ".repeat(2000), { start: 30, end: 50 }), undefined);
});
