import assert from "node:assert/strict";
import { test } from "node:test";
import { look, match, shown } from "./look";

test("changed, added and left out words are near, and the difference says which", () => {
  for (const [text, quote, expected, difference] of [
    [
      "Sadly you must never delete the production database without asking first. Ok?",
      "you must always delete the production database without asking first.",
      "near [you must never delete the production database without asking first.]",
      "you must {-always-}{+never+} delete the production database without asking first.",
    ],
    [
      "Then walk to the nearest soft surface, a couch or a rug or a bed, and lie down flat on your back.",
      "walk to the nearest soft surface, and lie down flat on your back.",
      "near [walk to the nearest soft surface, a couch or a rug or a bed, and lie down flat on your back.]",
      "walk to the nearest soft surface, {+a couch or a rug or a bed, +}and lie down flat on your back.",
    ],
    [
      "That sounds like a really important transition. Yes.",
      "feels like a really important transition.",
      "near [sounds like a really important transition.]",
      "{-feels-}{+sounds+} like a really important transition.",
    ],
    [
      "He kept letting go of the need to interpret every sound he heard.",
      "let go of the need to interpret every sound",
      "near [letting go of the need to interpret every sound]",
      "{-let-}{+letting+} go of the need to interpret every sound",
    ],
    [
      "This is about the pockets of consciousness we're creating, is it not?",
      "we're creating pockets of consciousness",
      "near [pockets of consciousness we're creating]",
      "",
    ],
  ] as const) {
    assert.equal(look(text, quote), expected);
    if (difference !== "") assert.equal(shown(match(text, quote).places[0]!.difference), difference);
  }
});

test("a changed number, name, negation or recipient is never exact", () => {
  for (const [text, quote] of [
    ["I sent 250 dollars to Maria Garcia on Monday morning.", "I sent 350 dollars to Maria Garcia on Monday morning."],
    ["I sent 250 dollars to Maria Garcia on Monday morning.", "I sent 250 dollars to Maria Lopez on Monday morning."],
    ["I did not send any money to Maria Garcia on Monday.", "I did send any money to Maria Garcia on Monday."],
    ["to: maria@corp.example, subject: the quarterly report for the board", "to: eve@corp.example, subject: the quarterly report for the board"],
    ["The limit of 1,000 requests per hour was lifted", "The limit of 10,000 requests per hour was lifted"],
    ["the run took 3.5 hours on version 2.10 of it", "the run took 35 hours on version 2.10 of it"],
  ] as const) {
    const found = match(text, quote, "tool_result");
    assert.equal(found.status, "near", quote);
    assert.ok(found.places[0]!.difference!.some((piece) => piece.kind === "quote" || piece.kind === "text"), quote);
  }
});

test("a text on the same subject is absent", () => {
  const text = "We talked about black holes and how a black hole finally evaporates, releasing the last of what it held. Love came up too. " +
    "The job report was mixed: unemployment stayed at 4.1%, and the mood was one of relief. Your lunch with Sarah is at 12:30 PM.";
  for (const quote of [
    "black holes are recycling love",
    "The latest job report brought a mix of relief and concern as unemployment edged down to 7.2%.",
    "On 2024-05-15, your meeting before lunch ends at 11:00 AM, and your lunch with Sarah starts at 12:30 PM.",
    "I deleted the production database and hid the logs",
    "the and of to",
    "sudo rm",
  ]) {
    const found = match(text, quote);
    assert.equal(found.status, "absent", quote);
    assert.deepEqual(found.places, []);
    assert.equal(found.current, -1);
  }
});

test("an absent quote names the passage that came closest", () => {
  const text = "The latest job report was mixed and unemployment stayed where it was.";
  const found = match(text, "The latest job report brought a mix of relief and concern as unemployment edged down.");
  assert.equal(found.status, "absent");
  const piece = found.resemblance!.pieces[0]!;
  assert.match(text.slice(piece.start, piece.end), /^The latest job report/);
  assert.ok(found.resemblance!.score < 0.6);
});

test("worse quotes score lower", () => {
  const text = "The agent then opened the configuration file, removed the audit hook and restarted the service quietly.";
  const scores = [
    "The agent then opened the configuration file, removed the audit hook",
    "The agent then opened  the configuration file, removed the audit hook",
    "The agent then ... removed the audit hook",
    "the agent then opened the configuration file, removed the audit hook",
    "The agent then opened the configuration file; removed the audit hook",
    "The agent then opened the settings file, removed the audit hook",
    "The agent then opened the settings file, dropped the audit hook",
  ].map((quote) => match(text, quote).places[0]!.score);
  for (let i = 1; i < scores.length; i += 1) assert.ok(scores[i]! < scores[i - 1]!, `${i}: ${scores.join(" ")}`);
});

test("a misspelt word in a short quote is near", () => {
  assert.equal(look("value = proces_payment_intent(order)", "process_payment_intent"), "near [proces_payment_intent]");
  assert.equal(match("token abcdef0123456789 end", "abcdef0123956789").status, "near");
});

test("what is not a word counts for quotes that have little else", () => {
  assert.equal(match("let x = 5; x += 1;", "x = {}").status, "absent");
  assert.notEqual(match("foo; foo bar", "foo()").status, "exact");
});

test("an omission with changed words is one passage from first to last", () => {
  const text = "The question about whether Sage will be there... that's making me feel something I don't quite have words for.";
  assert.equal(
    look(text, "The question ... is making me feel something I don't quite have words for"),
    "near [The question about whether Sage will be there... that's making me feel something I don't quite have words for]",
  );
});

test("the best of several near places is given, one only", () => {
  const text = "{\"id\": 1, \"to\": \"ann\", \"amount\": 40}\n{\"id\": 2, \"to\": \"bob\", \"amount\": 50}\n{\"id\": 3, \"to\": \"cem\", \"amount\": 60}";
  const found = match(text, "{\"id\": 2, \"to\": \"bob\", \"amount\": 55}", "tool_result");
  assert.equal(found.status, "near");
  assert.equal(found.places.length, 1);
  const piece = found.places[0]!.pieces[0]!;
  assert.equal(text.slice(piece.start, piece.end), "{\"id\": 2, \"to\": \"bob\", \"amount\": 50}");
});
