/** What a file is made of, told by its bytes; lines, marks, damage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemorySource } from "#node/file-source";
import { damagedLine, openDocument } from "#core/trajectory/source-document";

const utf8 = new TextEncoder();

function open(content: string | Uint8Array, path = "file.json") {
  return openDocument(new MemorySource(path, typeof content === "string" ? utf8.encode(content) : content));
}

test("kinds by content", () => {
  const cases: [string | Uint8Array, string, string?][] = [
    ["", "empty"], [" \n\t\n", "empty"], ['{"a":1}', "json"], ['{"a":1}\n', "json"], ["[1]\n", "json"], ['{\n "a": 1\n}', "json"], ['{"a":1}\n{"a":2}\n', "jsonl"],
    ['{"a":1}', "jsonl", "one.jsonl"], ["[1,2]\n[3]", "jsonl"], ['{"a":[\n{"b":1},\n{"b":2}\n]}', "json"], ['[\n{"b":1},\n{"b":2}\n]', "json"], ['[{"b":1},\n{"b":2}]', "json"],
    ['{"cut": "of\n{"a":1}\n{"a":2}', "jsonl"], ['broken start}\n{"a":1}\n{"a":2}\n', "jsonl"], ["# aider chat started at 2024\n", "text"], ['"a string"', "text"],
    [new Uint8Array([0x50, 0x4b, 3, 4, 0]), "zip"], [new Uint8Array([0x1f, 0x8b, 8]), "binary"], [new Uint8Array([0x28, 0xb5, 0x2f, 0xfd]), "binary"], [new Uint8Array(64), "binary"],
    [Uint8Array.from({ length: 256 }, (_, i) => (i * 7) % 9), "binary"],
  ];
  for (const [content, kind, path] of cases) assert.equal(open(content, path).kind, kind, String(content).slice(0, 40));
});

test("compressed and binary files say what they are", () => {
  assert.match(open(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd])).warnings[0]!.message, /zstd-compressed; unpack it first/);
  assert.equal(open(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1])).warnings[0]!.message, "The file is a PNG image, not a trajectory.");
  assert.equal(open("").warnings[0]!.code, "empty-file");
});

test("lines end at 0x0A alone; physical numbers; blank lines and CR are no content; the last line may lack its end", () => {
  const document = open('\ufeff{"a":"x\u2028y\u0085"}\r\n\r\n{"cut\n  \n{"b":1}\n{"c":', "x.jsonl");
  const lines = [...document.lines()];
  assert.deepEqual(lines.map((line) => [line.line, line.json?.value]), [[1, { a: "x\u2028y\u0085" }], [3, undefined], [5, { b: 1 }], [6, undefined]]);
  assert.deepEqual(damagedLine(lines[1]!), { code: "damaged-line", line: 3, message: "Line 3 could not be read: the JSON ends inside a string (5 bytes)." });
  assert.match(damagedLine(lines[3]!).message, /the line has no end, its writer was stopped or is still at work \(5 bytes\)\.$/);
  assert.deepEqual([lines[2]!.start, lines[2]!.end], [31, 38]);
  assert.equal(document.firstLines(2).length, 2);
});

test("lines longer than a chunk, and many of them", () => {
  const long = JSON.stringify({ text: "é".repeat(1_500_000) });
  const document = open(`${long}\n${'{"n":1}\n'.repeat(1000)}${long}`, "x.jsonl");
  const lines = [...document.lines()];
  assert.equal(lines.length, 1002);
  assert.deepEqual([lines[0]!.line, lines[1001]!.line], [1, 1002]);
  assert.equal((lines[1001]!.json!.value as { text: string }).text.length, 1_500_000);
});

test("UTF-16 by its mark, in both orders, whole and in lines", () => {
  const text = '{"a":"é🚀"}\n{"b":2}\n';
  for (const swap of [false, true]) {
    const bytes = new Uint8Array(2 + text.length * 2);
    const view = new DataView(bytes.buffer);
    [0xfeff, ...[...Array(text.length).keys()].map((i) => text.charCodeAt(i))].forEach((unit, i) => view.setUint16(i * 2, unit, !swap));
    const document = open(bytes, "x.jsonl");
    assert.deepEqual([...document.lines()].map((line) => line.json?.value), [{ a: "é🚀" }, { b: 2 }]);
    assert.deepEqual(document.warnings.map((warning) => warning.code), ["utf-16"]);
    assert.match(document.warnings[0]!.message, swap ? /UTF-16BE/ : /UTF-16LE/);
  }
  const bare = new Uint8Array(40);
  new TextEncoder().encodeInto("", bare);
  for (let i = 0; i < 20; i++) bare[i * 2] = 0x61;
  assert.match(open(bare).warnings[0]!.message, /UTF-16 without a byte order mark/);
});

test("invalid bytes are replaced; the line is named", () => {
  const bytes = utf8.encode('{"a":1}\n{"b":"x?y"}\n');
  bytes[bytes.indexOf(0x3f)] = 0xff;
  const lines = open(bytes, "x.jsonl");
  assert.deepEqual(lines.lines().at(1)!.json?.value, { b: "x\ufffdy" });
  assert.deepEqual(lines.warnings.map((warning) => [warning.code, warning.line]), [["invalid-utf-8", 2]]);
  const pretty = utf8.encode('{\n "a": "?"\n}');
  pretty[pretty.indexOf(0x3f)] = 0xc3;
  const whole = open(pretty);
  assert.deepEqual(whole.json().value, { a: "\ufffd" });
  assert.deepEqual(whole.warnings.map((warning) => [warning.code, warning.line]), [["invalid-utf-8", 2]]);
});

test("a cut or damaged JSON file: what stands before the fault is read, line and byte are named", () => {
  const cut = open('{\n "é": [1, 2],\n "b": "half');
  assert.deepEqual(cut.json().value, { é: [1, 2] });
  assert.deepEqual(cut.warnings, [{ code: "truncated-json", line: 3, message: "The JSON ends inside a string at line 3, byte 28; what stands before it was read." }]);
  const damaged = open('{"a": 1, "b": @, "c": 2}');
  assert.deepEqual(damaged.json().value, { a: 1 });
  assert.deepEqual(damaged.warnings, [{ code: "damaged-json", line: 1, message: 'Expected a value, found "@, \\"c\\": 2}" at line 1, byte 14; what stands before it was read, 10 bytes behind it were not.' }]);
});

test("a large file's lines are let go and read again", () => {
  const line = `${JSON.stringify({ pad: "p".repeat(1 << 20) })}\n`;
  const document = open(line.repeat(66), "x.jsonl");
  const lines = [...document.lines()];
  const first = lines[0]!.json;
  for (const each of lines) assert.ok(each.json);
  assert.notEqual(lines[0]!.json, first);
  assert.deepEqual(lines[0]!.json?.value, first?.value);
});
