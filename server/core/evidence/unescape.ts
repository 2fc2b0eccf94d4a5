/** Undoes one level of JSON string escapes and HTML character references: what a text looked like before it was quoted. */

import { TextEditor } from "./mapped-text";
import type { MappedText } from "./mapped-text";

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|&(?:lt|gt|amp|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});/g;

const JSON_LETTERS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const HTML_NAMES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decodes every escape that stands in the text; anything that is no whole escape stays as it is. */
export function unescapeText(below: MappedText): MappedText {
  const { text } = below;
  if (!text.includes("\\") && !text.includes("&")) return below;
  const editor = new TextEditor(below);
  ESCAPE.lastIndex = 0;
  for (let match = ESCAPE.exec(text); match !== null; match = ESCAPE.exec(text)) {
    editor.replace(match.index, match[0].length, decoded(match[0]));
  }
  return editor.finish();
}

function decoded(escape: string): string {
  if (escape.startsWith("\\")) {
    const letter = escape.charAt(1);
    if (letter === "u") return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
    return JSON_LETTERS[letter] ?? letter;
  }
  const name = escape.slice(1, -1);
  if (!name.startsWith("#")) return HTML_NAMES[name] ?? escape;
  const hex = name.charAt(1) === "x" || name.charAt(1) === "X";
  const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : escape;
}
