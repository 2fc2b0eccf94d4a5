/** Cuts recorded text into pieces to draw: verbatim stretches, and visible marks for what must never act or hide. */
import { applySgr, plainSgr, sgrClasses, type Sgr } from "./sgr";

/** `start` and `end` are UTF-16 offsets in the part's text. A stretch that is in no piece (a colour code, the CR of CRLF) draws nothing. */
export type Piece =
  | { readonly kind: "text"; readonly start: number; readonly end: number; readonly className: string }
  | { readonly kind: "glyph"; readonly start: number; readonly end: number; readonly glyph: string; readonly title: string };

/*
 * What is not drawn as it is: escape sequences (CSI, OSC and other strings, two-character ones, a lone ESC), C0 and C1
 * controls but tab and line feed, characters that reorder or hide text (bidi controls, zero-width ones but the joiners that
 * scripts and emoji need, line separators, soft hyphen, tag characters), and halves of surrogate pairs.
 */
// eslint-disable-next-line no-control-regex
const special = /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const controls = ["NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"];

const names: Record<string, string> = {
  "\x7f": "DEL", "\x85": "NEL", "\xad": "SHY", "\u061c": "ALM", "\u200b": "ZWSP", "\u200e": "LRM", "\u200f": "RLM",
  "\u2028": "LS", "\u2029": "PS", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
  "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
};

const hex = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;

function glyphFor(found: string): { glyph: string; title: string } {
  const code = found.codePointAt(0)!;
  if (code === 0x1b) {
    const shown = found.slice(1, 40).replace(/[^ -~]/g, "·");
    return { glyph: "ESC", title: found.length > 1 ? `Escape sequence ESC ${shown}` : "ESC" };
  }
  if (code < 0x20) return { glyph: controls[code] ?? hex(code), title: hex(code) };
  if (code >= 0xd800 && code <= 0xdfff) return { glyph: "\ufffd", title: `Lone surrogate ${hex(code)}` };
  if (code >= 0xe0000 && code < 0xe0080) return { glyph: `tag ${String.fromCharCode(code - 0xe0000)}`, title: hex(code) };
  return { glyph: names[found] ?? hex(code), title: hex(code) };
}

/** One line of plain words for a label: no escape sequences, no controls, single spaces. */
export function plainWords(text: string): string {
  return text.replace(special, "").replace(/\s+/g, " ").trim();
}

/** Whether any of the text needs more than one verbatim piece. */
export function isPlain(text: string): boolean {
  special.lastIndex = 0;
  return !special.test(text);
}

/** The pieces of `text` from `start` to `end`, beginning in colour state `sgr`, and the state at the end. */
export function scan(text: string, start: number, end: number, sgr: Sgr = plainSgr): { pieces: Piece[]; sgr: Sgr } {
  const pieces: Piece[] = [];
  let state = sgr;
  let at = start;
  const verbatim = (to: number) => {
    if (to > at) pieces.push({ kind: "text", start: at, end: to, className: sgrClasses(state) });
  };
  // The slice keeps the search from running to the end of a very long text.
  const slice = start === 0 && end === text.length ? text : text.slice(start, end);
  special.lastIndex = 0;
  for (let match = special.exec(slice); match; match = special.exec(slice)) {
    const from = start + match.index;
    const to = from + match[0].length;
    const isCrlf = match[0] === "\r" && text[to] === "\n";
    verbatim(from);
    if (match[2] === "m" && !/[<=>?]/.test(match[1]!)) state = applySgr(state, match[1]!);
    else if (!isCrlf) pieces.push({ kind: "glyph", start: from, end: to, ...glyphFor(match[0]) });
    at = to;
    if (match[0].length === 0) special.lastIndex++;
  }
  verbatim(end);
  return { pieces, sgr: state };
}
