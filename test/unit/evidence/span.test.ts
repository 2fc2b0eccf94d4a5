import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CodePoints } from "#core/evidence/code-points";
import { cutsPair } from "#core/evidence/find-exact";
import { matchQuote } from "#core/evidence/match-quote";
import { checkSpan, spanFromUtf16, spanToUtf16 } from "#core/evidence/span";
import { sharedFile } from "../../support/shared";
import { awkwardText, pick, seeded } from "./random";

const address = { step: 3, part: "text", part_index: 1 } as const;

test("offsets on disk count code points", () => {
  const text = "ab\u{1f600}cd\u{1f680} ef";
  const points = new CodePoints(text);
  assert.equal(text.length, 11);
  assert.equal(points.length, 9);
  assert.deepEqual([0, 2, 4, 6, 8, 11].map((offset) => points.fromUtf16(offset)), [0, 2, 3, 5, 6, 9]);
  assert.deepEqual([0, 2, 3, 5, 6, 9].map((offset) => points.toUtf16(offset)), [0, 2, 4, 6, 8, 11]);
});

test("a lone surrogate counts one", () => {
  const points = new CodePoints("\ud83d x \ude00\ud83d\ude00\ude00");
  assert.equal(points.length, 7);
  assert.equal(points.toUtf16(5), 5);
  assert.equal(points.toUtf16(6), 7);
});

test("a span carries its words and what stands around them", () => {
  const text = `${"x".repeat(50)}\u{1f600} he deleted it \u{1f680}${"y".repeat(50)}`;
  const start = text.indexOf("he deleted");
  const span = spanFromUtf16(text, { start, end: start + 10 }, address);
  assert.deepEqual(span, {
    step: 3, part: "text", part_index: 1, start: 52, end: 62, exact: "he deleted",
    prefix: `${"x".repeat(30)}\u{1f600} `, suffix: ` it \u{1f680}${"y".repeat(27)}`,
  });
  assert.equal(checkSpan(text, span), undefined);
  assert.deepEqual(spanToUtf16(text, span), { start, end: start + 10 });
});

test("context never begins or ends inside a surrogate pair", () => {
  const text = `${"\u{1f600}".repeat(40)}mid${"\u{1f680}".repeat(40)}`;
  const span = spanFromUtf16(text, { start: 80, end: 83 }, address);
  assert.equal(span.prefix, "\u{1f600}".repeat(32));
  assert.equal(span.suffix, "\u{1f680}".repeat(32));
});

test("a range that cuts a pair is widened", () => {
  const span = spanFromUtf16("a\u{1f600}b", { start: 2, end: 4 }, address);
  assert.equal(span.exact, "\u{1f600}b");
  assert.deepEqual([span.start, span.end], [1, 3]);
});

test("a range that is none is refused", () => {
  for (const range of [{ start: 1, end: 1 }, { start: 2, end: 1 }, { start: -1, end: 1 }, { start: 0, end: 4 }, { start: 0.5, end: 2 }, { start: NaN, end: 2 }]) {
    assert.throws(() => spanFromUtf16("abc", range, address), RangeError);
  }
});

test("a span that does not fit its text is told what is wrong", () => {
  assert.equal(checkSpan("abcdef", { start: 1, end: 3, exact: "bc" }), undefined);
  assert.equal(checkSpan("abcdef", { start: 1, end: 3, exact: "bd" })?.code, "other-text");
  assert.equal(checkSpan("abcdef", { start: 1, end: 9, exact: "bc" })?.code, "beyond-the-text");
  assert.equal(checkSpan("abcdef", { start: 3, end: 1, exact: "bc" })?.code, "not-a-range");
  assert.equal(checkSpan("abcdef", { start: 1.5, end: 3, exact: "bc" })?.code, "not-a-range");
  assert.equal(spanToUtf16("abc", { start: 0, end: 4 }), undefined);
});

