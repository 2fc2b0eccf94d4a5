import assert from "node:assert/strict";
import { test } from "node:test";
import { findMarkdownMarks } from "#core/evidence/markdown-marks";
import { look, match } from "./look";

/** The text without its paired marks. */
function stripped(text: string): string {
  let rest = "";
  let from = 0;
  for (const mark of findMarkdownMarks(text).marks) {
    rest += text.slice(from, mark.start);
    from = mark.end;
  }
  return rest + text.slice(from);
}

test("paired marks of emphasis and code are found", () => {
  for (const [text, expected] of [
    ["a *b* c", "a b c"],
    ["a **b** c", "a b c"],
    ["a ***b*** c", "a b c"],
    ["a **b *c* d** e", "a b c d e"],
    ["**a *b***", "a b"],
    ["a _b_ c", "a b c"],
    ["a ~~b~~ c", "a b c"],
    ["a `b` c", "a b c"],
    ["a ``b ` c`` d", "a b ` c d"],
    ["all `id`s", "all ids"],
    ["(**a**), \"*b c*\"", "(a), \"*b c*\""],
    ["**Title:** text", "Title: text"],
    ["so *this*: *that*.", "so this: that."],
    ["这是**重点**内容", "这是重点内容"],
    ["**two\nlines**", "two\nlines"],
    ["**2 * 3** is *six*", "2 * 3 is six"],
    ["**a `x*` b**", "a x* b"],
  ] as const) assert.equal(stripped(text), expected, text);
});

test("marks that may be something else are left alone", () => {
  for (const text of [
    "a*b*c",
    "2*3*4 and x**2 + y**2",
    "2 * 3 * 4",
    "__init__ and __main__",
    "snake_case_name and other_name",
    "def f(*args, **kwargs)",
    "f(**a, **b)",
    "char *p, *q; *p = *q;",
    "rm -rf * && ls *",
    "rm *tmp* now",
    "cp -r *src* /dst",
    "ls /a/*/b/*",
    "glob \"**/*.ts\", \"**/*.js\"",
    "find . -name \"*log*\"",
    "grep '.*foo.*' x",
    "/* one */ x /* two */",
    "SELECT *, count(*) FROM t",
    "* bullet\n* bullet",
    "# heading\n- [ ] task",
    "**never closed",
    "~ / ~",
    "a *b\n\nc* d",
    "5 * *",
    "i`s `t",
    "f(_x_y, *args, **kw); grep '.*foo.*' [ x ]",
    "see *a, b*c, d* e",
    "****",
  ]) assert.equal(stripped(text), text, text);
});

test("nothing is a mark inside code", () => {
  assert.equal(stripped("see `a *b* c` and *d*"), "see a *b* c and d");
  assert.equal(stripped("*a*\n```py\nx = *b* `c`\n```\n*d*"), "a\n```py\nx = *b* `c`\n```\nd");
  assert.equal(stripped("~~~\n*a*\n"), "~~~\n*a*\n");
});

test("marks dropped or added by the quote are exact in text and reasoning", () => {
  for (const kind of ["text", "reasoning"] as const) {
    for (const [text, quote, expected] of [
      ["Stop the *four-count* right **now**.", "Stop the four-count right now.", "exact normalised [Stop the *four-count* right **now**.]"],
      ["run **the CSV file** today", "run the CSV file", "exact normalised [run **the CSV file]"],
      ["**done.**  \n   Then rest", "done. Then rest", "exact normalised [done.**  \n   Then rest]"],
      ["use the amount given", "use the `amount` given", "exact normalised [use the amount given]"],
      ["meet Sarah at noon", "meet **Sarah** at noon", "exact normalised [meet Sarah at noon]"],
      ["a _b_ c", "a *b* c", "exact normalised [a _b_ c]"],
      ["keep `__init__` as is", "keep __init__ as is", "exact normalised [keep `__init__` as is]"],
    ] as const) assert.equal(look(text, quote, kind), expected);
  }
});

test("marks count in tool calls, tool results and code", () => {
  for (const kind of ["tool_call", "tool_result"] as const) {
    assert.notEqual(match("say *hi* to all", "say hi to all", kind).status, "exact");
    assert.notEqual(match("say hi to all", "say *hi* to all", kind).status, "exact");
    assert.notEqual(match("run `date` now", "run date now", kind).status, "exact");
  }
  assert.notEqual(match("```\nsay hi to all\n```", "say *hi* to all").status, "exact");
  assert.notEqual(match("```\nsay *hi* to all\n```", "say hi to all").status, "exact");
});

test("products, globs, names, bullets and headings are not paired marks", () => {
  for (const [text, quote] of [
    ["x = a*b*c here", "x = abc here"],
    ["call __init__ first", "call init first"],
    ["rm -rf *tmp* today", "rm -rf tmp today"],
    ["rm -rf * today", "rm -rf today"],
    ["list:\n- one thing\n- two", "list: one thing"],
    ["intro\n\n# The heading\ntext", "intro The heading text"],
    ["a **b c", "a b c"],
    ["call get_ast32(x)", "_ast32_"],
    ["x=a*b*c; y = f(z,", "*c; y = f(z,*"],
    ["y = __init__(x, w)", "_(x_, w)"],
    ["g(x, *args, **kw); grep '.*foo.*'", "g(x, args, **kw); grep '.*foo.'"],
  ] as const) assert.notEqual(match(text, quote).status, "exact", text);
  assert.equal(match("list:\n- one thing\n- two", "list: one thing").status, "near");
});
