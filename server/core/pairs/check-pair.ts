/** Checks the two halves of a pair against each other: the same request, a real difference, and nothing else that gives the class away. */
import { spanToUtf16 } from "#core/evidence/span";
import { classWord } from "#core/labels/class-words";
import { partPosition, type GoldLabel, type Step } from "#core/trajectory/model";
import type { SampleRecord, Span } from "#core/workspace/schemas";
import { alignSteps, squeezed } from "./align";

export interface PairHalf {
  readonly id: string;
  readonly label: GoldLabel | undefined;
  /** Path of the file that holds it, where that file is its own. */
  readonly file?: string | undefined;
  readonly authored?: SampleRecord["authored"];
  /** Steps (from 0) that are meant to differ although they belong to the request. */
  readonly intendedDifference?: readonly number[] | undefined;
  /** The places that make the half what it is; what stands there is no give-away. */
  readonly spans?: readonly Span[] | undefined;
  readonly steps: readonly Step[];
}

export interface PairFinding {
  /** Kebab-case and stable; all begin with `pair-`. */
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** The half to blame, and its step (from 0) where one is. */
  readonly sampleId: string;
  readonly step?: number;
}

/** Everything that is wrong with a pair. `a` and `b` in any order; findings that blame neither half more name the second. */
export function checkHalves(a: PairHalf, b: PairHalf): PairFinding[] {
  const same = checkSame(a, b);
  if (same.length > 0) return [...same, ...checkOrigin(a, b)];
  return [...checkRequest(a, b), ...checkLength(a, b), ...checkNames(a, b), ...checkCues(a, b), ...checkCues(b, a), ...checkOrigin(a, b)];
}

function checkSame(a: PairHalf, b: PairHalf): PairFinding[] {
  const text = (half: PairHalf): string => JSON.stringify(half.steps.map(({ role, parts }) => [role, parts.map(({ kind, toolName, text: own }) => [kind, toolName, own])]));
  if (text(a) === text(b)) return [{ code: "pair-equal", sampleId: b.id, message: `${a.id} and ${b.id} hold the same text.`, fix: "Change one half so that it does what its label says." }];
  const bare = (half: PairHalf): string => half.steps.map(squeezed).join("\n");
  if (bare(a) === bare(b)) return [{ code: "pair-white-space", sampleId: b.id, message: `${a.id} and ${b.id} differ in white space alone.`, fix: "Change one half so that it does what its label says." }];
  return [];
}

/** System and user turns in order; a turn that either half lists as the intended difference may differ. */
function checkRequest(a: PairHalf, b: PairHalf): PairFinding[] {
  const turns = (half: PairHalf): Step[] => half.steps.filter(({ role }) => role === "system" || role === "user");
  const [left, right] = [turns(a), turns(b)];
  const meant = (half: PairHalf, step: Step | undefined): boolean => step !== undefined && half.intendedDifference?.includes(step.index) === true;
  const rows = alignSteps(left, right).filter((row) => row.kind !== "equal");
  return rows.flatMap((row): PairFinding[] => {
    const one = "left" in row ? left[row.left] : undefined;
    const other = "right" in row ? right[row.right] : undefined;
    if (meant(a, one) || meant(b, other)) return [];
    const blamed = other ? { sampleId: b.id, step: other.index } : { sampleId: a.id, step: one?.index ?? 0 };
    const where = one && other ? `Step ${one.index} of ${a.id} and step ${other.index} of ${b.id} (${other.role}) are not the same`
      : `Step ${blamed.step} of ${blamed.sampleId} (${(one ?? other)?.role ?? ""}) has no counterpart`;
    return [{ code: "pair-request", ...blamed, message: `${where}, so the halves do not answer the same request.`, fix: "Make them equal, or list the step in \"intended_difference\" of its manifest line." }];
  });
}

/** Lengths of what the agent wrote that differ so much that length alone tells the halves apart. */
function checkLength(a: PairHalf, b: PairHalf): PairFinding[] {
  const length = (half: PairHalf): number => half.steps.reduce((sum, { role, parts }) => (role === "assistant" ? sum + parts.reduce((own, { text }) => own + text.length, 0) : sum), 0);
  const [left, right] = [length(a), length(b)];
  const [short, long] = left < right ? [left, right] : [right, left];
  if (long - short < 400 || long < 2 * short) return [];
  return [{
    code: "pair-length", sampleId: left < right ? b.id : a.id,
    message: `What the agent writes has ${long} characters in one half and ${short} in the other, so length alone tells them apart.`,
    fix: "Shorten the longer half or fill the shorter one.",
  }];
}

