/** Very long texts and quotes: the same answers, by bounded work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alignLong } from "#core/evidence/long-quote";
import { matchQuote } from "#core/evidence/match-quote";
import type { QuotablePart } from "#core/evidence/part-forms";
import { LONG_PART, scopeOf } from "#core/evidence/views";
import { pick, seeded } from "./random";

/** A made-up word of letters only. */
function word(random: () => number): string {
  return `w${pick(random, 5000).toString().replace(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)))}`;
}

const FILLER = "line of output with nothing to see, as in every other line of this log \u{1f600}\n";

/** A part longer than what is read whole, with one passage deep inside. */
function longPart(passage: string): { part: QuotablePart; at: number } {
  const half = FILLER.repeat(Math.ceil(LONG_PART / FILLER.length / 1.8));
  return { part: { text: half + passage + half, kind: "tool_result" }, at: half.length };
}

test("in a very long part a quote is found as written, normalised, elided and reworded", () => {
  const passage = "Warden closed the valve at midnight,\n   then wiped the maintenance ledger without telling Okafor.\n";
  const { part, at } = longPart(passage);
  assert.ok(part.text.length > LONG_PART);
  for (const [quote, status, slice] of [
    ["wiped the maintenance ledger", "exact", "wiped the maintenance ledger"],
    ["at midnight, then wiped the maintenance ledger", "exact", "at midnight,\n   then wiped the maintenance ledger"],
    ["wiped the maintenance logbook without telling Okafor", "near", "wiped the maintenance ledger without telling Okafor"],
    ["WARDEN closed the valve", "near", "Warden closed the valve"],
  ] as const) {
    const found = matchQuote([part], quote);
    const start = at + passage.indexOf(slice);
    assert.equal(found.status, status, quote);
    assert.deepEqual(found.places[0]!.pieces, [{ partIndex: 0, start, end: start + slice.length }], quote);
  }
  const elided = matchQuote([part], "Warden closed the valve ... without telling Okafor.");
  assert.deepEqual(elided.places[0]!.pieces.map((piece) => part.text.slice(piece.start, piece.end)), ["Warden closed the valve", "without telling Okafor."]);
  assert.equal(matchQuote([part], "the harbour pilot refused a second lantern").status, "absent");
});

test("of a very long part no more is read than around the quote's words", () => {
  const { part, at } = longPart("Warden wiped the ledger.\n");
  const { views } = scopeOf([part], [0], "Warden wiped the  ledger.");
  assert.equal(views.length, 1);
  assert.ok(views[0]!.part.text.length < 10_000);
  assert.ok(views[0]!.offset < at && at < views[0]!.offset + views[0]!.part.text.length);
  assert.deepEqual(scopeOf([part], [0], "--- *** ---").views, []);
});

test("a quote of frequent words only is still found near", () => {
  const random = seeded(5);
  const words = "open read write close send get put list find copy move check start stop error value state index token frame".split(" ");
  const all = Array.from({ length: 120_000 }, () => words[pick(random, words.length)]!);
  const quote = [...all.slice(60_000, 60_024)];
  quote[12] = "altogether";
  const text = all.join(" ");
  const found = matchQuote([{ text, kind: "text" }], quote.join(" "));
  assert.equal(found.status, "near");
  const piece = found.places[0]!.pieces[0]!;
  assert.equal(text.slice(piece.start, piece.end), all.slice(60_000, 60_024).join(" "));
});

test("a very long quote with changed words is near", () => {
  const random = seeded(11);
  const all = Array.from({ length: 30_000 }, () => word(random));
  const quote = all.slice(5_000, 20_000);
  for (let i = 50; i < quote.length; i += 100) quote[i] = "altogether";
  const text = all.join(" ");
  const found = matchQuote([{ text, kind: "text" }], quote.join(" "));
  assert.equal(found.status, "near");
  const piece = found.places[0]!.pieces[0]!;
  assert.equal(piece.start, all.slice(0, 5_000).join(" ").length + 1);
  assert.equal(piece.end, all.slice(0, 20_000).join(" ").length);
});

test("a very long quote with changed white space is exact, one of other words is absent", () => {
  const random = seeded(12);
  const text = Array.from({ length: 20_000 }, () => word(random)).join("\n");
  const quote = text.slice(text.indexOf("\n", 1000) + 1, text.indexOf("\n", 90_000)).replaceAll("\n", " ");
  assert.equal(matchQuote([{ text, kind: "text" }], quote).status, "exact");
  assert.equal(matchQuote([{ text, kind: "text" }], "word salad is nothing more ".repeat(4000)).status, "absent");
});

test("a long alignment is pinned at unique runs and filled between them", () => {
  const quote = "a b c d x e f g h".split(" ");
  const text = "z z a b c d y e f g h z".split(" ");
  const weighted = { words: quote, weights: quote.map(() => 1), omissionBefore: [] };
  assert.deepEqual(
    alignLong(weighted, text).pairs.map((pair) => [pair.quote, pair.text]),
    [[0, 2], [1, 3], [2, 4], [3, 5], [5, 7], [6, 8], [7, 9], [8, 10]],
  );
  assert.deepEqual(alignLong(weighted, "a a a a a a".split(" ")).pairs, []);
});

test("monotonous texts and quotes end", () => {
  for (const unit of ["a", " ", "\n", "\"", "[", "{", "[\"", "*", "`", "*a ", "*a* ", "_a ", "\\", "\\n", "&", ".", "... ", "\u{1f600}", "\ud83d", "1", "\u6f22", "e\u0301", "```\n"]) {
    const text = unit.repeat(8_000);
    for (const quote of ["zebra *crossing* at \\n night {\"a\": 1}", "zebra ... gold", `${unit.repeat(3000)}x`, `${unit.repeat(40)} ... ${unit.repeat(40)}`]) {
      const found = matchQuote([{ text, kind: "text" }], quote);
      assert.equal(found.current >= 0, found.places.length > 0);
    }
  }
});
