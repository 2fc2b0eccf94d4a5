/**
 * Every real file of these formats against its golden: steps, parts, pairs, warnings, content hash. UPDATE_GOLDENS=1 writes
 * them anew. The first file of each format was compared with the recorded file by reading both (see real-files.test.ts).
 */
import { testGoldens } from "../formats/reading";

testGoldens({
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
  codex: [
    "codex/go-version-rollout.jsonl", "codex/agentsview-fc_args_2.jsonl", "codex/agentsview-fc_stdin.jsonl", "codex/agentsview-function_calls.jsonl", "hard/09-codex-twin-records.jsonl",
  ],
  openhands: [
    "openhands/event-list-gui-mode.json", "openhands/event-list-basic.json", "openhands/event-list-hello-2025-10.json",
    "openhands/multi-swe-bench-output-first-record.jsonl", "openhands/resolver-output-old-history.jsonl",
  ],
  "gemini-cli": [
    "gemini-cli/init-session-2026-04.jsonl", "gemini-cli/readme-session-2026-03.json", "gemini-cli/hello-2025-10.json", "gemini-cli/agentsview-tool_calls.json",
    "gemini-cli/agentsview-system_messages.json", "gemini-cli/api-response-tool-call-gemini3.json",
  ],
  aider: ["aider/complex-change.md", "aider/pong.md", "large/aider-chat-history.md"],
  "copilot-cli": ["other-agents/copilot-cli-events.jsonl"],
  openclaw: ["other-agents/openclaw-telemetry.jsonl"],
});
