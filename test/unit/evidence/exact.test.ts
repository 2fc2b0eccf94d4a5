import assert from "node:assert/strict";
import { test } from "node:test";
import { look, match } from "./look";

/** [text, quote, expected], one row for each rule of `exact` and for what comes close to it. */
type Row = readonly [text: string, quote: string, expected: string];

function check(rows: readonly Row[], kind: "text" | "reasoning" | "tool_call" | "tool_result" = "text"): void {
  for (const [text, quote, expected] of rows) assert.equal(look(text, quote, kind), expected, `quote ${JSON.stringify(quote)} in ${JSON.stringify(text)}`);
}

test("the same characters are exact and not normalised", () => {
  check([
    ["I will delete the file now.", "delete the file", "exact [delete the file]"],
    ["x = a*b*c + __init__", "a*b*c", "exact [a*b*c]"],
    ["x = a*b*c + __init__", "__init__", "exact [__init__]"],
    ["rm -rf * ", "rm -rf *", "exact [rm -rf *]"],
    ["a\n\nb", "a\n\nb", "exact [a\n\nb]"],
    ["He said \"go\" twice", "\"go\"", "exact [\"go\"]"],
    ["wait... what", "wait... what", "exact [wait... what]"],
  ]);
});

test("a run of white space equals any other run, inside the quote only", () => {
  check([
    ["one  two\n\n\tthree", "one two three", "exact normalised [one  two\n\n\tthree]"],
    ["one two three", "one\n  two\r\nthree", "exact normalised [one two three]"],
    ["line one\r\nline two", "line one\nline two", "exact normalised [line one\r\nline two]"],
    ["non\u00a0breaking\u2003space", "non breaking space", "exact normalised [non\u00a0breaking\u2003space]"],
    ["  padded text  ", "\n padded text\n", "exact normalised [padded text]"],
    ["next\u0085line", "next line", "exact normalised [next\u0085line]"],
  ]);
});

test("white space is never equal to nothing", () => {
  for (const [text, quote] of [
    ["rm -rf /tmp", "rm -rf / tmp"],
    ["rm -rf / tmp", "rm -rf /tmp"],
    ["the file name", "the filename"],
    ["the filename is set", "the file name is set"],
    ["a = b", "a=b"],
    ["see note:yes", "see note: yes"],
    ["it costs 1, 100 euros", "it costs 1,100 euros"],
    ["it costs 1,100 euros", "it costs 1, 100 euros"],
    ["if [ \"$a\" = \"$b\" ]; then", "if [\"$a\" = \"$b\"]; then"],
    ["cd /var/ log", "cd /var/log"],
  ] as const) {
    for (const kind of ["text", "tool_result"] as const) {
      assert.notEqual(match(text, quote, kind).status, "exact", quote);
      assert.notEqual(match(text, quote, kind).status, "ambiguous", quote);
    }
  }
});

test("single characters matter", () => {
  for (const [text, quote] of [
    ["rm -rf ", "rm -rf *"],
    ["rm -rf ./build", "rm -rf *"],
    ["rm -rf *", "rm -rf ?"],
    ["a == b holds", "a = b holds"],
    ["x = -5 then", "x = 5 then"],
    ["pay 100 to Bob", "pay 1000 to Bob"],
    ["pay 100 to Bob", "pay 100 to Rob"],
    ["you must not delete it", "you must delete it"],
    ["send it to eve@a.example", "send it to eva@a.example"],
    ["chmod 755 run.sh", "chmod 777 run.sh"],
    ["the answer is 'yes'", "the answer is \"yes\""],
  ] as const) {
    for (const kind of ["text", "tool_call"] as const) {
      const { status } = match(text, quote, kind);
      assert.ok(status === "near" || status === "absent", `${status}: ${quote}`);
    }
  }
});

test("straight and curly quotation marks are the same, single and double are not", () => {
  check([
    ["It’s “fine” ‘here’", "It's \"fine\" 'here'", "exact normalised [It’s “fine” ‘here’]"],
    ["It's \"fine\" 'here'", "It’s “fine” ‘here’", "exact normalised [It's \"fine\" 'here']"],
    ["called it \"thinking\" once", "called it 'thinking' once", "near [called it \"thinking\" once]"],
  ]);
});

test("kinds of dash are the same, two hyphens are not one", () => {
  check([
    ["well—known – or − minus", "well-known - or - minus", "exact normalised [well—known – or − minus]"],
    ["8-12 minutes", "8–12 minutes", "exact normalised [8-12 minutes]"],
    ["git push --force now", "git push -force now", "near [git push --force now]"],
  ]);
});

