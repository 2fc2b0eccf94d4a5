/** Counting Unicode code points in JavaScript strings; a lone surrogate counts one, as the label files say. */

/** Code points in `text` from UTF-16 offset `start` to `end`. A pair cut by an end counts one on that side. */
export function codePointsBetween(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; count++) at += isPair(text, at) && at + 1 < end ? 2 : 1;
  return count;
}

/** The UTF-16 offset of code point `index`, or -1 when the text has fewer. The end of the text is a place. */
export function codePointToUtf16(text: string, index: number): number {
  if (index < 0) return -1;
  let at = 0;
  for (let count = 0; count < index; count++) {
    if (at >= text.length) return -1;
    at += isPair(text, at) ? 2 : 1;
  }
  return at;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