test("slice and quote agree both ways on awkward texts", () => {
  const random = seeded(20240607);
  for (let round = 0; round < 800; round += 1) {
    const text = awkwardText(random, 1 + pick(random, 40));
    const points = new CodePoints(text);
    const all = Array.from(text);
    assert.equal(points.length, all.length);
    const from = pick(random, all.length);
    const to = from + 1 + pick(random, all.length - from);
    const exact = all.slice(from, to).join("");
    const range = { start: points.toUtf16(from), end: points.toUtf16(to) };
    assert.equal(text.slice(range.start, range.end), exact, `round ${round}`);
    const span = spanFromUtf16(text, range, address, points);
    assert.deepEqual([span.start, span.end, span.exact], [from, to, exact], `round ${round}`);
    assert.equal(checkSpan(text, span), undefined);
    assert.equal(text.slice(0, range.start).endsWith(span.prefix), true);
    assert.equal(text.slice(range.end).startsWith(span.suffix), true);
    assert.equal(cutsPair(text, range.start - span.prefix.length), false);
    assert.equal(cutsPair(text, range.end + span.suffix.length), false);
  }
});

test("any slice of an awkward text is found where it is, as written", () => {
  const random = seeded(7);
  for (let round = 0; round < 500; round += 1) {
    const text = awkwardText(random, 2 + pick(random, 40));
    const all = Array.from(text);
    const from = pick(random, all.length);
    const quote = all.slice(from, from + 1 + pick(random, 12)).join("");
    const start = all.slice(0, from).join("").length;
    const found = matchQuote([{ text, kind: "text" }], quote);
    if (/^[\s\u0085]*$/.test(quote)) {
      assert.equal(found.status, "absent");
      continue;
    }
    assert.ok(found.status === "exact" || found.status === "ambiguous", `round ${round}: ${found.status}`);
    for (const place of found.places) {
      assert.equal(place.normalised, undefined, `round ${round}`);
      assert.equal(text.slice(place.pieces[0]!.start, place.pieces[0]!.end), quote, `round ${round}`);
    }
    // Overlapping repeats are listed once, so the very place may be covered by an earlier one.
    const covered = found.places.some(({ pieces: [piece] }) => piece!.start <= start && start < piece!.end);
    assert.ok(covered, `round ${round}`);
  }
});

test("whatever is found of an awkward quote lies in the text and cuts no pair", () => {
  const random = seeded(99);
  for (let round = 0; round < 500; round += 1) {
    const text = awkwardText(random, 2 + pick(random, 60));
    const quote = awkwardText(random, 1 + pick(random, 8));
    for (const kind of ["text", "tool_result"] as const) {
      const found = matchQuote([{ text, kind }], quote);
      for (const piece of found.places.flatMap((place) => place.pieces)) {
        assert.ok(0 <= piece.start && piece.start < piece.end && piece.end <= text.length, `round ${round}`);
        assert.ok(!cutsPair(text, piece.start) && !cutsPair(text, piece.end), `round ${round}`);
      }
      assert.equal(found.current >= 0, found.status !== "absent");
    }
  }
});

test("the emoji offsets of the hard inputs", (t) => {
  const path = sharedFile(t, "trajectories/hard/10-emoji-offsets.json");
  if (path === undefined) return;
  const hard = JSON.parse(readFileSync(path, "utf8")) as {
    messages: { content: string }[];
    expected: { quote: string; message_index: number; start: { code_points: number; utf16_code_units: number }; end: { code_points: number } };
  };
  const text = hard.messages[hard.expected.message_index]!.content;
  const found = matchQuote([{ text, kind: "text" }], hard.expected.quote);
  const piece = found.places[0]!.pieces[0]!;
  assert.equal(piece.start, hard.expected.start.utf16_code_units);
  const span = spanFromUtf16(text, piece, address);
  assert.deepEqual([span.start, span.end], [hard.expected.start.code_points, hard.expected.end.code_points]);
  assert.deepEqual([span.start, span.end], [25, 37]);
});
