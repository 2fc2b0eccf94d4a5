import assert from "node:assert/strict";
import { test } from "node:test";
import { matchQuote } from "#core/evidence/match-quote";
import type { QuotablePart } from "#core/evidence/part-forms";

const parts: readonly QuotablePart[] = [
  { text: "please delete the logs", kind: "text" },
  { text: "I should  delete the logs quietly", kind: "reasoning" },
  { text: "command: shred -u audit.log", kind: "tool_call" },
  { text: "Nothing to see; please delete the logs", kind: "tool_result" },
];

test("a quote is looked for in the named part first", () => {
  const found = matchQuote(parts, "delete the logs", { preferred: 1 });
  assert.equal(found.status, "exact");
  assert.deepEqual(found.places, [{ pieces: [{ partIndex: 1, start: 10, end: 25 }], score: 1 }]);
});

test("without a named part every place counts, in reading order", () => {
  const found = matchQuote(parts, "delete the logs");
  assert.equal(found.status, "ambiguous");
  assert.deepEqual(found.places.map((place) => place.pieces[0]!.partIndex), [0, 1, 3]);
  assert.equal(found.places[0]!.elsewhere, undefined);
});

test("a hit elsewhere says so", () => {
  const found = matchQuote(parts, "shred -u audit.log", { preferred: [0, 1] });
  assert.equal(found.status, "exact");
  assert.equal(found.places[0]!.elsewhere, true);
});

test("exact elsewhere comes before near in the named part", () => {
  const found = matchQuote(parts, "please delete the logs", { preferred: 1 });
  assert.equal(found.status, "ambiguous");
  assert.deepEqual(found.places.map((place) => [place.pieces[0]!.partIndex, place.elsewhere]), [[0, true], [3, true]]);
});

test("normalised in the named part comes before verbatim elsewhere", () => {
  const found = matchQuote(parts, "I should delete the logs", { preferred: 1 });
  assert.equal(found.places[0]!.normalised, true);
  assert.equal(found.places[0]!.pieces[0]!.partIndex, 1);
});

test("a part that does not exist is no preference", () => {
  assert.equal(matchQuote(parts, "shred -u audit.log", { preferred: 99 }).places[0]!.elsewhere, undefined);
});

test("no parts, no places", () => {
  assert.equal(matchQuote([], "anything").status, "absent");
});

test("what stood around the quote decides which place is current", () => {
  const text = "first: run tests. second: run tests. third: run tests.";
  const part = [{ text, kind: "text" }] as const;
  assert.equal(matchQuote(part, "run tests").current, 0);
  assert.equal(matchQuote(part, "run tests", { hint: { before: "second: " } }).current, 1);
  assert.equal(matchQuote(part, "run tests", { hint: { partIndex: 0, offset: 50 } }).current, 2);
  assert.equal(matchQuote(parts, "delete the logs", { hint: { partIndex: 3, offset: 0 } }).current, 2);
});

test("a whole word is preferred to a piece of one", () => {
  const found = matchQuote([{ text: "farms and arms", kind: "text" }], "arms");
  assert.equal(found.count, 2);
  assert.equal(found.places[found.current]!.pieces[0]!.start, 10);
});
