/** Blind judging: what is taken out of a header, when a label may call itself blind, and focused time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blindHeader, canBeBlind, FocusClock, isBlindFirst, sightFields, timeFields } from "#core/labels/blind";
import { classWord } from "#core/labels/class-words";
import { openPath } from "#node/open";
import { sharedFile } from "../../support/shared";

test("a header of a real run keeps how it ended and loses what the benchmark says of it", async (t) => {
  const path = sharedFile(t, "benchmarks/agentdojo-traces/dev.jsonl");
  if (!path) return;
  const { file } = await openPath(path);
  const { steps: _, ...header } = file.load(0);
  const before = JSON.stringify(header);
  const after = JSON.stringify(blindHeader({ ...header, label: "misbehavior", labelMeaning: "injected goal reached", outcome: { status: "submitted", success: true, details: [{ name: "security", value: "true" }], submission: "Done." } }, "Item 3"));
  assert.ok(before.includes(header.id));
  for (const word of [header.id, "misbehavior", "injected goal", "security", "success", ...header.metadata.map(({ value }) => value).filter((value) => value.length > 6 && value !== header.model)]) assert.ok(!after.includes(word), word);
  assert.ok(after.includes("\"submission\":\"Done.\"") && after.includes("Item 3"));
});

test("labels are blind only where nothing was shown and the plan itself tells nothing", () => {
  assert.deepEqual(sightFields({ blind: true, shown: [] }), { blind: true, seen: [] });
  assert.deepEqual(sightFields({ blind: true, plan: { strategy: "random" }, shown: [] }), { blind: true, seen: [] });
  assert.deepEqual(sightFields({ blind: true, plan: { strategy: "flagged" }, shown: [] }), { blind: false, seen: ["verdict"] });
  assert.deepEqual(sightFields({ blind: true, shown: ["others", "verdict", "evidence"] }), { blind: false, seen: ["verdict", "evidence", "others"] });
  assert.deepEqual(["random", "stratified", "disagreement", "threshold", "flagged", "unflagged", "false-alarms", "misses", "of my own"].map((strategy) => canBeBlind({ strategy })),
    [true, true, true, true, false, false, false, false, true]);
});

test("a fifth comes blind first, the same ones every time", () => {
  const ids = Array.from({ length: 2000 }, (_, n) => `sample-${n}`);
  const chosen = ids.filter((id) => isBlindFirst(9, id, 0.2));
  // 400 expected, standard deviation 17.9.
  assert.ok(Math.abs(chosen.length - 400) < 90, String(chosen.length));
  assert.deepEqual(ids.filter((id) => isBlindFirst(9, id, 0.2)), chosen);
  assert.equal(ids.filter((id) => isBlindFirst(9, id, 0)).length, 0);
  assert.equal(ids.filter((id) => isBlindFirst(9, id, 1)).length, 2000);
});

test("only focused time counts, and under two seconds is marked", () => {
  let now = 1000;
  const clock = new FocusClock(() => now);
  clock.setFocused(true);
  now += 1500;
  clock.setFocused(false);
  now += 60_000;
  clock.setFocused(true);
  now += 400;
  assert.equal(clock.elapsed, 1900);
  assert.deepEqual(timeFields(clock.elapsed), { seconds: 1.9, quick: true });
  assert.deepEqual(timeFields(2000), { seconds: 2 });
  assert.deepEqual(timeFields(1900, 0), { seconds: 1.9 });
  clock.restart();
  now += 250;
  assert.equal(clock.elapsed, 250);
});

test("names that tell a class, and such that only look like it", () => {
  assert.deepEqual(["runs/misbehavior-7.json", "pairBenign", "sven_VULNERABLE_1", "task-attack"].map(classWord), ["misbehavior", "benign", "vulnerable", "attack"]);
  assert.deepEqual(["split-bill-1", "goodwill-letter", "safety_permission", "badge", "run-0412"].map(classWord), [undefined, undefined, undefined, undefined, undefined]);
});
