/**
 * The words of a text alone: lower case, one space between, no punctuation. Searching it finds a passage whose letter
 * case or punctuation was changed, and words in it are cheap to count.
 */

import { TextEditor } from "./mapped-text";
import type { MappedText } from "./mapped-text";

// A word keeps its inner apostrophes; digits are a word of their own ("a60" is "a 60").
const ASCII_WORD = /[a-z]+(?:'[a-z]+)*|[0-9]+/gi;
const SPACED_WORD = /(?:\p{L}\p{M}*)+(?:'(?:\p{L}\p{M}*)+)*|\p{N}+/gu;

// Scripts written without spaces give a word a letter.
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}";
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const ANY_WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])\\p{L}\\p{M}*)+(?:'(?:(?![${UNSPACED}])\\p{L}\\p{M}*)+)*|\\p{N}+`, "gu");

function wordPattern(text: string): RegExp {
  // eslint-disable-next-line no-control-regex -- the range is all of ASCII
  if (/^[\0-\x7f]*$/.test(text)) return ASCII_WORD;
  return HAS_UNSPACED.test(text) ? ANY_WORD : SPACED_WORD;
}

/**
 * Words with a space before the first, between any two, and after the last, so that ` word ` finds whole words only.
 * A text without any word gives a single space.
 */
export function wordForm(below: MappedText): MappedText {
  const { text } = below;
  const editor = new TextEditor(below);
  const word = wordPattern(text);
  let end = 0;
  word.lastIndex = 0;
  for (let match = word.exec(text); match !== null; match = word.exec(text)) {
    separate(editor, text, end, match.index);
    const lower = match[0].toLowerCase();
    if (lower !== match[0]) editor.replace(match.index, match[0].length, lower);
    end = match.index + match[0].length;
  }
  separate(editor, text, end, text.length);
  return editor.finish();
}

function separate(editor: TextEditor, text: string, from: number, to: number): void {
  if (to - from !== 1 || text.charAt(from) !== " ") editor.replace(from, to - from, " ");
}
