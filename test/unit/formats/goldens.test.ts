/** Every real file of these formats against its golden: steps, parts, pairs, warnings, content hash. UPDATE_GOLDENS=1 writes them anew. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, summarise, testGoldens } from "./reading";

testGoldens({
  "claude-code": [
    "claude-code/edge_cases.jsonl", "claude-code/go-version-session.jsonl", "claude-code/representative_messages.jsonl", "claude-code/sample_session.jsonl",
    "claude-code/scout-agent.jsonl", "claude-code/scout-agent-atest01.jsonl", "claude-code/scout-clear-split.jsonl", "claude-code/scout-compaction.jsonl",
    "claude-code/viewer-mock-1af7fc5e.jsonl", "claude-code/viewer-mock-agent-subagent.jsonl", "claude-code/web-export-loglines.json",
    "anthropic-messages/claude-code-subagent-step-stream.json", "hard/01-truncated-last-line.jsonl", "hard/02-bad-line-in-middle.jsonl", "hard/03-line-separator-in-string.jsonl", "hard/04-one-reply-many-lines.jsonl",
  ],
  anthropic: [
    "anthropic-messages/anthropic-clear-thinking.1.json", "anthropic-messages/anthropic-code-execution-20250825.1.json", "anthropic-messages/anthropic-compaction.1.json",
    "anthropic-messages/anthropic-mcp.1.json", "anthropic-messages/anthropic-refusal.json", "anthropic-messages/anthropic-text.json",
    "anthropic-messages/anthropic-tool-no-args.json", "anthropic-messages/anthropic-web-search-tool.1.json", "anthropic-messages/managed-mcp-tools-events.jsonl",
  ],
  "inspect-json": [
    "inspect-json/ctf-docent.json", "inspect-json/log_formats.json", "inspect-json/log_images.json", "inspect-json/log_tool_call_error.json", "inspect-json/popularity-2025-05.json",
  ],
  "inspect-eval": [
    "inspect-eval/ais-decoder-zstd.eval", "inspect-eval/ais-decoder-zstd-chunked.eval", "inspect-eval/intercode-ctf.eval", "inspect-eval/log_formats.eval",
    "inspect-eval/log_message_deduplication.eval", "inspect-eval/log_streaming.eval", "inspect-eval/theory-of-mind.eval",
  ],
  "r-judge": ["r-judge/agentharm-35.json", "r-judge/assebench-security-20.json", "r-judge/rjudge-first-100.json"],
  agentdojo: [
    "agentdojo/chain-user21-injection12.json", "agentdojo/crypto-injection3-none-gpt-4o-mini.json", "agentdojo/crypto-user12-injection2.json",
    "agentdojo/crypto-user94-memory-injection0-gpt-4o-mini.json",
  ],
}, (path, file) => ({ file: path, warnings: file.warnings(), trajectories: loadAll(file).map(summarise) }));


test("a log without samples says so and gives no trajectory", async (t) => {
  const full = sharedFile(t, "trajectories/inspect-json/no-samples.json");
  if (!full) return;
  const file = await openShared(full);
  assert.deepEqual(file.ids, []);
  assert.ok(file.warnings().some((warning) => warning.code === "no-samples" && warning.message.includes("cancelled")));
});
