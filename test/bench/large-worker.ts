/** One measurement in a process of its own, so that its memory is its own: what to do, the file, and the answer as one line of JSON. */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { keepHeapLean } from "#node/lean-heap";
import { openingBytes, openPath } from "#node/open";
import { findInSteps } from "#core/trajectory/find";

/** `cpu` is processor time in ms, which a busy machine does not stretch; `count` says what was read. */
export interface Measured {
  readonly cpu: number;
  readonly wall: number;
  /** Most memory of the process, in bytes. */
  readonly peak: number;
  readonly count: number;
}

const word = "ValidationError";

async function timed(work: () => number | Promise<number>): Promise<Omit<Measured, "peak">> {
  const before = process.cpuUsage();
  const began = performance.now();
  const count = await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - began, count };
}

/** `JSON.parse` over the lines of a file, which are read in chunks and not kept. */
function parseLines(file: string): number {
  const handle = openSync(file, "r");
  const chunk = Buffer.allocUnsafe(4 << 20);
  let rest = Buffer.alloc(0);
  let lines = 0;
  for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      if (JSON.parse(bytes.toString("utf8", from, at)) !== null) lines++;
      from = at + 1;
    }
    rest = bytes.subarray(from);
  }
  closeSync(handle);
  return lines;
}

/** What a view at the top is sent: the list of trajectories, and the first steps of the first one. */
async function firstScreen(file: string): Promise<number> {
  const { file: opened } = await openPath(file, { firstBytes: openingBytes, beginnings: true });
  return JSON.stringify([opened.ids, opened.load(0).steps.slice(0, 40)]).length;
}

/** Everything of a file: all heads, and every trajectory loaded once. */
async function readAll(file: string): Promise<number> {
  const { file: opened } = await openPath(file);
  let steps = 0;
  for (let index = 0; index < opened.ids.length; index++) steps += opened.load(index).steps.length;
  return steps;
}

/** The list and the first, a middle and the last trajectory: what a server does for someone who looks around. */
async function lookAround(file: string): Promise<number> {
  const { file: opened, fileSha256 } = await openPath(file);
  const last = opened.ids.length - 1;
  let steps = 0;
  for (const index of new Set([0, last >> 1, last])) steps += opened.load(index).steps.length;
  return steps + fileSha256().length;
}

function parseDocument(file: string): number {
  return Object.keys(JSON.parse(readFileSync(file, "utf8")) as object).length;
}

/** A scan for the word in the bytes, and those bytes as text. */
function scan(bytes: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + word.length)) found++;
  return found + Math.min(1, bytes.toString("utf8").length);
}

async function measure(task: string, file: string): Promise<Omit<Measured, "peak">> {
  if (task === "parse-lines") return timed(() => parseLines(file));
  if (task === "first-screen") return timed(() => firstScreen(file));
  if (task === "read-all") return timed(() => readAll(file));
  if (task === "look-around") return timed(() => lookAround(file));
  if (task === "parse-document") return timed(() => parseDocument(file));
  if (task === "scan") {
    const bytes = readFileSync(file);
    return timed(() => scan(bytes));
  }
  const { steps } = (await openPath(file)).file.load(0);
  return timed(() => findInSteps(steps, word, true, 500).total);
}

const [task = "", file = ""] = process.argv.slice(2);
// What is compared with parsing alone has the engine's own way with memory; all else is measured as the server runs.
if (!task.startsWith("parse-") && task !== "scan") keepHeapLean();
const measured = await measure(task, file);
console.log(JSON.stringify({ ...measured, peak: process.resourceUsage().maxRSS * 1024 } satisfies Measured));
