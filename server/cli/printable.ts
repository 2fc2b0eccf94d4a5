/** Makes recorded text safe for a terminal: nothing in it may move the cursor, change colours or reverse the reading direction. */

const controlPictures = 0x2400;

/** Control characters as their pictures (␛, ␀ …) except line feed and tab; bidirectional and invisible marks as <U+XXXX>. */
export function printable(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCharCode(controlPictures + c.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

/** At most `lines` lines of `width` characters, indented; says how much is not shown. */
export function excerpt(text: string, indent: string, lines = 12, width = 400): string {
  const all = printable(text).split("\n");
  const shown = all.slice(0, lines).map((line) => indent + (line.length > width ? `${line.slice(0, width)} … (${line.length - width} more characters)` : line));
  if (all.length > lines) shown.push(`${indent}… ${all.length - lines} more lines (${text.length} characters in all)`);
  return shown.join("\n");
}
