/** Finds the file edits that a tool call makes, as diff lines whose every character stands in the call's recorded text. */
import { diffArrays, diffWordsWithSpace } from "diff";
import type { Part } from "#core/trajectory/model";
import { argumentRanges, type ArgumentRange } from "./arguments";

/**
 * One line of a shown edit. `start` and `end` are UTF-16 offsets of the part, line end left out. Signs: kept, added, removed,
 * "@" a header of a patch, "#" text of the call around the edit. `words` are the changed stretches inside a changed line.
 */
export interface DiffLine {
  readonly sign: " " | "+" | "-" | "@" | "#";
  readonly start: number;
  readonly end: number;
  readonly words?: readonly { readonly start: number; readonly end: number }[];
  /** The sign is the first character of the text itself, as in a patch. */
  readonly hasSign?: boolean;
}

export interface Edit { readonly path?: string | undefined; readonly lines: readonly DiffLine[] }

const oldKeys = ["old_str", "old_string", "old_text", "search"];
const newKeys = ["new_str", "new_string", "new_text", "replace"];
const wholeKeys = ["file_text", "content", "contents", "new_str", "new_string"];
const pathKeys = ["path", "file_path", "filename", "file", "target_file"];
const patchKeys = ["patch", "input", "diff", "command", "cmd", "code"];

const pick = (ranges: readonly ArgumentRange[], keys: readonly string[]) => ranges.find((range) => range.isText && keys.includes(range.key));

/** Lines of `text` from `start` to `end`, without their line ends; nothing for an empty stretch. */
function linesBetween(text: string, start: number, end: number): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  for (let at = start; at < end; ) {
    const feed = text.indexOf("\n", at);
    const to = feed < 0 || feed >= end ? end : feed;
    lines.push({ start: at, end: to });
    at = to + 1;
  }
  return lines;
}

const signed = (sign: DiffLine["sign"], lines: readonly { start: number; end: number }[]): DiffLine[] => lines.map((line) => ({ sign, ...line }));

/** Removed and added lines of two stretches. Where the difference takes too long, all old lines and then all new ones. */
function replacement(text: string, before: ArgumentRange, after: ArgumentRange): DiffLine[] {
  const old = linesBetween(text, before.start, before.end);
  const fresh = linesBetween(text, after.start, after.end);
  const words = (lines: typeof old) => lines.map((line) => text.slice(line.start, line.end));
  const changes = diffArrays(words(old), words(fresh), { timeout: 150 });
  if (!changes) return [...signed("-", old), ...signed("+", fresh)];
  const lines: DiffLine[] = [];
  let atOld = 0;
  let atNew = 0;
  for (const change of changes) {
    const count = change.value.length;
    if (change.removed) lines.push(...signed("-", old.slice(atOld, (atOld += count))));
    else if (change.added) lines.push(...signed("+", fresh.slice(atNew, (atNew += count))));
    else {
      lines.push(...signed(" ", fresh.slice(atNew, (atNew += count))));
      atOld += count;
    }
  }
  return markWords(text, lines);
}

/** Adds the changed words where a run of removed lines is followed by as many added ones. */
function markWords(text: string, lines: DiffLine[]): DiffLine[] {
  const marked = [...lines];
  for (let i = 0; i < lines.length; ) {
    let removed = 0;
    while (lines[i + removed]?.sign === "-") removed++;
    let added = 0;
    while (lines[i + removed + added]?.sign === "+") added++;
    if (removed > 0 && removed === added) {
      for (let n = 0; n < removed; n++) {
        const pair = wordPair(text, lines[i + n]!, lines[i + removed + n]!);
        if (pair) [marked[i + n], marked[i + removed + n]] = pair;
      }
    }
    i += Math.max(1, removed + added);
  }
  return marked;
}

function wordPair(text: string, old: DiffLine, fresh: DiffLine): [DiffLine, DiffLine] | undefined {
  const a = text.slice(old.start, old.end);
  const b = text.slice(fresh.start, fresh.end);
  if (a.length > 600 || b.length > 600) return undefined;
  const changes = diffWordsWithSpace(a, b, { timeout: 20 });
  // Lines that share little are clearer without words picked out.
  if (!changes || changes.reduce((sum, c) => sum + (c.added || c.removed ? 0 : c.value.length), 0) * 3 < Math.max(a.length, b.length)) return undefined;
  const oldWords: { start: number; end: number }[] = [];
  const newWords: { start: number; end: number }[] = [];
  let atOld = old.start;
  let atNew = fresh.start;
  for (const { value, added, removed } of changes) {
    if (removed) oldWords.push({ start: atOld, end: (atOld += value.length) });
    else if (added) newWords.push({ start: atNew, end: (atNew += value.length) });
    else [atOld, atNew] = [atOld + value.length, atNew + value.length];
  }
  return [{ ...old, words: oldWords }, { ...fresh, words: newWords }];
}

