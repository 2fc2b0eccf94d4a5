/** Large files made from a seed and written piece by piece: nothing here holds a whole one. */
import { closeSync, openSync, writeSync } from "node:fs";
import { randomFrom } from "../support/fuzz/random";
import { listing, pick, prose, words } from "./generate";

const flushBytes = 4 << 20;

/** Writes what `pieces` gives until `bytes` are there; `close` is written last. */
function writePieces(file: string, bytes: number, open: string, pieces: (n: number) => string, close: string): void {
  const handle = openSync(file, "w");
  try {
    let held = open;
    let written = 0;
    for (let n = 0; written + held.length < bytes; n++) {
      held += pieces(n);
      if (held.length < flushBytes) continue;
      written += writeSync(handle, held);
      held = "";
    }
    writeSync(handle, held + close);
  } finally {
    closeSync(handle);
  }
}

type Random = () => number;

/** The two messages of a turn: a call with its reasoning, and the tool's output of some hundred to some thousand characters. */
function turn(random: Random, n: number): object[] {
  const command = `sed -n '${n},${n + 80}p' src/${pick(random, words)}.py | grep -n "${pick(random, words)}"`;
  return [
    { role: "assistant", content: prose(random, 20 + Math.floor(random() * 60)), tool_calls: [{ id: `call_${n}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } }] },
    { role: "tool", tool_call_id: `call_${n}`, content: listing(random, 20 + Math.floor(random() * 120)) },
  ];
}

/** A data set: one chat of eight turns a line. */
export function writeDataSet(file: string, bytes: number): void {
  const random = randomFrom(11);
  writePieces(file, bytes, "", (n) => {
    const messages: object[] = [{ role: "system", content: prose(random, 60) }, { role: "user", content: prose(random, 40) }];
    for (let at = 0; at < 8; at++) messages.push(...turn(random, at));
    return `${JSON.stringify({ id: `chat-${n}`, messages })}\n`;
  }, "");
}

/** One session: a message a line, as agents log while they run. */
export function writeSession(file: string, bytes: number): void {
  const random = randomFrom(12);
  writePieces(file, bytes, `${JSON.stringify({ role: "user", content: prose(random, 40) })}\n`, (n) => turn(random, n).map((message) => `${JSON.stringify(message)}\n`).join(""), "");
}

/** A log of Claude Code: a record for each block of a reply, chained by their ids, and results with their structured copies. */
export function writeAgentLog(file: string, bytes: number): void {
  const random = randomFrom(14);
  let last: string | null = null;
  const record = (type: string, message: object, more: object = {}): string => {
    const uuid = `00000000-0000-4000-8000-${Math.floor(random() * 1e12).toString().padStart(12, "0")}`;
    const line = JSON.stringify({ parentUuid: last, isSidechain: false, userType: "external", cwd: "/home/user/project", sessionId: "bench", version: "2.0.1", type, message, uuid, timestamp: "2026-01-01T00:00:00.000Z", ...more });
    last = uuid;
    return `${line}\n`;
  };
  writePieces(file, bytes, "", (n) => {
    const reply = (content: object) => record("assistant", { id: `msg_${n}`, type: "message", role: "assistant", model: "demo", content: [content], usage: { input_tokens: 10, output_tokens: 20 } });
    const ask = n === 0 ? record("user", { role: "user", content: prose(random, 40) }) : "";
    const output = listing(random, 20 + Math.floor(random() * 120));
    return ask + reply({ type: "text", text: prose(random, 20 + Math.floor(random() * 60)) }) + reply({ type: "tool_use", id: `toolu_${n}`, name: "Bash", input: { command: `grep -n ${pick(random, words)} src/*.py` } })
      + record("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: output }] }, { toolUseResult: { stdout: output.slice(0, 1000), stderr: "", interrupted: false } });
  }, "");
}

/** A rollout of Codex: the context of each turn, an event that says the reply again, counts of tokens, and the output in its wrapping. */
export function writeRollout(file: string, bytes: number): void {
  const random = randomFrom(15);
  let total = 0;
  const record = (type: string, payload: object) => `${JSON.stringify({ timestamp: "2026-01-01T00:00:00.000Z", type, payload })}\n`;
  const usage = (sent: number) => ({ input_tokens: sent, cached_input_tokens: 5504, output_tokens: 244, reasoning_output_tokens: 192, total_tokens: sent + 244 });
  const open = record("session_meta", { id: "01996135-afde-7911-97f0-d863511eca56", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/home/user/project", originator: "codex_cli", cli_version: "0.39.0", instructions: null })
    + record("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: prose(random, 40) }] });
  writePieces(file, bytes, open, (n) => {
    const said = prose(random, 20 + Math.floor(random() * 60));
    const command = ["bash", "-lc", `sed -n '${n},${n + 80}p' src/${pick(random, words)}.py`];
    const output = JSON.stringify({ output: listing(random, 20 + Math.floor(random() * 120)), metadata: { exit_code: 0, duration_seconds: 0.1 } });
    return record("turn_context", { cwd: "/home/user/project", approval_policy: "never", sandbox_policy: { mode: "workspace-write" }, model: "demo", effort: "high", summary: "auto" })
      + record("event_msg", { type: "agent_message", message: said })
      + record("event_msg", { type: "token_count", info: { total_token_usage: usage((total += 5645)), last_token_usage: usage(5645), model_context_window: null } })
      + record("response_item", { type: "reasoning", summary: [], content: null, encrypted_content: null })
      + record("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: said }] })
      + record("response_item", { type: "function_call", name: "shell", arguments: JSON.stringify({ command, workdir: "." }), call_id: `call_${n}` })
      + record("response_item", { type: "function_call_output", call_id: `call_${n}`, output });
  }, "");
}

/** One document that holds one talk. */
export function writeDocument(file: string, bytes: number): void {
  const random = randomFrom(13);
  writePieces(file, bytes, `{"id":"one","messages":[${JSON.stringify({ role: "user", content: prose(random, 40) })}`, (n) => turn(random, n).map((message) => `,${JSON.stringify(message)}`).join(""), "]}\n");
}
