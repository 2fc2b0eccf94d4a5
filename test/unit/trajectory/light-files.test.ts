/** Every recorded file of those formats whose long texts are not held reads the same when it counts as too large to be held, and no other texts when it is changed under us. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openFile, type TrajectoryFile } from "#core/trajectory/open";
import type { Source } from "#core/trajectory/reader";
import { FileSource, MemorySource } from "#node/file-source";
import { sharedFile } from "../../support/shared";

const padBytes = 65 << 20;
/** A mebibyte of white space with one line end: lines that hold nothing are no lines. */
const blank = new Uint8Array(1 << 20).fill(32);
blank[blank.length - 1] = 10;

/** The file with white space behind it until it is large. */
class PaddedSource implements Source {
  readonly path: string;
  readonly size: number;

  constructor(private readonly inner: Source) {
    this.path = inner.path;
    this.size = inner.size + padBytes;
  }

  bytes(start = 0, end = this.size): Uint8Array {
    const { size } = this.inner;
    if (end <= size) return this.inner.bytes(start, end);
    const pieces: Uint8Array[] = start < size ? [this.inner.bytes(start, size)] : [];
    for (let at = Math.max(start, size); at < end; ) {
      const piece = blank.subarray((at - size) % blank.length).subarray(0, end - at);
      pieces.push(piece);
      at += piece.length;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  sibling(relative: string): Source | undefined {
    return this.inner.sibling(relative);
  }
}

function all(file: TrajectoryFile): unknown {
  const trajectories = file.ids.map((_id, index) => file.load(index));
  const told = JSON.stringify({ format: file.format?.id, ids: file.ids, heads: file.opened.heads, trajectories, warnings: file.warnings() });
  // White space ends a last line too.
  return JSON.parse(told.replaceAll("; the line has no end, its writer was stopped or is still at work", ""));
}

test("recorded files read alike, light or held", (t) => {
  const index = sharedFile(t, "trajectories/INDEX.md");
  if (!index) return;
  const root = dirname(index);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /^(?:claude-code|codex|openai-chat|hard)[\\/].*\.jsonl$/.test(name)).sort();
  let light = 0;
  for (const name of files) {
    const source = new FileSource(join(root, name), root);
    if (source.size > 4 << 20) continue;
    const padded = openFile(new PaddedSource(source));
    if (padded.document.light) light++;
    assert.deepEqual(all(padded), all(openFile(source)), name);
  }
  assert.ok(light >= 20, `${light} of ${files.length} files are light`);
});

/** Both ways of reading the same lines: `source` holds them as they are now. */
function bothOf(lines: readonly unknown[]): { held: TrajectoryFile; light: TrajectoryFile; source: MemorySource } {
  const source = new MemorySource("session.jsonl", new TextEncoder().encode(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`));
  return { held: openFile(source), light: openFile(new PaddedSource(source)), source };
}

test("a request behind an editor's context is a turn in light files too", () => {
  const context = `# Context from my IDE setup:\n\n## Active file: src/garden/planting-calendar.ts\n\n## Open tabs:\n${Array.from({ length: 6 }, (_, n) => `- bed-${n}.ts: src/garden/bed-${n}.ts\n`).join("")}\n`;
  const at = "2026-01-01T00:00:00Z";
  const item = (role: string, text: string) => ({ timestamp: at, type: "response_item", payload: { type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] } });
  const { held, light } = bothOf([
    { timestamp: at, type: "session_meta", payload: { id: "s1", timestamp: at, cwd: "/garden" } },
    item("user", "<environment_context>\n  <cwd>/garden</cwd>\n</environment_context>"),
    item("user", context),
    item("user", `${context}## My request for Codex:\nCount the tulips`), item("assistant", "There are 12."),
    item("user", `${context}## My request for Codex:\nWater the roses`), item("assistant", "Watered."),
    { timestamp: at, type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
    item("user", `${context}## My request for Codex:\nPrune the hedge`), item("assistant", "Pruned."),
  ]);
  assert.deepEqual([held.document.light !== undefined, light.document.light !== undefined], [false, true]);
  assert.ok(context.length > 80 * 2);
  for (const file of [held, light]) {
    // The second request, line 6, was taken back; the context alone, line 3, asks for nothing.
    assert.deepEqual(file.opened.heads.map(({ title, line, recordId }) => [title, line, recordId]), [["Count the tulips", 1, undefined], ["Rolled back turns", 6, "rolled-back-1"]]);
    assert.equal(file.load(0).task, "Count the tulips");
    assert.equal(file.load(0).title, "Count the tulips");
    assert.equal(file.load(1).task, "Water the roses");
    assert.deepEqual(file.load(1).steps.map(({ role }) => role), ["user", "assistant"]);
  }
  assert.deepEqual(all(light), all(held));
});

/** Writes another text over line `line`, at its length in place: spaces fill it up. */
function overwrite(source: MemorySource, line: number, put: (before: string) => string): void {
  const bytes = source.bytes();
  let start = 0;
  for (let n = 1; n < line; n++) start = bytes.indexOf(10, start) + 1;
  const end = bytes.indexOf(10, start);
  const before = new TextDecoder().decode(bytes.subarray(start, end));
  bytes.set(new TextEncoder().encode(put(before).padEnd(before.length).slice(0, before.length)), start);
}

const poem = (n: number) => `verse ${n} ${"of the long song of the garden ".repeat(20)}`;
const foreign = (text: string) => text.replaceAll("long song", "fake song");

test("a line of a Claude Code log that was changed in place gives neither beginnings of texts nor another record's", () => {
  const record = (n: number) => ({
    type: n % 2 ? "assistant" : "user", uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}`, sessionId: "s", timestamp: "2026-01-01T00:00:00Z", isSidechain: false,
    message: n % 2 ? { id: `m${n}`, role: "assistant", model: "m", content: [{ type: "text", text: poem(n) }, { type: "tool_use", id: `c${n}`, name: "dig", input: { bed: poem(n) } }] }
      : { role: "user", content: n === 0 ? poem(n) : [{ type: "tool_result", tool_use_id: `c${n - 1}`, content: poem(n) }] },
  });
  const { held, light, source } = bothOf(Array.from({ length: 121 }, (_, n) => record(n)));
  const before = held.load(0);
  overwrite(source, 1, () => "no JSON");
  overwrite(source, 4, foreign);
  overwrite(source, 6, (line) => JSON.stringify([line.slice(0, 20)]));
  overwrite(source, 9, foreign);
  const { steps, warnings } = light.load(0);
  // Lines 4 and 6 held calls, whose results, lines 5 and 7, are without one now; line 9 is the result of line 8.
  assert.deepEqual(warnings.map(({ code, line }) => [code, line]), [
    ["changed-line", 1], ["changed-line", 4], ["changed-line", 6], ["changed-line", 9], ["result-without-call", 5], ["result-without-call", 7],
  ]);
  assert.match(warnings[0]!.message, /^Line 1 was changed after it had been read/);
  assert.deepEqual(steps.map(({ role, places }) => [role, places[0]!.line]), before.steps.map(({ role, places }) => [role, places[0]!.line]));
  for (const [at, { parts }] of steps.entries()) {
    const texts = parts.map(({ text }) => text);
    assert.deepEqual(texts, at === 8 ? [""] : [0, 3, 5].includes(at) ? [] : before.steps[at]!.parts.map(({ text }) => text), `step ${at}`);
  }
  assert.equal(steps[8]!.parts[0]!.callId, "c7");
});

test("a line of a Codex rollout that was changed in place gives neither beginnings of texts nor another record's", () => {
  const at = "2026-01-01T00:00:00Z";
  const line = (type: string, payload: object) => ({ timestamp: at, type, payload });
  const round = (n: number) => [
    line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: poem(n) }] }),
    line("response_item", { type: "function_call", name: "dig", call_id: `c${n}`, arguments: JSON.stringify({ bed: poem(n) }) }),
    line("response_item", { type: "function_call_output", call_id: `c${n}`, output: poem(n) }),
    line("event_msg", { type: "agent_message", message: poem(n + 100) }),
  ];
  const { held, light, source } = bothOf([line("session_meta", { id: "s1", timestamp: at, cwd: "/garden" }), ...Array.from({ length: 30 }, (_, n) => round(n)).flat()]);
  const before = held.load(0);
  // By line: 6 asks, 7 calls, 8 is the result, 9 the reply; 10 asks, 11 calls, 12 is the result. Each is a step: 6 the fifth.
  overwrite(source, 6, foreign);
  overwrite(source, 8, foreign);
  overwrite(source, 9, () => "no JSON");
  overwrite(source, 10, () => "[]");
  overwrite(source, 11, foreign);
  const { steps, warnings } = light.load(0);
  assert.deepEqual(warnings.map(({ code, line: number }) => [code, number]), [
    ...[6, 8, 9, 10, 11].map((number) => ["changed-line", number]), ["result-without-call", 12],
  ]);
  assert.deepEqual(steps.map(({ role, places }) => [role, places[0]!.line]), before.steps.map(({ role, places }) => [role, places[0]!.line]));
  assert.deepEqual(steps.slice(4, 11).map(({ parts }) => parts.map(({ kind, text }) => `${kind} ${text}`)), [
    [], [`tool_call bed: ${poem(1)}`], ["tool_result "], [], [], [], [`tool_result ${poem(2)}`],
  ]);
  assert.equal(steps[6]!.parts[0]!.callId, "c1");
  for (const [at, { parts }] of steps.entries()) if (at < 4 || at > 10) assert.deepEqual(parts, before.steps[at]!.parts, `step ${at}`);
  assert.ok(!JSON.stringify(steps).includes("fake song"));
});

test("a log that cannot be read for a while says so each time, and never looks empty", () => {
  class Failing extends PaddedSource {
    fails = false;
    override bytes(start?: number, end?: number): Uint8Array {
      if (this.fails) throw new Error("EIO: i/o error");
      return super.bytes(start, end);
    }
  }
  const lines = Array.from({ length: 400 }, (_, n) => JSON.stringify({ type: "user", uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}`, sessionId: "s", message: { role: "user", content: `Question ${n}: ${"why ".repeat(200)}` } }));
  const source = new Failing(new MemorySource("log.jsonl", Buffer.from(`${lines.join("\n")}\n`)));
  const file = openFile(source);
  assert.equal(file.document.light !== undefined, true);
  source.fails = true;
  const first = file.load(0).warnings.map(({ code, message }) => [code, message]);
  source.fails = false;
  assert.deepEqual([first, file.load(0).warnings.map(({ code, message }) => [code, message])], [[["reader-failed", "The claude-code reader failed: Error: EIO: i/o error"]], first]);
});
