/** Cuts a quote for a finding: verbatim, from one part, long enough to be found again and short enough to read. */

const shortEnough = 240;
const longest = 300;

/**
 * The quote for [start, end) of `text` (UTF-16 offsets): the whole line when it is short, else the stretch itself,
 * else its beginning. Never begins or ends in the middle of a surrogate pair, never with white space.
 */
export function quoteFor(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", Math.max(start, end - 1));
  const lineEnd = next < 0 ? text.length : next;
  const whole = lineEnd - lineStart <= shortEnough && lineEnd >= end;
  let from = whole ? lineStart : start;
  let to = whole ? lineEnd : Math.min(end, start + longest);
  if (isLow(text, from)) from++;
  if (to < text.length && isLow(text, to)) to--;
  const quote = text.slice(from, to).trim();
  return quote !== "" ? quote : text.slice(start, end).trim();
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
