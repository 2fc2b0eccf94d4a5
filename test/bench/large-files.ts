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

/** One document that holds one talk. */
export function writeDocument(file: string, bytes: number): void {
  const random = randomFrom(13);
  writePieces(file, bytes, `{"id":"one","messages":[${JSON.stringify({ role: "user", content: prose(random, 40) })}`, (n) => turn(random, n).map((message) => `,${JSON.stringify(message)}`).join(""), "]}\n");
}
