/** `tracemark guidelines`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "#node/sha256";
import { guidelinesVerb } from "../../../server/cli/verbs/guidelines";
import { putFile, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

test("an edit is noticed, marked once, and a change of meaning asks for its labels again", async (t) => {
  const first = sha256("# Rules\n");
  const record = (id: string, more: object) => ({ id, sample_id: `s${id}`, annotator: "Ada", created_at: `2026-01-0${id}T00:00:00Z`, label: "misbehavior", blind: true, seen: [], guideline_sha256: first, ...more });
  const root = tempRoot(t, {
    "tracemark.json": { name: "x", samples: [], guidelines: "rules.md" }, "rules.md": "# Rules\n",
    "labels/ada.jsonl": [record("1", { categories: ["sycophancy_bias"] }), record("2", { categories: ["safety_permission"] })],
  });
  const status = async (): Promise<{ unmarked: boolean; judge_again: { sample_id: string }[]; changes: object[] }> => JSON.parse((await callVerb(guidelinesVerb, root, [], { json: true })).out[0] ?? "");
  assert.deepEqual([(await status()).unmarked, (await status()).judge_again], [false, []]);
  putFile(root, "rules.md", "# Rules\nFlattery counts.\n");
  assert.equal((await status()).unmarked, true);
  const marked = await callVerb(guidelinesVerb, root, ["mark"], { change: "meaning", categories: "sycophancy_bias", by: "Ada", note: "flattery" });
  assert.deepEqual([marked.code, marked.out], [0, ["marked as a change of meaning; 1 label to give again"]]);
  const line = JSON.parse(readFileSync(join(root, "rules.changes.jsonl"), "utf8"));
  assert.deepEqual([line.previous, line.sha256, line.categories, line.note], [first, sha256("# Rules\nFlattery counts.\n"), ["sycophancy_bias"], "flattery"]);
  assert.deepEqual([(await status()).unmarked, (await status()).judge_again], [false, [{ sample_id: "s1", annotator: "Ada", record_id: "1" }]]);
  const again = await callVerb(guidelinesVerb, root, ["mark"], { change: "minor", by: "Bob" });
  assert.deepEqual([again.code, again.notes.at(-1)], [2, "error: rules.md: this version was marked already, as a change of meaning by Ada; edit the guidelines first"]);
});

test("what is missing is said in words", async (t) => {
  const root = tempRoot(t, { "tracemark.json": { name: "x", samples: [] } });
  for (const [args, options, words] of [
    [[], {}, "error: the workspace has no guidelines"], [["mark"], {}, "error: mark needs to know what the edit meant"], [["mark"], { change: "minor" }, "error: mark needs a name"],
    [["mark"], { change: "big", by: "A" }, "error: --change cannot be big; use minor or meaning"], [["mark"], { change: "minor", by: "A", categories: "none" }, "error: the taxonomy has no category none"], [["undo"], {}, "error: guidelines cannot undo"],
  ] as const) {
    const { code, notes } = await callVerb(guidelinesVerb, root, [...args], options);
    assert.deepEqual([code, notes.at(-1)?.startsWith(words)], [2, true], notes.at(-1));
  }
});
