/** Files damaged on purpose: whatever is cut, flipped or replaced, opening and loading answer and never throw. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MemorySource } from "#node/file-source";
import { openFile } from "#core/trajectory/open";
import { writeAtif } from "#core/exports/atif";
import { mutate } from "../../support/mutate";
import { sharedPath } from "../../support/shared";
import { randomFrom } from "../../support/fuzz/random";

const rounds = 500;

const small: Record<string, string> = {
  "a.atif.json": '{"schema_version":"ATIF-v1.5","agent":{"name":"a"},"session_id":"s","steps":[{"step_id":1,"source":"user","message":[{"type":"text","text":"q"}]},{"step_id":2,"source":"agent","message":"a","reasoning_content":"r","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{"n":1.0}}],"observation":{"results":[{"source_call_id":"c","content":"r"},{"subagent_trajectory_ref":[{"session_id":"x","trajectory_path":"y.json"}]}]},"metrics":{"prompt_tokens":1}}],"continued_trajectory_ref":"z.json"}',
  "s.traj": '{"environment":"e","history":[{"role":"system","content":"s"},{"role":"user","content":"demo","is_demo":true},{"role":"user","content":"go"},{"role":"assistant","content":"think\\n```\\nls\\n```","thought":"think","action":"ls\\n"},{"role":"user","content":"out"}],"trajectory":[{"action":"ls\\n","observation":"out","response":"x","thought":"think","state":"{}","query":[{"role":"system","content":"s"}]}],"info":{"exit_status":"e","submission":"d","model_stats":{"api_calls":1}},"replay_config":"{\\"agent\\":1}"}',
  "m.traj.json": '{"trajectory_format":"mini-swe-agent-1.1","info":{"exit_status":"E","config":{"model":{"model_name":"m"}}},"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"do"}]},{"role":"assistant","content":"t\\n```bash\\nls\\n```","extra":{"actions":[{"command":"ls"}],"response":{"usage":{"prompt_tokens":1},"created":1},"cost":1,"timestamp":1}},{"role":"user","content":"<output>"},{"role":"exit","content":"x","extra":{"exit_status":"E"}}]}',
  "c.jsonl": '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"tool_call","value":"{\\"name\\":\\"f\\",\\"arguments\\":{\\"a\\":1}}"}],"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\\"a\\":1}"}}]},{"role":"tool","tool_call_id":"1","content":"r"}],"label":true,"images":["a"]}\n{"choices":[{"message":{"role":"assistant","content":"a","refusal":"n"}}],"usage":{"prompt_tokens":1}}\n{"chosen":[{"role":"user","content":"x"}],"rejected":[{"role":"user","content":"y"}]}\n',
  "p.json": '[{"prompt":"q","response":"<think>t</think>a","label":"benign"},{"turns":["a","b"],"choices":[{"turns":["c"]}]},{"question":"q","chosen":"x","rejected":"y"},{"prompt":"q","response":["a","b"],"history":[["a","b"]]}]',
  "x.samples.jsonl": '{"id":"a","path":"b.json","record":1}\n{"id":"b","messages":[{"role":"user","content":"x"}],"label":"benign"}\n{"id":"c","trajectory":{"schema_version":"ATIF-v1.5","steps":[{"source":"user","message":"q"}]}}\n',
  "f.json": '{"x":{"log":[{"type":"user.message","data":{"content":"q"}},{"type":"tool.end","data":{"result":1}}]},"spans":[{"name":"n","startTime":1}]}',
};

test(`${rounds} damaged files: no exception, steps numbered, everything found can be written`, () => {
  const random = randomFrom(99);
  const names = Object.keys(small);
  const real = ["openai-chat/mllm_demo.json", "atif/terminus_2_invalid-json.trajectory.json", "swe-agent/function_calling_simple.traj"].map((path) => sharedPath(`trajectories/${path}`)).filter((path) => path !== undefined);
  for (const path of real) small[path.split("/").at(-1)!] = readFileSync(path, "utf8");
  const all = Object.keys(small);
  let steps = 0;
  let told = 0;
  for (let round = 0; round < rounds; round++) {
    const name = all[round % all.length]!;
    const bytes = mutate(small[name]!, random);
    const file = openFile(new MemorySource(name, bytes));
    file.opened.heads.forEach((head, index) => {
      const trajectory = file.load(index);
      trajectory.steps.forEach((step, at) => assert.equal(step.index, at));
      for (const step of trajectory.steps) for (const place of step.places) if (place.pointer !== undefined && place.line === undefined) file.document.json().locate(place.pointer);
      steps += trajectory.steps.length;
      told += trajectory.warnings.length + (head.problem ? 1 : 0);
      assert.deepEqual(trajectory.warnings.filter((warning) => warning.code === "reader-failed"), [], `round ${round}: ${new TextDecoder().decode(bytes).slice(0, 300)}`);
      writeAtif(trajectory);
    });
    assert.deepEqual(file.warnings().filter((warning) => warning.code === "reader-failed"), [], `round ${round}`);
    told += file.warnings().length;
  }
  // Most of what was left whole is read, and damage is told.
  assert.ok(steps > rounds, `${steps} steps`);
  assert.ok(told > rounds / 3, `${told} warnings`);
  assert.ok(names.length === 7);
});
