/**
 * Finds the paired marks of Markdown emphasis and code (`*`, `_`, `~~`, backticks) that a reader of the rendered text
 * does not see. The rules are narrower than CommonMark's on purpose: a star or underscore that may be a glob, a product,
 * a pointer or part of a name is left alone, for dropping it would change what was said.
 */

import { TextEditor } from "./mapped-text";
import type { MappedText, Range } from "./mapped-text";

/** What was found in a text, in its UTF-16 offsets and in order. */
export interface MarkdownMarks {
  /** Both halves of every pair. */
  readonly marks: readonly Range[];
  /** The inside of code spans and fenced blocks, where no emphasis is. */
  readonly code: readonly Range[];
}

/** A run of one mark character. `left` of its marks are in no pair. */
interface Run {
  readonly at: number;
  readonly length: number;
  /** Which run of its paragraph it is. */
  readonly index: number;
  left: number;
}

/** Marks of two runs that belong together, `length` at the end of one and at the start of the other. */
interface Pair {
  readonly opener: Run;
  readonly closer: Run;
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** Marks and code of a whole text; linear in its length. */
export function findMarkdownMarks(text: string): MarkdownMarks {
  const marks: Range[] = [];
  const code: Range[] = [];
  if (!/[*_~`]/.test(text)) return { marks, code };
  let from = 0;
  for (const fence of fencedBlocks(text)) {
    scanProse(text, from, fence.start, marks, code);
    code.push(fence);
    from = fence.end;
  }
  scanProse(text, from, text.length, marks, code);
  marks.sort((a, b) => a.start - b.start);
  return { marks, code };
}

/** The text without its paired marks. */
export function dropMarks(below: MappedText): MappedText {
  const editor = new TextEditor(below);
  for (const mark of findMarkdownMarks(below.text).marks) editor.replace(mark.start, mark.end - mark.start, "");
  return editor.finish();
}

/** Blocks between ``` or ~~~ lines, the fence lines included; one that is never closed goes to the end. */
function fencedBlocks(text: string): Range[] {
  const blocks: Range[] = [];
  const fence = /^[ \t]*(`{3,}|~{3,})([^`\n]*)$/gm;
  let open: { start: number; mark: string } | undefined;
  for (let match = fence.exec(text); match !== null; match = fence.exec(text)) {
    const mark = match[1]!;
    if (open === undefined) open = { start: match.index, mark };
    else if (mark.charAt(0) === open.mark.charAt(0) && mark.length >= open.mark.length && match[2]!.trim() === "") {
      blocks.push({ start: open.start, end: match.index + match[0].length });
      open = undefined;
    }
  }
  if (open !== undefined) blocks.push({ start: open.start, end: text.length });
  return blocks;
}

/** Reads a stretch without fences, paragraph by paragraph: a pair never spans a blank line. */
function scanProse(text: string, from: number, to: number, marks: Range[], code: Range[]): void {
  const delimiter = /`+|\*+|_+|~+|\n[ \t\r]*\n/g;
  delimiter.lastIndex = from;
  let runs: Run[] = [];
  for (let match = delimiter.exec(text); match !== null && match.index < to; match = delimiter.exec(text)) {
    if (match[0].startsWith("\n")) {
      pairParagraph(text, runs, marks, code);
      runs = [];
    } else runs.push({ at: match.index, length: match[0].length, index: runs.length, left: match[0].length });
  }
  pairParagraph(text, runs, marks, code);
}

function pairParagraph(text: string, runs: readonly Run[], marks: Range[], code: Range[]): void {
  if (runs.length < 2) return;
  const openers: Record<string, Run[]> = { "*": [], _: [], "~": [] };
  const pairs: Pair[] = [];
  const unclosed = new Set<number>();
  for (let i = 0; i < runs.length; i += 1) {
    const run = runs[i]!;
    if (text.charAt(run.at) !== "`") {
      pairEmphasis(text, run, openers, pairs);
      continue;
    }
    // Code may end inside a word (`id`s), but does not begin there.
    const isInWord = isWord(text.charAt(run.at - 1));
    const close = isInWord || unclosed.has(run.length) ? -1 : closingTicks(text, runs, i);
    if (close < 0) {
      if (!isInWord) unclosed.add(run.length);
      continue;
    }
    const end = runs[close]!;
    marks.push({ start: run.at, end: run.at + run.length }, { start: end.at, end: end.at + end.length });
    code.push({ start: run.at + run.length, end: end.at });
    for (const inside of runs.slice(i, close + 1)) inside.left = 0;
    i = close;
  }
  for (const pair of pairs) {
    if (holdsLooseMark(text, runs, pair)) {
      pair.opener.left += pair.length;
      pair.closer.left += pair.length;
    } else marks.push({ start: pair.start, end: pair.start + pair.length }, { start: pair.end, end: pair.end + pair.length });
  }
}

// A pair with more runs inside than this is taken for none.
const MOST_INSIDE = 50;

/**
 * Whether the same mark stands alone inside a pair, close to a word: then these are operators or globs. Pairs inside
 * are judged before those around them.
 */
function holdsLooseMark(text: string, runs: readonly Run[], { opener, closer }: Pair): boolean {
  if (closer.index - opener.index > MOST_INSIDE) return true;
  const mark = text.charAt(opener.at);
  return runs.slice(opener.index + 1, closer.index).some((run) => {
    if (run.left === 0 || text.charAt(run.at) !== mark) return false;
    return !isSpace(text.charAt(run.at - 1)) || !isSpace(text.charAt(run.at + run.length));
  });
}

/** Index of the next run of as many backticks, -1 if the paragraph has none. */
function closingTicks(text: string, runs: readonly Run[], open: number): number {
  for (let i = open + 1; i < runs.length; i += 1) {
    if (runs[i]!.length === runs[open]!.length && text.charAt(runs[i]!.at) === "`") return i;
  }
  return -1;
}

// How many openers back a closing run looks for one of its own length.
const OPENERS_BACK = 8;

function pairEmphasis(text: string, run: Run, openers: Record<string, Run[]>, pairs: Pair[]): void {
  const mark = text.charAt(run.at);
  const stack = openers[mark]!;
  if (run.length > (mark === "~" ? 2 : 3) || (mark === "~" && run.length !== 2)) return;
  while (run.left > 0 && stack.length > 0 && canClose(text, run)) {
    const found = openerFor(stack, run.left);
    if (found < 0) break;
    const opener = stack[found]!;
    if (isNameOrGlob(text, opener, run)) {
      stack.length = found;
      return;
    }
    const length = Math.min(opener.left, run.left);
    pairs.push({ opener, closer: run, start: opener.at + opener.left - length, end: run.at + run.length - run.left, length });
    opener.left -= length;
    run.left -= length;
    stack.length = opener.left > 0 ? found + 1 : found;
    for (const other of Object.values(openers)) {
      while (other !== stack && other.length > 0 && other[other.length - 1]!.at > opener.at) other.pop();
    }
  }
  if (run.left === run.length && canOpen(text, run)) stack.push(run);
}

/** Index of the nearest opener that a closing run of `left` marks may end, -1 if none. */
function openerFor(stack: readonly Run[], left: number): number {
  const last = Math.max(0, stack.length - OPENERS_BACK);
  for (let i = stack.length - 1; i >= last; i -= 1) {
    const opener = stack[i]!;
    if (opener.left === left || opener.left === 3 || left === 3) return i;
  }
  return -1;
}

// Letters of scripts that write no spaces may touch a mark on both sides.
const WORD = /[\p{L}\p{N}]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function isWord(character: string): boolean {
  return WORD.test(character) && !UNSPACED.test(character);
}

function isSpace(character: string): boolean {
  return character === "" || /\s/.test(character);
}

function canOpen(text: string, run: Run): boolean {
  const before = text.charAt(run.at - 1);
  const after = text.charAt(run.at + run.length);
  if (isSpace(after) || "/\\,;:!?)]}=+".includes(after)) return false;
  if (run.length === 1 && (after === "." || before === ".")) return false;
  if (before !== "" && (isWord(before) || "/\\=+%&#@^<$)]}".includes(before))) return false;
  return !(run.length === 1 && text.charAt(run.at) === "*" && isAfterShellWord(text, run.at));
}

function canClose(text: string, run: Run): boolean {
  const before = text.charAt(run.at - 1);
  const after = text.charAt(run.at + run.length);
  if (isSpace(before) || "/\\([{=+<".includes(before)) return false;
  if (after === "") return true;
  if (isWord(after) || "/\\=+%&#@^$([{".includes(after)) return false;
  return !(after === "." && isWord(text.charAt(run.at + run.length + 1)));
}

// Words that begin a command line and are no English words; after them, or after an option, a star is a glob.
const SHELL_WORD = /(?:^|[\s;&|(])(?:-[\w-]+|rm|rmdir|ls|cp|mv|chmod|chown|grep|rg|tar|scp|rsync|del)[ \t]+$/;

function isAfterShellWord(text: string, at: number): boolean {
  return SHELL_WORD.test(text.slice(Math.max(0, at - 40), at));
}

/** `__init__` and `"*log*"`: a name or a glob, not emphasis. */
function isNameOrGlob(text: string, opener: Run, run: Run): boolean {
  const mark = text.charAt(opener.at);
  const inside = text.slice(opener.at + opener.left, run.at);
  if (mark === "_" && opener.left >= 2) return /^[a-z][a-z0-9_]*$/.test(inside);
  if (mark !== "*" || opener.left !== 1) return false;
  const before = text.charAt(opener.at - 1);
  return (before === '"' || before === "'") && before === text.charAt(run.at + run.length);
}
