/** The parts of drawing that need no page: places in Markdown, edits, windows, control characters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toolCallText } from "#core/trajectory/model";
import { editOf, patchOf } from "../../webview/text/edits";
import { parseMarkdown, type Block, type Inline } from "../../webview/text/markdown";
import { scan } from "../../webview/text/scan";
import { plainWindows } from "../../webview/text/windows";

/** Every run of the blocks, in order, as recorded text; stand-ins as `{shown}`. */
function runs(text: string, blocks: readonly Block[]): string[] {
  const inline = (list: readonly Inline[]): string[] => list.flatMap((entry) =>
    entry.kind === "run" ? [text.slice(entry.start, entry.end)] : entry.kind === "stand-in" ? [`{${entry.shown}}`] : entry.kind === "break" ? ["\n"] : inline(entry.inlines));
  return blocks.flatMap((block): string[] => {
    switch (block.kind) {
      case "paragraph":
      case "heading":
        return inline(block.inlines);
      case "list":
        return block.items.flatMap((item) => runs(text, item));
      case "quote":
        return runs(text, block.blocks);
      case "code":
        return block.lines.map((line) => text.slice(line.start, line.end));
      case "table":
        return block.rows.flatMap((row) => row.flatMap((cell) => inline(cell.inlines)));
      case "rule":
        return ["---"];
      case "plain":
        return [`plain:${text.slice(block.start, block.end)}`];
    }
  });
}

const rendered = (text: string): string[] => runs(text, parseMarkdown(text).map((top) => top.block));

test("every run of Markdown stands where it was written", () => {
  assert.deepEqual(rendered("a **b** c"), ["a ", "b", " c"]);
  assert.deepEqual(rendered("***x***"), ["x"]);
  assert.deepEqual(rendered("\\*not\\* &amp; this"), ["*", "not", "*", " ", "{&}", " this"]);
  assert.deepEqual(rendered("`a` and `` b ` c ``"), ["a", " and ", "b ` c"]);
  assert.deepEqual(rendered("[a](b \"c (d) c\") c"), ["a", " c"]);
  assert.deepEqual(rendered("<https://a.b/c> x"), ["https://a.b/c", " x"]);
  assert.deepEqual(rendered("one  \ntwo\\\nthree\nfour"), ["one", "\n", "two", "\n", "three", "\n", "four"]);
  assert.deepEqual(rendered("# Title `x` #"), ["Title ", "x"]);
  assert.deepEqual(rendered("> q\n> r"), ["q", "\n", "r"]);
  assert.deepEqual(rendered("- a\n  - b\n\n    c\n1. d"), ["a", "b", "c", "d"]);
  assert.deepEqual(rendered("| a | a |\n|---|---|\n| **b** | a |"), ["a", "a", "b", "a"]);
  assert.deepEqual(rendered("```js\nx = 1\n\n  y\n```"), ["x = 1", "", "  y"]);
  assert.deepEqual(rendered("![alt](http://x/y.png)"), ["!", "alt"]);
});

test("CRLF and lone CR do not shift places", () => {
  const text = "first\r\nsecond **bold**\r\n\r\n- item\r\n\r\n```\r\ncode\r\n```\rlast";
  assert.deepEqual(rendered(text), ["first", "\n", "second ", "bold", "item", "code", "last"]);
});

test("equal words in one line keep apart", () => {
  const text = "x *x* x";
  const [top] = parseMarkdown(text);
  assert.equal(top?.block.kind, "paragraph");
  const starts = (top!.block as Extract<Block, { kind: "paragraph" }>).inlines.map((entry) => (entry.kind === "run" ? entry.start : entry.kind === "em" ? (entry.inlines[0] as { start: number }).start : -1));
  assert.deepEqual(starts, [0, 3, 5]);
});

test("what cannot be placed is shown as it was recorded", () => {
  // A tab before the marker's text is expanded by the parser: the content is not a piece of the line any more.
  for (const text of ["-\tfoo\n\n\tbar", "a\tb"]) assert.equal(rendered(text).join("").replaceAll("plain:", "").includes("b"), true);
});

