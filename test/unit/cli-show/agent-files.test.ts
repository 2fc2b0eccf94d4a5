/** The files of agents on the command line: steps and warnings of each, and a way to ATIF and back that loses no text. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { convertVerb } from "../../../server/cli/verbs/convert";
import { formatsVerb } from "../../../server/cli/verbs/formats";
import { showVerb } from "../../../server/cli/verbs/show";
import { sharedFile, sharedPath } from "../../support/shared";
import { callVerb } from "../../support/verb-call";

const folder = mkdtempSync(join(tmpdir(), "tracemark-agents-"));
after(() => rmSync(folder, { recursive: true }));

interface Shown { id: string; format: string; content_sha256: string; steps: { role: string; parts: { kind: string; text: string }[] }[]; warnings: { code: string }[] }

/** Steps of each trajectory, then the codes of all warnings, as counted in the recorded files. */
const files: Record<string, { format: string; steps: number[]; warnings?: string[] }> = {
  "codex/go-version-rollout.jsonl": { format: "codex", steps: [42], warnings: ["result-without-call", "result-without-call"] },
  "codex/agentsview-fc_args_2.jsonl": { format: "codex", steps: [2], warnings: ["call-without-result"] },
  "codex/agentsview-fc_stdin.jsonl": { format: "codex", steps: [2], warnings: ["call-without-result"] },
  "codex/agentsview-function_calls.jsonl": { format: "codex", steps: [2], warnings: ["call-without-result", "call-without-result"] },
  "hard/09-codex-twin-records.jsonl": { format: "codex", steps: [5] },
  "openhands/event-list-basic.json": { format: "openhands", steps: [4] },
  "openhands/event-list-gui-mode.json": { format: "openhands", steps: [15] },
  "openhands/event-list-hello-2025-10.json": { format: "openhands", steps: [7] },
  "openhands/multi-swe-bench-output-first-record.jsonl": { format: "openhands", steps: [49] },
  "openhands/resolver-output-old-history.jsonl": { format: "openhands", steps: [8, 44] },
  "gemini-cli/init-session-2026-04.jsonl": { format: "gemini-cli", steps: [23] },
  "gemini-cli/readme-session-2026-03.json": { format: "gemini-cli", steps: [11] },
  "gemini-cli/hello-2025-10.json": { format: "gemini-cli", steps: [2] },
  "gemini-cli/agentsview-tool_calls.json": { format: "gemini-cli", steps: [2], warnings: ["call-without-result"] },
  "gemini-cli/agentsview-system_messages.json": { format: "gemini-cli", steps: [3] },
  "gemini-cli/api-response-tool-call-gemini3.json": { format: "gemini-cli", steps: [1] },
  "aider/pong.md": { format: "aider", steps: [16], warnings: ["page-text"] },
  "aider/complex-change.md": { format: "aider", steps: [29], warnings: ["page-text"] },
  "other-agents/copilot-cli-events.jsonl": { format: "copilot-cli", steps: [25] },
  "other-agents/openclaw-telemetry.jsonl": { format: "openclaw", steps: [29, 7, 3, 3], warnings: ["result-text-missing", "result-text-missing", "result-text-missing", "result-text-missing"] },
  "claude-code/scout-clear-split.jsonl": { format: "claude-code", steps: [3, 2] },
  "claude-code/scout-compaction.jsonl": { format: "claude-code", steps: [6] },
  "claude-code/scout-agent.jsonl": { format: "claude-code", steps: [4, 4] },
  "inspect-eval/ais-decoder-zstd.eval": { format: "inspect-eval", steps: [26] },
};

async function show(path: string): Promise<Shown[]> {
  const { code, out } = await callVerb(showVerb, folder, [path], { json: true });
  assert.equal(code, 0, path);
  return out.map((line) => JSON.parse(line) as Shown);
}

const textsOf = (shown: Shown) => shown.steps.flatMap((step) => step.parts.map((part) => [step.role, part.kind, part.text]));

for (const [name, expected] of Object.entries(files)) {
  test(`show and convert: ${name}`, async (t) => {
    const path = sharedFile(t, `trajectories/${name}`);
    if (!path) return;
    const shown = await show(path);
    assert.deepEqual([...new Set(shown.map((one) => one.format))], [expected.format]);
    assert.deepEqual(shown.map((one) => one.steps.length), expected.steps);
    assert.deepEqual(shown.flatMap((one) => one.warnings.map((warning) => warning.code)), expected.warnings ?? []);
    const [once, twice] = [join(folder, name, "once"), join(folder, name, "twice")];
    const converted = await callVerb(convertVerb, folder, [path], { out: once, json: true });
    assert.equal(converted.code, 0);
    const written = converted.out.map((line) => (JSON.parse(line) as { file: string }).file);
    assert.equal(written.length, shown.length);
    for (const [index, file] of written.entries()) {
      const [back, ...more] = await show(file);
      assert.deepEqual([back?.format, more], ["atif", []]);
      assert.deepEqual(back && textsOf(back), textsOf(shown[index]!));
      assert.equal(back?.content_sha256, shown[index]!.content_sha256);
    }
    assert.equal((await callVerb(convertVerb, folder, written, { out: twice })).code, 0);
    const bytes = (where: string) => readdirSync(where).map((file) => readFileSync(join(where, file), "utf8")).sort();
    assert.deepEqual(bytes(twice), bytes(once));
  });
}

test("every recorded file of these formats is in the table above", (t) => {
  if (!sharedFile(t, "trajectories/codex")) return;
  const recorded = ["codex", "openhands", "gemini-cli", "aider", "other-agents"].flatMap((name) => readdirSync(sharedPath(`trajectories/${name}`)!).map((file) => `${name}/${file}`));
  assert.deepEqual(recorded.filter((file) => !(file in files)), []);
});

test("formats names them", async () => {
  const { out } = await callVerb(formatsVerb, folder, [], { json: true });
  const ids = out.map((line) => (JSON.parse(line) as { id: string }).id);
  for (const { format } of Object.values(files)) assert.ok(ids.includes(format), format);
});
