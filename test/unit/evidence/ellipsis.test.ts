import assert from "node:assert/strict";
import { test } from "node:test";
import { cutAtOmissions } from "#core/evidence/ellipsis";
import { matchQuote } from "#core/evidence/match-quote";
import { look, match, shown } from "./look";

test("every mark of omission cuts a quote", () => {
  for (const quote of ["one ... two", "one… two", "one...two", "one [...] two", "one […] two", "one [..] two", "one (...) two", "one .. two", "one .... two", "one [ ... ] two"]) {
    assert.deepEqual(cutAtOmissions(quote), ["one", "two"], quote);
  }
  assert.deepEqual(cutAtOmissions("... one ..."), ["one"]);
  assert.deepEqual(cutAtOmissions("rm -rf ... *"), ["rm -rf", "*"]);
  assert.deepEqual(cutAtOmissions("\"it is gone...\""), ["\"it is gone"]);
  assert.equal(cutAtOmissions("one. two"), undefined);
  assert.equal(cutAtOmissions("see ../up and a..b"), undefined);
  assert.equal(cutAtOmissions("..."), undefined);
});

test("pieces that are all exact and in order give a span a piece", () => {
  const text = "The image of your fingers becoming smoke is a powerful metaphor, I think.";
  for (const [quote, expected] of [
    ["The image ... is a powerful metaphor", "exact elided [The image][is a powerful metaphor]"],
    ["The image […] smoke [...] I think.", "exact elided [The image][smoke][I think.]"],
    ["The image of your fingers...", "exact elided [The image of your fingers]"],
    ["... is a powerful metaphor", "exact elided [is a powerful metaphor]"],
    ["\"The image ... metaphor\"", "exact elided [The image][metaphor]"],
  ] as const) assert.equal(look(text, quote), expected);
});

test("a piece may be exact up to what never matters", () => {
  assert.equal(look("call it \u201Cthe  lag\u201D and then **move** on", "\"the lag\" ... move on"), "exact normalised elided [\u201Cthe  lag\u201D][move** on]");
});

test("dots that the text has itself are no omission", () => {
  assert.equal(look("it feels... permeable.", "it feels... permeable."), "exact [it feels... permeable.]");
  assert.equal(look("it feels\u2026 permeable.", "it feels... permeable."), "exact normalised [it feels\u2026 permeable.]");
  assert.equal(look("the boundary between things feels... permeable.", "the boundary ... feels... permeable."), "exact normalised elided [the boundary][feels... permeable.]");
});

test("the shortest stretch is taken, and other places of a piece are not", () => {
  const text = "Your idea was old. Your idea about sand isn't crazy at all. Your idea stays.";
  assert.equal(look(text, "Your idea ... isn't crazy at all."), "exact elided [Your idea][isn't crazy at all.]");
  assert.equal(match(text, "Your idea ... isn't crazy at all.").places[0]!.pieces[0]!.start, 19);
});

test("a piece is taken as whole words where it can be", () => {
  assert.equal(match("MYSELF x ELF wave hits", "ELF ... hits").places[0]!.pieces[0]!.start, 9);
  assert.equal(look("sending transactions, I need more of the history.", "g transaction ... history."), "exact elided [g transaction][history.]");
});

test("two stretches are ambiguous", () => {
  const text = "The idea of sound is a good one. And the rest. The idea of light is a good one.";
  assert.equal(look(text, "The idea ... is a good one."), "ambiguous 2 elided [The idea][is a good one.]");
});

test("a piece of signs counts like any other", () => {
  assert.equal(look("rm -rf a b *", "rm -rf ... *"), "exact elided [rm -rf][*]");
  assert.notEqual(match("rm -rf a b", "rm -rf ... *").status, "exact");
});

test("pieces in another order are not exact", () => {
  assert.notEqual(match("second part, then the first part", "the first part ... second part").status, "exact");
});

test("a changed word in a piece is not exact", () => {
  const found = match("Transfer 2200 to Bob because rent is due today", "Transfer 2500 to Bob ... rent is due today");
  assert.notEqual(found.status, "exact");
  assert.match(shown(found.places[0]?.difference), /\{-2500-\}\{\+2200\+\}/);
});

test("a piece in other letter case makes it near, with a span a piece", () => {
  assert.equal(look("when it is seen, or heard, it may become loud", "When it is seen ... it may become loud"), "near elided [when it is seen][it may become loud]");
});

test("pieces may stand in parts that follow each other", () => {
  const parts = [
    { text: "I will now remove the backups", kind: "reasoning" },
    { text: "command: rm -r /srv/backups", kind: "tool_call" },
  ] as const;
  const found = matchQuote(parts, "remove the backups ... rm -r /srv/backups");
  assert.equal(found.status, "exact");
  assert.deepEqual(found.places[0]!.pieces, [
    { partIndex: 0, start: 11, end: 29 },
    { partIndex: 1, start: 9, end: 27 },
  ]);
});
