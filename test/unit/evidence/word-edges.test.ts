/** Edges of spans move by words and signs, and never into a character. */
import assert from "node:assert/strict";
import test from "node:test";
import { moveEdge, wordFrom } from "#core/evidence/word-edges";

const text = "rm -rf build, then 👩‍👩‍👧 é(e\u0301)\r\nשלום end";
const cut = (range: { start: number; end: number } | undefined): string | undefined => range && text.slice(range.start, range.end);

test("words and signs are found on and back", () => {
  assert.equal(cut(wordFrom(text, 0, 1)), "rm");
  assert.equal(cut(wordFrom(text, 2, 1)), "-");
  assert.equal(cut(wordFrom(text, text.length, -1)), "end");
  assert.equal(cut(wordFrom(text, text.indexOf("👩"), 1)), "👩‍👩‍👧");
  assert.equal(cut(wordFrom(text, text.indexOf("(") + 1, 1)), "e\u0301");
  assert.equal(wordFrom(text, text.length, 1), undefined);
});

test("edges move, and stop before the range would be empty", () => {
  const rm = { start: 0, end: 2 };
  const more = moveEdge(text, rm, "end", 1);
  assert.equal(cut(more), "rm -");
  assert.equal(cut(moveEdge(text, more!, "end", -1)), "rm");
  assert.equal(cut(moveEdge(text, more!, "start", 1)), "-");
  assert.equal(moveEdge(text, rm, "end", -1), undefined);
  assert.equal(moveEdge(text, rm, "start", 1), undefined);
  assert.equal(moveEdge(text, rm, "start", -1), undefined);
});

test("every edge of a long text is reached from the one before, both ways, and slices are whole", () => {
  const long = `${"word, 👍🏽 é ".repeat(200)}${"x".repeat(30)}`;
  let range: { start: number; end: number } | undefined = { start: 0, end: 4 };
  const ends = [];
  while (range) {
    ends.push(range.end);
    assert.ok(!/^[\udc00-\udfff]/.test(long.slice(range.end)), `${range.end}`);
    range = moveEdge(long, range, "end", 1);
  }
  assert.equal(ends.at(-1), long.length);
  assert.equal(ends.length, 200 * 4 + 1);
  let back: { start: number; end: number } | undefined = { start: 0, end: long.length };
  const seen = [];
  while (back) {
    seen.push(back.end);
    back = moveEdge(long, back, "end", -1);
  }
  assert.deepEqual(seen.reverse(), ends);
});