/** Ids and file names that say which half is which. */
function checkNames(a: PairHalf, b: PairHalf): PairFinding[] {
  const tell = (what: string, left: string | undefined, right: string | undefined): PairFinding[] => {
    if (left === undefined || right === undefined || left === right) return [];
    const [one, other] = [classWord(left), classWord(right)];
    if (one === other) return [];
    const half = other === undefined ? a : b;
    return [{ code: "pair-name", sampleId: half.id, message: `The ${what} ${other === undefined ? left : right} tells the class ("${other ?? one ?? ""}").`, fix: `Choose a ${what} that says nothing of the label.` }];
  };
  const own = (half: PairHalf): string | undefined => half.file?.slice(half.file.lastIndexOf("/") + 1);
  const folder = (half: PairHalf): string | undefined => half.file?.slice(0, Math.max(0, half.file.lastIndexOf("/")));
  return [...tell("id", a.id, b.id), ...tell("file name", own(a), own(b)), ...tell("folder", folder(a), folder(b))];
}

/** Words that people who write pairs leave in one half: comments to themselves, labels, stage directions. */
const cues: readonly RegExp[] = [
  /\bmisbehavi(?:or|our|ing)\b/giu, /\bbenign (?:version|half|variant|sample|run|trajectory)\b/giu, /\b(?:bad|good|misaligned|aligned|malicious|unsafe|safe) (?:version|half|variant|sample|trajectory)\b/giu,
  /\battacker(?:'s)? (?:goal|tool|instruction)s?\b/giu, /\binjection task\b/giu, /\bred[- ]?team(?:ing|ed)?\b/giu, /\bground[- ]truth label\b/giu, /\[(?:misbehavior|benign|cheat|hack|unsafe|safe|label)[^\]\n]{0,40}\]/giu,
  /\b(?:reward[- ]hack(?:ing|ed)?|specification[- ]gaming|sycophan(?:cy|tic))\b/giu, /<(?:misbehavior|benign|label|evidence)>/giu,
];

/** A cue that stands in one half and not in the other, outside the places that are meant. */
function checkCues(half: PairHalf, other: PairHalf): PairFinding[] {
  const elsewhere = other.steps.map(({ parts }) => parts.map(({ text }) => text).join("\n")).join("\n").toLowerCase();
  const findings: PairFinding[] = [];
  const told = new Set<string>();
  for (const step of half.steps) {
    for (const [position, part] of step.parts.entries()) {
      for (const cue of cues) {
        for (const match of part.text.matchAll(cue)) {
          const word = match[0].toLowerCase();
          if (told.has(word) || elsewhere.includes(word) || isMeant(half, step, position, match.index, match.index + match[0].length)) continue;
          told.add(word);
          findings.push({ code: "pair-cue", sampleId: half.id, step: step.index, message: `"${match[0]}" in step ${step.index} stands in ${half.id} alone and tells its class.`, fix: "Take it out, put it into both halves, or mark the place in the half's spans if it is the misbehavior itself." });
        }
      }
    }
  }
  return findings;
}

/** Whether a UTF-16 range of a part touches one of the half's spans. */
function isMeant(half: PairHalf, step: Step, position: number, start: number, end: number): boolean {
  return (half.spans ?? []).some((span) => {
    if (span.step !== step.index || partPosition(step, span.part, span.part_index) !== position) return false;
    const range = spanToUtf16(step.parts[position]?.text ?? "", span);
    return range !== undefined && range.start < end && start < range.end;
  });
}

function checkOrigin(a: PairHalf, b: PairHalf): PairFinding[] {
  if ((a.authored === undefined) !== (b.authored === undefined)) {
    const [authored, recorded] = a.authored ? [a, b] : [b, a];
    return [{ code: "pair-origin", sampleId: recorded.id, message: `${recorded.id} is a recorded half beside the authored ${authored.id}; how they were made tells them apart.`, fix: "Author both halves (starting from the recorded one), or say in \"authored\" how this one was made." }];
  }
  if (a.authored && b.authored && (a.authored.method === "human") !== (b.authored.method === "human")) {
    return [{ code: "pair-origin", sampleId: b.id, message: `One half was written by a person and the other with a model (${a.id}: ${a.authored.method}, ${b.id}: ${b.authored.method}); style alone may tell them apart.`, fix: "Let the same hand write or edit both halves." }];
  }
  return [];
}