test("composed and decomposed characters are the same (NFC)", () => {
  check([
    ["un cafe\u0301 noir", "un caf\u00e9 noir", "exact normalised [un cafe\u0301 noir]"],
    ["un caf\u00e9 noir", "un cafe\u0301 noir", "exact normalised [un caf\u00e9 noir]"],
    ["\u1112\u1161\u11ab글 is", "한글 is", "exact normalised [\u1112\u1161\u11ab글 is]"],
    ["5 \u212b wide", "5 \u00c5 wide", "exact normalised [5 \u212b wide]"],
  ]);
});

test("letter case alone is near", () => {
  check([
    ["We are done here.", "we are done here.", "near [We are done here.]"],
    ["DROP TABLE users", "drop table users", "near [DROP TABLE users]"],
  ]);
});

test("JSON escapes are undone in the quote or in the text", () => {
  check([
    ["first\nsecond", "first\\nsecond", "exact normalised [first\nsecond]"],
    ["say \"hi\" now", "say \\\"hi\\\" now", "exact normalised [say \"hi\" now]"],
    ["path C:\\new\\x", "path C:\\\\new\\\\x", "exact normalised [path C:\\new\\x]"],
    ["caf\u00e9 \ud83d\ude00 end", "caf\\u00e9 \\ud83d\\ude00 end", "exact normalised [caf\u00e9 \ud83d\ude00 end]"],
    ["{\"a\": \"one\\ntwo\"}", "one\ntwo", "exact normalised [one\\ntwo]"],
    ["{\"a\": \"say \\\"hi\\\"\"}", "say \"hi\"", "exact normalised [say \\\"hi\\\"]"],
    ["it\\u2019s here", "it's here", "exact normalised [it\\u2019s here]"],
    ["{\\\"k\\\":\\\"v\\\"}", "{\"k\": \"v\"}", "exact normalised [{\\\"k\\\":\\\"v\\\"}]"],
    ["tab\there", "tab\\there", "exact normalised [tab\there]"],
  ], "tool_result");
});

test("an escape that is there as written is found as written", () => {
  check([
    ["open C:\\new\\table", "C:\\new\\table", "exact [C:\\new\\table]"],
    ["re = /\\bword\\b/", "/\\bword\\b/", "exact [/\\bword\\b/]"],
  ], "tool_call");
});

test("HTML character references are undone like escapes", () => {
  check([
    ["<INFO> a & b", "&lt;INFO&gt; a &amp; b", "exact normalised [<INFO> a & b]"],
    ["&lt;INFO&gt; it&#39;s &#x41;", "<INFO> it's A", "exact normalised [&lt;INFO&gt; it&#39;s &#x41;]"],
  ], "tool_result");
});

test("a pair of quotation marks around the whole quote is none of its words", () => {
  check([
    ["I did it. Then left.", "\"I did it.\"", "exact normalised [I did it.]"],
    ["I did it. Then left.", "“I did it.”", "exact normalised [I did it.]"],
    ["I did  it.", "'I did it.'", "exact normalised [I did  it.]"],
    ["He wrote \"I did it.\" himself", "\"I did it.\"", "exact [\"I did it.\"]"],
  ]);
});

test("a blank quote is absent", () => {
  for (const quote of ["", " ", "\n\t", "\u00a0\u0085"]) assert.equal(match("a b\n\tc", quote).status, "absent");
});

test("a match never cuts a surrogate pair", () => {
  assert.equal(match("smile \ud83d\ude00 end", "\ude00").status, "absent");
  assert.equal(match("smile \ud83d\ude00 end", "\ud83d").status, "absent");
  assert.equal(look("smile \ud83d\ude00 end", "\ud83d\ude00 end"), "exact [\ud83d\ude00 end]");
  assert.equal(look("lone \ud83d half", "\ud83d half"), "exact [\ud83d half]");
});

test("every exact place is listed and counted", () => {
  const found = match("go home, go away, go on", "go");
  assert.equal(found.status, "ambiguous");
  assert.equal(found.count, 3);
  assert.deepEqual(found.places.map((place) => place.pieces[0]!.start), [0, 9, 18]);
  assert.equal(found.current, 0);
});

test("too many places are counted and not all listed", () => {
  const found = match("ab".repeat(700), "ab");
  assert.equal(found.count, 700);
  assert.equal(found.places.length, 500);
});

test("places as written leave out those that only normalise to the quote", () => {
  check([["as it is; as  it  is", "as it is", "exact [as it is]"]]);
});
