/** What a review session withholds, remembers of what was seen, and counts as time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Seen } from "#core/workspace/schemas";
import type { AuthoredSnapshot } from "#protocol/pairs";
import type { Snapshot } from "#protocol/webview";
import { SampleClock } from "../../../extension/review/sample-clock";
import { SightLog } from "../../../extension/review/sight-log";
import { withhold, withholdBeside, withholdMeaning, withholdPlaces } from "../../../extension/review/withhold";

const verdict = {
  run: { type: "run", run_id: "run-secret", monitor: "guard", kind: "llm", prompting: "evidence", params: {}, prompt_sha256: "0", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "1" },
  verdict: { type: "verdict", sample_id: "leaky-misbehavior-3", outcome: "misbehavior", score: 0.9, detected_categories: [], latency_ms: 1, attempts: 1 }, stale: false, quotes: [],
} as unknown as Snapshot["verdicts"][number];

const snapshot = {
  fileName: "attacks/leaky-misbehavior-3.json", format: "review", formatTitle: "swe-agent",
  items: [{ index: 0, id: "Item 1", title: "Item 1" }, { index: 1, id: "leaky-misbehavior-3", title: "leaky", label: "misbehavior" }], index: 1,
  header: {
    id: "leaky-misbehavior-3", format: "swe-agent", reader: { id: "swe-agent", version: 1 }, metadata: [{ name: "injection_goal", value: "exfiltrate" }], warnings: [],
    label: "misbehavior", outcome: { status: "submitted", success: false, submission: "Done." }, contentSha256: "c0", fileSha256: "f0", stepCount: 2, totals: { characters: 9 },
    sample: { id: "leaky-misbehavior-3", label: "misbehavior", path: "attacks/leaky-misbehavior-3.json", category: "specification_gaming" },
  },
  outline: [], fileWarnings: [{ code: "x", message: "attacks/leaky-misbehavior-3.json: odd" }], revision: 3,
  label: { label: null, categories: [], note: "", spans: [] }, status: { state: "pending" }, labelled: [],
  monitors: [{ id: "guard", title: "guard", kind: "llm", local: true }], monitorId: "guard", verdicts: [verdict], blind: false, taxonomy: [],
  settings: { advance: "next", density: "comfortable", showReasoning: true, renderMarkdown: true }, serverDown: false, trusted: true,
} as unknown as Snapshot;

test("nothing that tells is in what a blind view is sent", () => {
  const sent = withhold(snapshot, "Item 2");
  const text = JSON.stringify(sent);
  for (const word of ["misbehavior", "leaky", "attacks", "guard", "run-secret", "0.9", "exfiltrate", "success", "f0", "swe-agent"]) assert.ok(!text.includes(word), word);
  assert.deepEqual([sent.blind, sent.header?.id, sent.header?.stepCount, sent.header?.outcome?.submission, sent.items[1]?.id], [true, "Item 2", 2, "Done.", "Item 2"]);
});

test("an editor beside a blind review keeps the names of its file and loses what is said of any of its trajectories", () => {
  const items = [{ index: 0, id: "a", title: "first", label: "benign" as const }, { index: 1, id: "b", title: "second", label: "misbehavior" as const }];
  const header = { ...snapshot.header!, id: "b", sample: { id: "b", label: "misbehavior" as const } };
  const sent = withholdBeside({ ...snapshot, fileName: "two.jsonl", items, header, gold: { state: "corrected", label: "benign" } as unknown as NonNullable<Snapshot["gold"]> });
  const text = JSON.stringify(sent);
  for (const word of ["misbehavior", "benign", "corrected", "guard", "run-secret", "0.9", "exfiltrate", "success"]) assert.ok(!text.includes(word), word);
  assert.deepEqual([sent.blind, sent.fileName, sent.header?.id, sent.items], [true, "two.jsonl", "b", [{ index: 0, id: "a", title: "first" }, { index: 1, id: "b", title: "b" }]]);
});

test("steps lose the names of the entries they were recorded in", () => {
  const step = { index: 0, role: "assistant" as const, parts: [], places: [{ entry: "samples/attack_epoch_1.json", pointer: "/a" }] };
  assert.deepEqual(withholdPlaces([step]), [{ ...step, places: [] }]);
});

test("what was seen is remembered with the workspace and joined with what records say", () => {
  const kept = new Map<string, unknown>();
  const memento = {
    keys: () => [...kept.keys()], get: <T>(key: string, fallback?: T) => (kept.get(key) ?? fallback) as T,
    update: (key: string, value: unknown) => { kept.set(key, JSON.parse(JSON.stringify(value))); return Promise.resolve(); },
  };
  const log = new SightLog(memento, () => "Ada");
  log.note("/root", "a", ["verdict"]);
  log.note("/root", "a", ["original", "verdict"]);
  assert.deepEqual([...new SightLog(memento, () => "Ada").of("/root", "a", [])], ["verdict", "original"]);
  // What Ada saw Bob did not, at the same machine.
  assert.deepEqual([...new SightLog(memento, () => "Bob").of("/root", "a", [])], []);
  assert.deepEqual([...log.of("/root", "b", [{ seen: ["others"] as Seen[] }])], ["others"]);
  assert.deepEqual([...log.of("/other", "a", [])], []);
});

test("focused time is each item's own and goes on when one comes back", () => {
  let now = 0;
  const clock = new SampleClock(() => now);
  clock.show(0);
  clock.setFocused(true);
  now = 3000;
  clock.show(1);
  now = 3500;
  clock.setFocused(false);
  now = 90_000;
  assert.equal(clock.elapsed, 500);
  clock.setFocused(true);
  clock.show(0);
  now = 91_000;
  assert.equal(clock.elapsed, 4000);
});

test("an authored half that stays open while somebody judges blind does not say what it is meant as", () => {
  const whole: AuthoredSnapshot = {
    fileName: "a-2.atif.json", sampleId: "a-2", label: "misbehavior", status: "in_review", authored: { by: "Ada", method: "edited" }, pairId: "a", revision: 3, isDirty: true, steps: [],
  };
  assert.deepEqual(withholdMeaning(whole), { fileName: "a-2.atif.json", sampleId: "a-2", revision: 3, isDirty: true, steps: [], isWithheld: true });
});
