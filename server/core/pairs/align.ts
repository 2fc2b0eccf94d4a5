/** Lays the halves of a pair beside each other, step by step, and shows what differs inside a step. */
import { diffArrays } from "diff";
import { contentCanonical, type Part, type Step } from "#core/trajectory/model";

type Alignable = Pick<Step, "role" | "parts">;

/**
 * One row of the comparison. `left` and `right` are positions in the two lists of steps. `white` is a change in white space
 * alone.
 */
export type AlignedRow =
  | { readonly kind: "equal" | "white" | "changed"; readonly left: number; readonly right: number }
  | { readonly kind: "left"; readonly left: number }
  | { readonly kind: "right"; readonly right: number };

// Steps put in or left out, beyond which the middle is laid side by side by position.
const mostEdits = 2000;

/** The rows of two lists of steps, in reading order of both. Equal steps anchor; between them, steps of one role are laid side by side. */
export function alignSteps(left: readonly Alignable[], right: readonly Alignable[]): AlignedRow[] {
  const leftKeys = left.map(keyOf);
  const rightKeys = right.map(keyOf);
  const changes = diffArrays(leftKeys, rightKeys, { maxEditLength: mostEdits });
  if (changes === undefined) return sideBySide(left, right, { left: 0, right: 0 }, left.length, right.length);
  const rows: AlignedRow[] = [];
  const at = { left: 0, right: 0 };
  let gone = 0;
  let come = 0;
  const closeGap = (): void => {
    rows.push(...sideBySide(left, right, at, gone, come));
    at.left += gone;
    at.right += come;
    gone = 0;
    come = 0;
  };
  for (const change of changes) {
    const count = change.value.length;
    if (change.removed) gone += count;
    else if (change.added) come += count;
    else {
      closeGap();
      for (let i = 0; i < count; i++) rows.push({ kind: "equal", left: at.left++, right: at.right++ });
    }
  }
  closeGap();
  return rows;
}

function keyOf(step: Alignable): string {
  return contentCanonical([step]);
}

/**
 * Steps of a gap: the longest sequence of pairs of one role, the more alike the better (an alignment after Needleman and Wunsch
 * 1970); where the gap is large, by position.
 */
function sideBySide(left: readonly Alignable[], right: readonly Alignable[], from: { left: number; right: number }, gone: number, come: number): AlignedRow[] {
  if (gone * come > 10_000) return byPosition(left, right, from, gone, come);
  const score: number[][] = Array.from({ length: gone + 1 }, () => new Array<number>(come + 1).fill(0));
  const worth = (i: number, j: number): number => {
    const [a, b] = [left[from.left + i], right[from.right + j]];
    return a && b && a.role === b.role ? 0.2 + likeness(a, b) : -Infinity;
  };
  for (let i = gone - 1; i >= 0; i--) {
    for (let j = come - 1; j >= 0; j--) score[i]![j] = Math.max(score[i + 1]![j]!, score[i]![j + 1]!, worth(i, j) + score[i + 1]![j + 1]!);
  }
  const rows: AlignedRow[] = [];
  for (let i = 0, j = 0; i < gone || j < come; ) {
    const best = score[i]?.[j] ?? 0;
    if (i < gone && j < come && best === worth(i, j) + score[i + 1]![j + 1]!) rows.push(changedRow(left, right, from.left + i++, from.right + j++));
    else if (i < gone && (j >= come || best === score[i + 1]![j])) rows.push({ kind: "left", left: from.left + i++ });
    else rows.push({ kind: "right", right: from.right + j++ });
  }
  return rows;
}

function byPosition(left: readonly Alignable[], right: readonly Alignable[], from: { left: number; right: number }, gone: number, come: number): AlignedRow[] {
  const rows: AlignedRow[] = [];
  for (let i = 0; i < Math.max(gone, come); i++) {
    const [l, r] = [from.left + i, from.right + i];
    if (i < gone && i < come && left[l]?.role === right[r]?.role) rows.push(changedRow(left, right, l, r));
    else {
      if (i < gone) rows.push({ kind: "left", left: l });
      if (i < come) rows.push({ kind: "right", right: r });
    }
  }
  return rows;
}

function changedRow(left: readonly Alignable[], right: readonly Alignable[], l: number, r: number): AlignedRow {
  const [a, b] = [left[l], right[r]];
  return { kind: a && b && squeezed(a) === squeezed(b) ? "white" : "changed", left: l, right: r };
}

/** The step without its white space. */
export function squeezed(step: Alignable): string {
  return keyOf({ role: step.role, parts: step.parts.map((part) => ({ ...part, text: part.text.replace(/\s+/gu, "") })) });
}

/** Share of words in common (Dice), over at most the first 400 of each; from 0 to 1. */
function likeness(a: Alignable, b: Alignable): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.size + right.size === 0) return 1;
  let common = 0;
  for (const word of left) if (right.has(word)) common++;
  return (2 * common) / (left.size + right.size);
}

function wordsOf(step: Alignable): Set<string> {
  const text = step.parts.map((part) => part.text).join("\n").slice(0, 4000);
  return new Set((text.match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, 400));
}

/** A stretch of text of a changed part: in both halves, or in one of them only. */
export interface WordPiece {
  readonly kind: "same" | "left" | "right";
  readonly value: string;
}

/** A part of a changed step: `left` and `right` are positions in `parts`, -1 where the half has no such part. */
export interface PartDifference {
  readonly left: number;
  readonly right: number;
  readonly pieces: readonly WordPiece[];
}

// Words put in or left out within a part, beyond which both texts are shown whole.
const mostWords = 2000;
const token = /\s+|[\p{L}\p{M}\p{N}_]+|[^]/gu;

/** What differs inside two steps, part by part, parts of one kind in their order laid side by side. Pieces put together give each text again. */
export function partDifferences(left: Alignable, right: Alignable): PartDifference[] {
  const taken = new Set<number>();
  const rows: PartDifference[] = left.parts.map((part, at) => {
    const other = right.parts.findIndex((candidate, j) => !taken.has(j) && candidate.kind === part.kind && (candidate.toolName ?? "") === (part.toolName ?? ""));
    if (other < 0) return { left: at, right: -1, pieces: onlyIn("left", part) };
    taken.add(other);
    return { left: at, right: other, pieces: wordPieces(part.text, right.parts[other]?.text ?? "") };
  });
  const added = right.parts.flatMap((part, at) => (taken.has(at) ? [] : [{ left: -1, right: at, pieces: onlyIn("right", part) }]));
  return [...rows, ...added];
}

function onlyIn(kind: "left" | "right", part: Part): WordPiece[] {
  return part.text === "" ? [] : [{ kind, value: part.text }];
}

/** Two texts by words: what both have, and what either has alone. */
export function wordPieces(left: string, right: string): WordPiece[] {
  if (left === right) return left === "" ? [] : [{ kind: "same", value: left }];
  const changes = diffArrays(left.match(token) ?? [], right.match(token) ?? [], { maxEditLength: mostWords });
  if (changes === undefined) return [{ kind: "left", value: left }, { kind: "right", value: right }];
  return changes.map(({ added, removed, value }) => ({ kind: added ? "right" : removed ? "left" : "same", value: value.join("") }));
}
