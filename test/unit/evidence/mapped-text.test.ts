import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedText, TextEditor } from "#core/evidence/mapped-text";
import { Form, formsOfPart, wordsOf } from "#core/evidence/part-forms";
import { awkwardText, pick, seeded } from "./random";

test("a range of an edited text leads back to what it was made of", () => {
  const below = recordedText("aaXbbYYcc");
  const editor = new TextEditor(below);
  editor.replace(2, 1, "");
  editor.replace(5, 2, "y");
  const edited = editor.finish();
  assert.equal(edited.text, "aabbycc");
  // Dropped characters just outside stay outside; inside they belong to the range.
  assert.deepEqual(edited.toSource(0, 2), { start: 0, end: 2 });
  assert.deepEqual(edited.toSource(2, 4), { start: 3, end: 5 });
  assert.deepEqual(edited.toSource(1, 3), { start: 1, end: 4 });
  assert.deepEqual(edited.toSource(4, 5), { start: 5, end: 7 });
  assert.deepEqual(edited.toSource(0, 7), { start: 0, end: 9 });
});

test("no edit, no copy", () => {
  const below = recordedText("as it is");
  assert.equal(new TextEditor(below).finish(), below);
});

test("edits that keep the length change the text and no offset", () => {
  const editor = new TextEditor(recordedText("a\nb\nc"));
  editor.replace(1, 1, " ");
  editor.replace(3, 1, " ");
  const edited = editor.finish();
  assert.equal(edited.text, "a b c");
  assert.deepEqual(edited.toSource(2, 5), { start: 2, end: 5 });
});

test("inserted characters take no room in the text below", () => {
  const editor = new TextEditor(recordedText("a60"));
  editor.replace(1, 0, " ");
  const edited = editor.finish();
  assert.equal(edited.text, "a 60");
  assert.deepEqual(edited.toSource(0, 1), { start: 0, end: 1 });
  assert.deepEqual(edited.toSource(2, 4), { start: 1, end: 3 });
});

test("the forms of a part undo escapes, marks, JSON space and folds in that order", () => {
  const part = { kind: "text", text: "*It\u2019s*\\n  {\"a\" :  1}" } as const;
  const forms = formsOfPart(part);
  const form = forms.form(Form.UNESCAPE | Form.MARKS | Form.JSON_SPACE | Form.FOLD);
  assert.equal(form.text, "It's {\"a\":1}");
  assert.deepEqual(form.toSource(0, 4), { start: 1, end: 5 });
  assert.deepEqual(form.toSource(5, 12), { start: 10, end: 20 });
  assert.equal(forms.form(Form.UNESCAPE | Form.MARKS | Form.JSON_SPACE | Form.FOLD), form);
  assert.equal(formsOfPart(part), forms);
  assert.equal(wordsOf(forms).text, " it's a 1 ");
});

test("ranges of every form grow with the text and never run backwards", () => {
  const random = seeded(3);
  for (let round = 0; round < 200; round += 1) {
    const text = awkwardText(random, 1 + pick(random, 60));
    const forms = formsOfPart({ text, kind: "text" });
    for (const wanted of [Form.FOLD, Form.FOLD | Form.UNESCAPE, Form.FOLD | Form.MARKS | Form.JSON_SPACE, Form.FOLD | Form.UNESCAPE | Form.WORDS]) {
      const form = forms.form(wanted);
      let before = 0;
      for (let at = 0; at < form.text.length; at += 1) {
        const range = form.toSource(at, at + 1);
        assert.ok(range.start >= before && range.end >= range.start && range.end <= text.length, `round ${round}, form ${wanted}, at ${at}`);
        before = range.start;
      }
    }
  }
});