const patchHeader = /^(\*\*\* |diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ |@@|new file mode|deleted file mode|rename |similarity )/;

/** Lines of a patch (unified, or between "*** Begin Patch" and its end); text around it is "#". */
function patchLines(text: string, range: { start: number; end: number }): { lines: DiffLine[]; path: string | undefined } | undefined {
  const value = text.slice(range.start, range.end);
  if (!/^\*\*\* Begin Patch$/m.test(value) && !(/^--- \S/m.test(value) && /^\+\+\+ \S/m.test(value) && /^@@/m.test(value))) return undefined;
  let inside = false;
  let path: string | undefined;
  const lines = linesBetween(text, range.start, range.end).map((line): DiffLine => {
    const content = text.slice(line.start, line.end);
    if (patchHeader.test(content)) {
      inside = !content.startsWith("*** End Patch");
      path ??= /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/.exec(content)?.[1];
      return { sign: "@", ...line, hasSign: true };
    }
    if (inside && content[0] === "+") return { sign: "+", ...line, hasSign: true };
    if (inside && content[0] === "-") return { sign: "-", ...line, hasSign: true };
    inside &&= content[0] === " " || content === "";
    return { sign: inside ? " " : "#", ...line, hasSign: true };
  });
  return { lines, path };
}

const heredoc = /(?:cat|tee)\b[^\n]*<<-?[ \t]*(['"]?)([A-Za-z_][A-Za-z0-9_]*)\1[^\n]*\n/g;

/** A shell command that writes files from here-documents: their lines are added ones. */
function heredocLines(text: string, range: { start: number; end: number }): { lines: DiffLine[]; path: string | undefined } | undefined {
  const value = text.slice(range.start, range.end);
  const lines: DiffLine[] = [];
  let path: string | undefined;
  let at = 0;
  for (const match of value.matchAll(heredoc)) {
    const target = />>?[ \t]*(["']?)([^\s"'<>|&;]+)\1/.exec(match[0])?.[2] ?? /\btee\s+(?:-a\s+)?(["']?)([^\s"'<>|&;-][^\s"'<>|&;]*)\1/.exec(match[0])?.[2];
    const body = match.index + match[0].length;
    const close = new RegExp(`^[\\t]*${match[2]}[ \\t]*$`, "m").exec(value.slice(body));
    if (match.index < at || !target || !close) continue;
    path ??= target;
    lines.push(...signed("#", linesBetween(text, range.start + at, range.start + body)));
    lines.push(...signed("+", linesBetween(text, range.start + body, range.start + body + close.index)));
    at = body + close.index;
  }
  if (lines.length === 0) return undefined;
  lines.push(...signed("#", linesBetween(text, range.start + at, range.end)));
  return { lines, path };
}

/** The edit of a tool call, or undefined when it makes none that we can show. Other arguments are shown around it as "#" lines. */
export function editOf(part: Part): Edit | undefined {
  if (part.kind !== "tool_call" || !part.args || part.text.length > 400_000) return undefined;
  const ranges = argumentRanges(part);
  if (!ranges) return undefined;
  const path = pick(ranges, pathKeys);
  const named = path && part.text.slice(path.start, path.end);
  const rest = (used: readonly ArgumentRange[]) => signed("#", ranges.filter((range) => !used.includes(range)).flatMap((range) => linesBetween(part.text, range.keyStart, range.end)));
  const before = pick(ranges, oldKeys);
  const after = pick(ranges, newKeys);
  if (before && after) return { path: named, lines: [...rest([before, after]), ...replacement(part.text, before, after)] };
  const whole = pick(ranges, wholeKeys);
  if (whole && path) return { path: named, lines: [...rest([whole]), ...signed("+", linesBetween(part.text, whole.start, whole.end))] };
  for (const range of ranges.filter((r) => r.isText && patchKeys.includes(r.key))) {
    const found = patchLines(part.text, range) ?? heredocLines(part.text, range);
    if (found) return { path: found.path ?? named, lines: [...rest([range]), ...found.lines] };
  }
  return undefined;
}

/** A text that is a patch as a whole (a final submission), as diff lines. */
export function patchOf(text: string): readonly DiffLine[] | undefined {
  return text.length > 400_000 ? undefined : patchLines(text, { start: 0, end: text.length })?.lines;
}