const call = (args: readonly (readonly [string, string])[]) => {
  const list = args.map(([key, text]) => ({ key, text }));
  return { kind: "tool_call" as const, text: toolCallText(list), args: list };
};

const diff = (text: string, lines: readonly { sign: string; start: number; end: number }[]) => lines.map((line) => `${line.sign}|${text.slice(line.start, line.end)}`);

test("a replacement is shown as a diff whose lines stand in the call's text", () => {
  const part = call([["path", "a.py"], ["old_str", "one\ntwo\nthree"], ["new_str", "one\n2\nthree"]]);
  const edit = editOf(part);
  assert.equal(edit?.path, "a.py");
  assert.deepEqual(diff(part.text, edit!.lines), ["#|path: a.py", " |one", "-|two", "+|2", " |three"]);
});

test("the changed words of a changed line are picked out", () => {
  const part = call([["file_path", "a"], ["old_string", "return delay / 10"], ["new_string", "return delay / 20"]]);
  const lines = editOf(part)!.lines.filter((line) => line.words);
  assert.deepEqual(lines.map((line) => line.words!.map((word) => part.text.slice(word.start, word.end))), [["10"], ["20"]]);
});

test("here-documents and patches are edits, other commands are not", () => {
  const here = call([["command", "cat > x.sh <<'EOF'\necho 1\nEOF\nls"]]);
  const edit = editOf(here)!;
  assert.equal(edit.path, "x.sh");
  assert.deepEqual(diff(here.text, edit.lines), ["#|cat > x.sh <<'EOF'", "+|echo 1", "#|EOF", "#|ls"]);
  const patch = call([["input", "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n same\n*** End Patch"]]);
  assert.deepEqual(editOf(patch)!.lines.map((line) => line.sign).join(""), "@@@-+ @");
  assert.equal(editOf(patch)!.path, "a.txt");
  assert.equal(editOf(call([["command", "python - <<EOF\nprint(1)\nEOF"]])), undefined);
  assert.equal(editOf(call([["command", "ls -la"]])), undefined);
  assert.deepEqual(patchOf("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")!.map((line) => line.sign).join(""), "@@@-+");
});

test("escape sequences become colours or marks, and the text keeps its places", () => {
  const text = "\u001b[1;31mred\u001b[0m \u001b[2Jx\r\ny\u0007\u202ez\ud800";
  const { pieces } = scan(text, 0, text.length);
  assert.deepEqual(pieces.map((piece) => (piece.kind === "text" ? `${piece.className}:${text.slice(piece.start, piece.end)}` : `[${piece.glyph}]`)), [
    "sgr-fg1 sgr-bold:red", ": ", "[ESC]", ":x", ":\ny", "[BEL]", "[RLO]", ":z", "[\ufffd]",
  ]);
  assert.equal(scan("👩‍👩‍👧 e\u0301 क्‍ष", 0, 14).pieces.length, 1, "joiners that scripts and emoji need are no marks");
});

test("windows cover the text without a gap and end at line ends", () => {
  const text = `${"line of some length\n".repeat(500)}${"x".repeat(12_001)}😀${"y".repeat(9000)}\nend`;
  const windows = plainWindows(text);
  assert.equal(windows.map((window) => text.slice(window.start, window.end)).join(""), text);
  assert.ok(windows.every((window) => window.end - window.start <= 6001), "no window is too long for a row");
  assert.ok(windows.every((window) => !/^[\udc00-\udfff]/.test(text.slice(window.start))), "no surrogate pair is cut");
  assert.deepEqual(plainWindows(""), [{ kind: "plain", start: 0, end: 0, lines: 1, sgr: {} }]);
});

test("colour goes on into the next window", () => {
  const text = `\u001b[32m${"green\n".repeat(100)}\u001b[0mplain`;
  const windows = plainWindows(text);
  assert.deepEqual(windows.map((window) => window.sgr.fg), [undefined, 2, 2]);
});
