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

/** One document that holds one talk. */
export function writeDocument(file: string, bytes: number): void {
  const random = randomFrom(13);
  writePieces(file, bytes, `{"id":"one","messages":[${JSON.stringify({ role: "user", content: prose(random, 40) })}`, (n) => turn(random, n).map((message) => `,${JSON.stringify(message)}`).join(""), "]}\n");
}
