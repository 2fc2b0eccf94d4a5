/** Windows: a part's text cut into stretches small enough to be one row of the virtual list. */
import { scan } from "./scan";
import { plainSgr, type Sgr } from "./sgr";

const maxLines = 40;
const maxLength = 5000;
/** Escape sequences in one window; each may cost an element. */
const maxEscapes = 50;

/** `start` and `end` are UTF-16 offsets in the part's text; `lines` counts drawn lines before wrapping; `sgr` is the colour state at its start. */
export interface PlainWindow { readonly kind: "plain"; readonly start: number; readonly end: number; readonly lines: number; readonly sgr: Sgr }

/** Never between the halves of a surrogate pair. */
function safeCut(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function escapesIn(text: string, start: number, end: number, limit: number): number {
  let n = 0;
  for (let at = text.indexOf("\x1b", start); at >= 0 && at < end && n <= limit; at = text.indexOf("\x1b", at + 1)) n++;
  return n;
}

/** The last line end before the `limit`-th escape sequence after `start`, else where that sequence begins, or `end`. */
function cutAtEscape(text: string, start: number, end: number, limit: number): number {
  let at = start;
  for (let n = 0; n <= limit; n++) {
    at = text.indexOf("\x1b", at + 1);
    if (at < 0 || at >= end) return end;
  }
  const feed = text.lastIndexOf("\n", at);
  return feed > start ? feed + 1 : at;
}

/** Cuts `text` from `start` to `end` at line ends, and inside lines only where one line alone is too long. */
export function plainWindows(text: string, start = 0, end = text.length): PlainWindow[] {
  const windows: PlainWindow[] = [];
  const colored = text.indexOf("\x1b", start) >= 0;
  let sgr: Sgr = plainSgr;
  for (let at = start; at < end; ) {
    const from = at;
    let lines = 0;
    while (at < end && lines < maxLines && at - from < maxLength) {
      const feed = text.indexOf("\n", at);
      const next = feed < 0 || feed >= end ? end : feed + 1;
      if (next - from > maxLength + 1000) {
        // Too long for this window: whole lines so far, or a piece of the one long line.
        if (lines > 0) break;
        at = safeCut(text, from + maxLength);
        lines = 1;
        break;
      }
      at = next;
      lines++;
    }
    if (colored && escapesIn(text, from, at, maxEscapes) > maxEscapes) at = cutAtEscape(text, from, at, maxEscapes);
    windows.push({ kind: "plain", start: from, end: at, lines, sgr });
    if (colored) sgr = scan(text, from, at, sgr).sgr;
  }
  if (windows.length === 0) windows.push({ kind: "plain", start, end, lines: 1, sgr });
  return windows;
}

/** Number of lines of a text: its line feeds, and one more unless it ends with one. */
export function countLines(text: string, start = 0, end = text.length): number {
  if (end <= start) return 0;
  let lines = 0;
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines + (text[end - 1] === "\n" ? 0 : 1);
}
