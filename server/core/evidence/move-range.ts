/** Moves a range from an older text to a newer one by what changed between them: kept words carry it along. */

import { diffArrays } from "diff";
import type { Range } from "./mapped-text";

const TOKEN = /[\s\u0085]+|[\p{L}\p{M}\p{N}_]+|[^]/gu;

// Tokens put in or taken out between the two texts, beyond which a range is not moved.
const MOST_EDITS = 1000;

/**
 * Where `range` of `before` lies in `after`, both UTF-16: from its first kept token to its last. Undefined when nothing
 * of it was kept, or when the texts differ in more tokens than the bound.
 */
export function moveRange(before: string, after: string, range: Range): Range | undefined {
  const head = sharedStart(before, after);
  const tail = sharedEnd(before, after, head);
  const from = { start: range.start - head, end: range.end - head };
  const length = before.length - head - tail;
  const shift = after.length - before.length;
  if (from.end <= 0) return range;
  if (from.start >= length) return { start: range.start + shift, end: range.end + shift };
  const changes = diffArrays(tokens(before.slice(head, before.length - tail)), tokens(after.slice(head, after.length - tail)), { maxEditLength: MOST_EDITS });
  if (changes === undefined) return undefined;
  let inBefore = 0;
  let inAfter = 0;
  let start = from.start < 0 ? range.start : -1;
  let end = from.start < 0 ? head : -1;
  for (const change of changes) {
    for (const token of change.value) {
      const isKept = !change.added && !change.removed;
      if (isKept && inBefore < from.end && inBefore + token.length > from.start) {
        if (start < 0) start = head + inAfter + Math.max(0, from.start - inBefore);
        end = head + inAfter + Math.min(token.length, from.end - inBefore);
      }
      if (!change.added) inBefore += token.length;
      if (!change.removed) inAfter += token.length;
    }
  }
  if (from.end > length) {
    if (start < 0) start = after.length - tail;
    end = range.end + shift;
  }
  return trimmed(after, start, end);
}

/** The range without white space at its ends, undefined when nothing is left. */
function trimmed(text: string, start: number, end: number): Range | undefined {
  if (start < 0 || end <= start) return undefined;
  const slice = text.slice(start, end);
  const from = start + slice.length - slice.trimStart().length;
  const to = end - slice.length + slice.trimEnd().length;
  return from < to ? { start: from, end: to } : undefined;
}

function tokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Length of the common beginning, up to a word's start. */
function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  while (i > 0 && i < most && !/\s/.test(a.charAt(i - 1))) i -= 1;
  return i;
}

/** Length of the common end behind `head`, down to a word's end. */
function sharedEnd(a: string, b: string, head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let i = 0;
  while (i < most && a.charCodeAt(a.length - 1 - i) === b.charCodeAt(b.length - 1 - i)) i += 1;
  while (i > 0 && i < most && !/\s/.test(a.charAt(a.length - i))) i -= 1;
  return i;
}
