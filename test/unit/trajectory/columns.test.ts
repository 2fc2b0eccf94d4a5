/** What large files of lines are held by: columns of numbers, the line index, and one buffer that a file passes through. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LineIndex } from "#core/trajectory/line-index";
import { NumberColumn } from "#core/trajectory/number-column";
import { openFile } from "#core/trajectory/open";
import { FileSource, MemorySource } from "#node/file-source";

test("a column keeps numbers up to 2^32 - 1 over its blocks, and finds them", () => {
  const column = new NumberColumn();
  for (let n = 0; n < 20_000; n++) column.push(n * 3);
  column.set(25_000, 0xffffffff);
  assert.deepEqual([column.length, column.at(0), column.at(8191), column.at(8192), column.at(19_999), column.at(20_000), column.at(25_000), column.at(1e6)], [25_001, 0, 24_573, 24_576, 59_997, 0, 0xffffffff, 0]);
  const rising = new NumberColumn();
  for (let n = 0; n < 10_000; n++) rising.push(n * 2 + 5);
  assert.deepEqual([5, 16_389, 20_003, 6, 4, 20_004].map((value) => rising.indexOf(value)), [0, 8192, 9999, -1, -1, -1]);
  assert.equal(new NumberColumn().indexOf(0), -1);
});

test("lines end where they do, wherever the chunks that are read do", () => {
  const chunk = 1 << 20;
  // Line 1 ends in white space that begins before the chunk's end; line 2 is white space alone, over a whole chunk; line 4 has no end.
  const text = `{"a":"${"x".repeat(chunk - 20)}"}${" ".repeat(40)}\r\n${" ".repeat(chunk + 7)}\n[3]\n{"d":4} `;
  const index = new LineIndex(new MemorySource("a.jsonl", new TextEncoder().encode(text)), 0);
  assert.equal(index.upTo(Infinity), 3);
  const third = text.indexOf("[3]");
  assert.deepEqual([0, 1, 2].map((at) => index.span(at)), [
    { line: 1, start: 0, end: chunk - 12, terminated: true },
    { line: 3, start: third, end: third + 3, terminated: true },
    { line: 4, start: third + 4, end: third + 11, terminated: false },
  ]);
  assert.deepEqual([1, 2, 3, 4, 5].map((line) => index.indexOf(line)), [0, -1, 1, 2, -1]);
});

test("a glance at a large file gives its bytes, always in the same memory", () => {
  const root = mkdtempSync(join(tmpdir(), "tracemark-glance-"));
  try {
    const content = new Uint8Array(65 << 20);
    for (let at = 0; at < content.length; at += 1000) content[at] = at % 251;
    writeFileSync(join(root, "large.bin"), content);
    const source = new FileSource(join(root, "large.bin"), root);
    const ranges: [number, number][] = [[0, 5000], [4_190_000, 4_200_000], [100, 1200], [content.length - 3000, content.length + 10], [1 << 22, 1 << 23], [7_000_000, 12_000_000]];
    const memories = ranges.map(([start, end]) => {
      const seen = source.glance(start, end);
      assert.deepEqual(Buffer.from(seen), Buffer.from(content.subarray(start, end)), `${start}`);
      assert.deepEqual(Buffer.from(source.bytes(start, end)), Buffer.from(content.subarray(start, end)), `${start}`);
      return seen.buffer;
    });
    // The last range is larger than the buffer.
    assert.deepEqual(memories.map((memory) => memory === memories[0]), [true, true, true, true, true, false]);
    // What was asked for as bytes stays what it is.
    const kept = source.bytes(0, 5000);
    source.glance(8_000_000, 8_005_000);
    source.bytes(9_000_000, 9_005_000);
    assert.deepEqual(Buffer.from(kept), Buffer.from(content.subarray(0, 5000)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("turns of a Codex rollout that were taken back twice over are cut out of what stood", () => {
  const at = "2026-01-01T00:00:00Z";
  const item = (role: string, text: string) => ({ timestamp: at, type: "response_item", payload: { type: "message", role, content: [{ type: "input_text", text }] } });
  const back = (turns: number) => ({ timestamp: at, type: "event_msg", payload: { type: "thread_rolled_back", num_turns: turns } });
  const records = [
    { timestamp: at, type: "session_meta", payload: { id: "s1", timestamp: at, cwd: "/garden" } },
    item("user", "one"), item("assistant", "1"), item("user", "two"), item("assistant", "2"), item("user", "three"), item("assistant", "3"),
    back(1), item("user", "four"), item("assistant", "4"), back(2), back(0), item("user", "five"), item("assistant", "5"),
  ];
  const file = openFile(new MemorySource("rollout.jsonl", new TextEncoder().encode(`${records.map((record) => JSON.stringify(record)).join("\n")}\n`)));
  const told = file.ids.map((_id, index) => file.load(index).steps.flatMap(({ parts }) => parts.map(({ text }) => text)));
  assert.deepEqual(told, [["one", "1", "five", "5"], ["three", "3"], ["two", "2", "four", "4"]]);
  assert.deepEqual(file.opened.heads.map(({ line }) => line), [1, 6, 4]);
});
