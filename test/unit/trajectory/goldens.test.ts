/**
 * Every real file of these formats against its golden: steps, parts, pairs, warnings, content hash. UPDATE_GOLDENS=1 writes
 * them anew. The first file of each format was compared with the recorded file by reading both (see real-files.test.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFile } from "../../support/shared";
import { golden, loadAll, openShared, summarise, type Summary } from "../formats/reading";

const files: Record<string, string[]> = {
  atif: [
    "atif/openhands_hello-world.trajectory.json", "atif/terminus_2_invalid-json.trajectory.json", "atif/terminus_2_linear-history.trajectory.json",
    "atif/terminus_2_linear-history.trajectory.cont-1.json", "atif/terminus_2_summarization.trajectory.json",
    "atif/terminus_2_summarization.trajectory.summarization-1-questions.json", "atif/terminus_2_summarization.trajectory.summarization-1-summary.json",
  ],
  "swe-agent": [
    "swe-agent/test-repo-i1.traj", "swe-agent/ctf-crypto-eps.traj", "swe-agent/function_calling_simple.traj",
    "swe-agent/marshmallow-1867-function-calling-from-source.traj", "swe-agent/marshmallow-1867-xml.traj",
  ],
  "mini-swe-agent": [
    "mini-swe-agent/v1-text-actions-hello.traj.json", "mini-swe-agent/messages-only-local.traj.json", "mini-swe-agent/v2-reasoning-pvlib-1072.traj.json",
    "mini-swe-agent/v2-short-fail-pvlib-1154.traj.json", "mini-swe-agent/v2-toolcalls-sqlfluff-2419.traj.json", "hard/11-ansi-and-control.json",
  ],
  "openai-chat": [
    "openai-chat/deepseek-tool-call-response.json", "openai-chat/groq-reasoning-response.json", "openai-chat/kto_en_demo-first-120.json",
    "openai-chat/mistral-reasoning-response.json", "openai-chat/mllm_demo.json", "openai-chat/mllm_video_audio_demo.json", "openai-chat/openai-text-response.json",
    "openai-chat/reason_tool_use_demo_50.jsonl", "openai-chat/v1_multimodal_demo.jsonl", "sharegpt/traces-think-tags.json", "qa-pairs/v1_dpo_demo.jsonl",
    "hard/05-lone-surrogate.jsonl", "hard/06-nan-infinity.json", "hard/07-mixed-content-shapes.jsonl", "hard/08-bom-crlf.jsonl", "hard/10-emoji-offsets.json",
  ],
  "single-turn": ["qa-pairs/alpaca_en_demo-first-150.json", "qa-pairs/mt_bench-gpt-4-reference.jsonl", "qa-pairs/mt_bench-question.jsonl"],
  fallback: ["hard/09-codex-twin-records.jsonl", "openhands/event-list-basic.json", "gemini-cli/hello-2025-10.json"],
};

/** Files of many records keep a summary of the first ones and the hash of all. */
const mostTrajectories = 12;

for (const [format, paths] of Object.entries(files)) {
  for (const path of paths) {
    test(`${path} reads as its golden`, async (t) => {
      const full = sharedFile(t, `trajectories/${path}`);
      if (!full) return;
      const file = await openShared(full);
      assert.equal(file.format?.id, format);
      const all = loadAll(file).map(summarise);
      const actual = { file: path, warnings: file.warnings(), count: all.length, trajectories: all.slice(0, mostTrajectories), rest: rest(all) };
      assert.deepEqual(JSON.parse(JSON.stringify(actual)), golden(format, path.split("/").at(-1) ?? path, actual));
    });
  }
}

/** What is kept of the trajectories behind the first ones: sums, and the hashes one behind the other. */
function rest(all: readonly Summary[]): object | undefined {
  const behind = all.slice(mostTrajectories);
  if (behind.length === 0) return undefined;
  const warnings: Record<string, number> = {};
  for (const summary of behind) for (const [code, count] of Object.entries(summary.warnings ?? {})) warnings[code] = (warnings[code] ?? 0) + count;
  return {
    steps: behind.reduce((sum, summary) => sum + summary.steps.length, 0), pairs: behind.reduce((sum, summary) => sum + summary.pairs, 0), warnings,
    content: behind.map((summary) => summary.content.slice(0, 4)).join(""),
  };
}
