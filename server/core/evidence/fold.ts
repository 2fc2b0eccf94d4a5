/**
 * The differences that never matter: a run of white space is one space, quotation marks are straight, every kind of
 * dash is a hyphen, and characters are composed (NFC).
 */

import { TextEditor } from "./mapped-text";
import type { MappedText } from "./mapped-text";

/** White space as JavaScript sees it, and NEL. */
export const WHITE_SPACE = "\\s\\u0085";

// A single plain space is the one white space that stays as it is, so it is no edit.
const FOLDABLE = new RegExp(
  `[${WHITE_SPACE}]{2,}|[\\t-\\r\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]` +
    "|[\\u2018-\\u201b]|[\\u201c-\\u201f]|[\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d]",
  "g",
);

/** Folds white space, quotation marks and dashes of a text that is composed already. */
export function foldCharacters(below: MappedText): MappedText {
  const { text } = below;
  const editor = new TextEditor(below);
  FOLDABLE.lastIndex = 0;
  for (let match = FOLDABLE.exec(text); match !== null; match = FOLDABLE.exec(text)) {
    editor.replace(match.index, match[0].length, folded(match[0]));
  }
  return editor.finish();
}

function folded(found: string): string {
  const code = found.charCodeAt(0);
  if (code >= 0x2018 && code <= 0x201b) return "'";
  if (code >= 0x201c && code <= 0x201f) return '"';
  const dash = (code >= 0x2010 && code <= 0x2015) || code === 0x2212 || code === 0xfe58 || code === 0xfe63 || code === 0xff0d;
  return dash ? "-" : " ";
}

// A base with its combining marks; Korean letters that join; then every character that may be written as another one.
const COMPOSABLE = /\P{M}\p{M}+|[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff][\u1160-\u11ff\ud7b0-\ud7ff]+|[\u0340-\u0387\u0958-\u0fff\u1f71-\u1fff\u2126-\u232a\u2adc\uf900-\ufb4f]|[\u{1d15e}-\u{1d1c0}\u{2f800}-\u{2fa1d}]/gu;

/** Composes characters (NFC), keeping for each composed one the range it was made of. */
export function compose(below: MappedText): MappedText {
  const { text } = below;
  if (text.normalize("NFC") === text) return below;
  const editor = new TextEditor(below);
  COMPOSABLE.lastIndex = 0;
  for (let match = COMPOSABLE.exec(text); match !== null; match = COMPOSABLE.exec(text)) {
    const composed = match[0].normalize("NFC");
    if (composed !== match[0]) editor.replace(match.index, match[0].length, composed);
  }
  return editor.finish();
}
