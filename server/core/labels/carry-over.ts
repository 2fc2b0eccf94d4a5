/** Carries spans over to a log that was made anew: kept, moved, or orphaned where their text is gone. Nothing is lost. */
import { spanFromUtf16, spanToUtf16 } from "#core/evidence/span";
import { resolveSpan } from "#core/evidence/resolve-span";
import { alignSteps } from "#core/pairs/align";
import { partIndexOf, partPosition, type Part, type Step } from "#core/trajectory/model";
import type { LabelRecord, Span } from "#core/workspace/schemas";

type Steps = readonly Pick<Step, "role" | "parts">[];

/**
 * `kept`: the same words at the same place. `moved`: elsewhere, or with what changed inside them; `span` says where and is
 * marked. `orphaned`: nowhere to be found; `before` is all there is.
 */
export type CarriedSpan =
  | { readonly state: "kept" | "moved"; readonly before: Span; readonly span: Span }
  | { readonly state: "orphaned"; readonly before: Span };

// Code units of the surroundings that have to stand beside a span's words for a place elsewhere to be believed.
const fewestAround = 8;

/**
 * Looks for each span in the new steps. With the old steps, what changed between the two carries it along; without them the
 * words themselves and their surroundings have to be found. Offsets are code points, as on disk.
 */
export function carrySpans(spans: readonly Span[], after: Steps, before?: Steps): CarriedSpan[] {
  const stepAfter = before && new Map(alignSteps(before, after).flatMap((row) => ("left" in row && "right" in row ? [[row.left, row.right] as const] : [])));
  return spans.map((span) => carrySpan(span, after, before, stepAfter));
}

function carrySpan(span: Span, after: Steps, before: Steps | undefined, stepAfter: ReadonlyMap<number, number> | undefined): CarriedSpan {
  const oldText = textAt(span, before);
  // With both versions the step is told by what changed, not by its number.
  const stepAt = stepAfter ? stepAfter.get(span.step) : span.step;
  const found = (stepAt === undefined ? undefined : withinPart(span, stepAt, after, oldText)) ?? elsewhere(span, after);
  if (!found) return { state: "orphaned", before: span };
  const isKept = found.step === span.step && found.part_index === span.part_index && found.start === span.start && found.end === span.end && found.exact === span.exact;
  const { moved: _moved, ...rest } = span;
  return isKept ? { state: "kept", before: span, span: { ...rest, prefix: found.prefix, suffix: found.suffix, ...(span.moved ? { moved: true } : {}) } }
    : { state: "moved", before: span, span: { ...rest, ...found, moved: true } };
}

type Place = Pick<Span, "step" | "part" | "part_index" | "start" | "end" | "exact" | "prefix" | "suffix">;

/** In the part that has the same address in its step. */
function withinPart(span: Span, stepAt: number, after: Steps, oldText: string | undefined): Place | undefined {
  const step = after[stepAt];
  const part = step?.parts[partPosition(step, span.part, span.part_index)];
  if (!step || !part) return undefined;
  const resolution = resolveSpan(part, span, oldText === undefined ? {} : { before: oldText });
  if (resolution.state === "orphan") return undefined;
  const place = placeOf(part, resolution.range, stepAt, span.part_index);
  // Likeness alone is not enough: the surroundings have to have survived.
  return resolution.state === "near" && around(place, span) < fewestAround ? undefined : place;
}

/** The very words in any part of the kind, where their surroundings are most like the old ones. */
function elsewhere(span: Span, after: Steps): Place | undefined {
  let best: { place: Place; around: number } | undefined;
  let places = 0;
  if (span.exact.trim() === "") return undefined;
  for (const [stepAt, step] of after.entries()) {
    for (const [at, part] of step.parts.entries()) {
      if (part.kind !== span.part) continue;
      for (let from = part.text.indexOf(span.exact); from >= 0; from = part.text.indexOf(span.exact, from + 1)) {
        places++;
        const place = placeOf(part, { start: from, end: from + span.exact.length }, stepAt, partIndexOf(step, at));
        const like = around(place, span);
        if (!best || like > best.around) best = { place, around: like };
      }
    }
  }
  if (!best) return undefined;
  const whole = span.prefix.length + span.suffix.length;
  // One place of many words is sure enough by itself; a short or frequent word needs its surroundings.
  const isSure = best.around >= Math.min(fewestAround, whole) || (places === 1 && span.exact.length >= 24);
  return isSure ? best.place : undefined;
}

function placeOf(part: Part, range: { start: number; end: number }, step: number, partIndex: number): Place {
  return spanFromUtf16(part.text, range, { step, part: part.kind, part_index: partIndex });
}

/** How many code units directly before and after are the same in both. */
function around(place: Place, span: Span): number {
  let before = 0;
  while (before < span.prefix.length && before < place.prefix.length && place.prefix.at(-1 - before) === span.prefix.at(-1 - before)) before++;
  let after = 0;
  while (after < span.suffix.length && after < place.suffix.length && place.suffix[after] === span.suffix[after]) after++;
  return before + after;
}

function textAt(span: Span, steps: Steps | undefined): string | undefined {
  const step = steps?.[span.step];
  const part = step?.parts[partPosition(step, span.part, span.part_index)];
  return part && spanToUtf16(part.text, span) ? part.text : undefined;
}

/** What a stale record proposes for the log as it is now. A person has to confirm it: their label was given on other content. */
export interface CarriedLabel {
  readonly label: LabelRecord["label"];
  readonly categories: readonly string[];
  readonly note: string;
  readonly spans: readonly Span[];
  /** For `orphaned_spans` of the new record: lost now or before. */
  readonly orphaned: readonly Span[];
  readonly moved: number;
}

/** The proposal that a stale record makes. The new record should name the old one in `supersedes`. */
export function carryRecord(record: LabelRecord, after: Steps, before?: Steps): CarriedLabel {
  const carried = carrySpans([...(record.spans ?? []), ...(record.orphaned_spans ?? [])], after, before);
  return {
    label: record.retracted === true ? null : record.label, categories: record.categories ?? [], note: record.note ?? "",
    spans: carried.flatMap((one) => (one.state === "orphaned" ? [] : [one.span])),
    orphaned: carried.flatMap((one) => (one.state === "orphaned" ? [one.before] : [])),
    moved: carried.filter(({ state }) => state === "moved").length,
  };
}
