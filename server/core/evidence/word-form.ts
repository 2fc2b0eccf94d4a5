/**
 * The words of a text alone: lower case, one space between, no punctuation. Searching it finds a passage whose letter
 * case or punctuation was changed, and words in it are cheap to count.
 */

import { TextEditor } from "./mapped-text";
import type { MappedText } from "./mapped-text";

// What a character is to a word. A letter of a script written without spaces is a word of its own.
const UNKNOWN = 0;
const OTHER = 1;
const LETTER = 2;
const DIGIT = 3;
const MARK = 4;
const ALONE = 5;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

// Classes of the UTF-16 units met so far. It only remembers what the expressions say, since asking them each time is slow.
const classes = new Uint8Array(0x10000);

function classOf(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const known = classes[unit]!;
  if (known !== UNKNOWN) return known;
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(String.fromCodePoint(text.codePointAt(at)!));
  return (classes[unit] = classify(String.fromCharCode(unit)));
}

function classify(character: string): number {
  if (/\p{M}/u.test(character)) return MARK;
  if (/\p{N}/u.test(character)) return DIGIT;
  if (!/\p{L}/u.test(character)) return OTHER;
  return UNSPACED.test(character) ? ALONE : LETTER;
}

/**
 * Words with a space before the first, between any two, and after the last, so that ` word ` finds whole words only.
 * A word keeps its inner apostrophes; digits are a word of their own (`a60` is `a 60`). A text without any word gives a
 * single space.
 */
export function wordForm(below: MappedText): MappedText {
  const { text } = below;
  const editor = new TextEditor(below);
  let end = 0;
  for (let at = 0; at < text.length; ) {
    const kind = classOf(text, at);
    if (kind === OTHER || kind === MARK) {
      at += width(text, at);
      continue;
    }
    separate(editor, text, end, at);
    end = wordEnd(text, at, kind);
    const word = text.slice(at, end);
    const lower = word.toLowerCase();
    if (lower !== word) editor.replace(at, word.length, lower);
    at = end;
  }
  separate(editor, text, end, text.length);
  return editor.finish();
}

function wordEnd(text: string, start: number, kind: number): number {
  let at = start + width(text, start);
  for (; at < text.length; at += width(text, at)) {
    const next = classOf(text, at);
    if (next === MARK || (next === kind && kind !== ALONE)) continue;
    const apostrophe = kind === LETTER && text.charCodeAt(at) === 0x27 && at + 1 < text.length && classOf(text, at + 1) === LETTER;
    if (!apostrophe) break;
  }
  return at;
}

/** Units of the code point at `at`: 2 for a surrogate pair. */
function width(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff && text.codePointAt(at)! > 0xffff ? 2 : 1;
}

function separate(editor: TextEditor, text: string, from: number, to: number): void {
  if (to - from !== 1 || text.charAt(from) !== " ") editor.replace(from, to - from, " ");
}
