/** The command line as a program: what it prints where, how it ends, and that nobody ever sees a stack trace. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { projectRoot, sharedFile } from "../../support/shared";

const program = resolve(projectRoot, "dist", "cli.cjs");
const folder = mkdtempSync(join(tmpdir(), "tracemark-cli-"));
after(() => rmSync(folder, { recursive: true }));

const chat = (text: string, more = {}) => JSON.stringify({ messages: [{ role: "user", content: text }, { role: "assistant", content: "ok" }], ...more });
const files: Record<string, string | Uint8Array> = {
  "one.json": chat("hello there"), "many.jsonl": `${chat("first")}\n${chat("second", { id: "b" })}\n`, "bad.jsonl": `${chat("good")}\n{"messages": [{"role"\n`, "empty.json": "", "none.json": '{"a": 1}',
  "binary.json": new Uint8Array(300), "prose.txt": "Just some words.\nAnd more.\n", "cut.json": chat("half").slice(0, 60),
  "calls.json": JSON.stringify({ messages: [{ role: "assistant", content: null, tool_calls: [{ id: "c", function: { name: "f", arguments: '{"z": 1.0, "10": 12345678901234567890}' } }] }, { role: "tool", tool_call_id: "c", content: "\u001b[2Jgone \u202egnp.exe" }] }),
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);

function run(...args: string[]) {
  const result = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });
  assert.ok(!/\n\s+at .+:\d+:\d+/.test(result.stderr), result.stderr);
  return { code: result.status, out: result.stdout, err: result.stderr };
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");
const json = (text: string) => linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>);

test("show --json prints the contract's keys, a line a trajectory", () => {
  const { code, out, err } = run("show", "many.jsonl", "--json");
  assert.equal(code, 0);
  assert.equal(err, "");
  const [first, second] = json(out);
  assert.deepEqual({ ...first, content_sha256: null, reader: null }, {
    id: "many.jsonl#0", format: "openai-chat", title: "first", content_sha256: null, reader: null, warnings: [],
    steps: [{ index: 0, role: "user", parts: [{ kind: "text", text: "first" }] }, { index: 1, role: "assistant", parts: [{ kind: "text", text: "ok" }] }],
  });
  assert.match(String(first!["content_sha256"]), /^[0-9a-f]{64}$/);
  assert.equal(second!["id"], "many.jsonl#b");
  const calls = json(run("show", "calls.json", "--json").out)[0]! as { steps: { parts: object[] }[] };
  assert.deepEqual(calls.steps[0]!.parts, [{ kind: "tool_call", text: "z: 1.0\n10: 12345678901234567890", tool_name: "f", call_id: "c" }]);
});

test("show for people: a list of many, the steps of one, terminal controls as pictures", () => {
  assert.match(run("show", "many.jsonl").out, /^many\.jsonl#0 {2}2 steps {2}first\nmany\.jsonl#b {2}2 steps {2}second\n$/);
  assert.match(run("show", "many.jsonl", "--id", "many.jsonl#b").out, /\[0\] user\n {4}second\n/);
  assert.match(run("show", "many.jsonl", "--id", "b").out, /\[0\] user\n {4}second\n/);
  const { out } = run("show", "calls.json");
  assert.ok(out.includes("␛[2Jgone <U+202E>gnp.exe"));
  assert.ok(!out.includes("\u001b"));
});

test("damage: what is left is shown, the rest is named with its line, exit code 1", () => {
  const bad = run("show", "bad.jsonl", "--json");
  assert.equal(bad.code, 1);
  assert.deepEqual(json(bad.out).map((line) => [line["id"], (line["steps"] as unknown[]).length]), [["bad.jsonl#0", 2], ["bad.jsonl#1", 0]]);
  assert.deepEqual((json(bad.out)[1]!["warnings"] as { line: number }[]).map((warning) => warning.line), [2]);
  assert.match(run("show", "bad.jsonl").err, /warning: bad\.jsonl:2: Line 2 could not be read/);
  const cut = run("show", "cut.json", "--json");
  assert.equal(cut.code, 1);
  assert.deepEqual((json(cut.out)[0]!["warnings"] as { code: string; line: number }[]).map((warning) => [warning.code, warning.line])[0], ["truncated-json", 1]);
  for (const name of ["none.json", "empty.json", "prose.txt"]) {
    const none = run("show", name, "--json");
    assert.deepEqual([none.code, none.out], [1, ""], name);
    assert.match(none.err, new RegExp(`^note: ${name.replace(".", "\\.")}: no trajectory in this file; `));
  }
});

test("what cannot be done is one line and exit code 2", () => {
  const cases: [string[], RegExp][] = [
    [["show", "nope.json"], /^error: nope\.json: there is no such file or folder; check the path\n$/],
    [["show", "binary.json"], /^error: binary\.json: The file is .*; name a trajectory file\n$/],
    [["show", "."], /^error: \.: this is a folder; name a file in it\n$/],
    [["show", "many.jsonl", "--id", "zzz"], /^error: many\.jsonl: no trajectory has the id zzz; choose one of 2: many\.jsonl#0, many\.jsonl#b\n$/],
    [["show", "one.json", "--format", "zzz"], /^error: one\.json: There is no format called zzz.*; run tracemark formats\n$/],
    [["show"], /^error: missing required argument 'file'; see tracemark --help\n$/], [["zzz"], /^error: unknown command 'zzz'; see tracemark --help\n$/], [["show", "--zzz", "a"], /^error: unknown option '--zzz'; see tracemark --help\n$/],
    [["locate", "one.json"], /^error: one\.json: no quote was given; add --quote TEXT\n$/], [["convert", "one.json"], /^error: no folder for the results was named; add --out FOLDER\n$/],
    [["convert", "one.json", "--out", "one.json"], /^error: one\.json: a file of that name is already there; choose another name\n$/],
  ];
  for (const [args, message] of cases) {
    const { code, out, err } = run(...args);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, message);
  }
});

test("ids start at --root, at the current folder, or at the nearest tracemark.json", () => {
  mkdirSync(join(folder, "sub", "deep"), { recursive: true });
  writeFileSync(join(folder, "sub", "deep", "a#b.json"), chat("x"));
  const id = (...args: string[]) => json(run("show", "--json", ...args).out)[0]!["id"];
  assert.equal(id("sub/deep/a#b.json"), "sub/deep/a%23b.json");
  assert.equal(id("sub/deep/a#b.json", "--root", "sub"), "deep/a%23b.json");
  writeFileSync(join(folder, "sub", "tracemark.json"), '{"name": "x", "samples": []}');
  assert.equal(id("sub/deep/a#b.json", "--root", "."), "deep/a%23b.json");
});

test("locate prints a span with code points and context", () => {
  writeFileSync(join(folder, "emoji.json"), JSON.stringify({ messages: [{ role: "assistant", content: "🚀🚀 then rm -rf build now" }] }));
  const { code, out } = run("locate", "emoji.json", "--quote", "rm -rf build", "--json");
  assert.equal(code, 0);
  assert.deepEqual(json(out), [{ id: "emoji.json", status: "exact", spans: [{ step: 0, part: "text", part_index: 0, start: 8, end: 20, exact: "rm -rf build", prefix: "🚀🚀 then ", suffix: " now", score: 1 }], quote: "rm -rf build" }]);
  assert.deepEqual(json(run("locate", "many.jsonl", "--quote", "not in there at all", "--json").out).map((line) => [line["id"], line["status"], line["spans"]]), [["many.jsonl#0", "absent", []], ["many.jsonl#b", "absent", []]]);
  const [several] = json(run("locate", "one.json", "--quote", "o", "--json").out);
  assert.equal(several!["status"], "ambiguous");
});

test("convert writes one file a trajectory, the same each time, and keeps the hash", () => {
  const first = run("convert", "many.jsonl", "calls.json", "bad.jsonl", "--out", "out1");
  assert.equal(first.code, 1);
  assert.equal(first.out, "4 trajectories written to out1\n");
  const names = readdirSync(join(folder, "out1")).sort();
  assert.deepEqual(names, ["bad.jsonl_0.atif.json", "calls.atif.json", "many.jsonl_0.atif.json", "many.jsonl_b.atif.json"]);
  const again = run("convert", ...names.map((name) => join("out1", name)), "--out", "out2", "--root", "out1");
  assert.equal(again.code, 0);
  for (const name of names) assert.equal(readFileSync(join(folder, "out2", name), "utf8"), readFileSync(join(folder, "out1", name), "utf8"), name);
  const hash = (...args: string[]) => json(run("show", "--json", ...args).out)[0]!["content_sha256"];
  assert.equal(hash(join("out1", "calls.atif.json")), hash("calls.json"));
  assert.ok(readFileSync(join(folder, "out1", "calls.atif.json"), "utf8").includes('"10": 12345678901234567890'));
});

test("formats lists every reader; a closed pipe is no failure", (t) => {
  const listed = json(run("formats", "--json").out);
  assert.ok(listed.length >= 12);
  for (const format of listed) assert.deepEqual(Object.keys(format), ["id", "title", "extensions", "keeps", "drops", "reader_version"]);
  const large = sharedFile(t, "trajectories/openai-chat/kto_en_demo-first-120.json");
  if (!large) return;
  const piped = spawnSync("sh", ["-c", `"${process.execPath}" "${program}" show --json "${large}" | head -c 10; exit 0`], { cwd: folder, encoding: "utf8" });
  assert.equal(piped.stderr, "");
  assert.equal(piped.stdout.length, 10);
});
