/** Derives the marks of a sample from its verdict's quotes, the annotator's spans and the hits of find. */
import type { TaxonomyEntry } from "#core/workspace/schemas";
import type { FoundQuote, LocatedVerdict } from "#protocol/lsp";
import type { SessionSide } from "#protocol/webview";
import type { LabelState } from "#core/labels/state";
import type { FindState } from "./app";
import { partKey, type Mark } from "../text/mark";
import { strings, fill } from "#protocol/strings";

/** Chart colours in the order in which categories take them; red stays for errors. */
export const hueCount = 6;

/** Kinds of lines that tell sides apart; `marks.css` has as many. */
const sideLines = 3;

/** The look of a category: index into the chart colours and letters that say the same. */
export interface CategoryLook { readonly hue: number; readonly tag: string; readonly title: string }

function initials(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word && !/^(and|or|of|the|a)$/i.test(word));
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => word[0]!).join("") : (words[0] ?? "?").slice(0, 2);
  return letters.toUpperCase();
}

/** The look of each category, known ones by place in the taxonomy; tags are told apart by a digit where letters clash. */
export function categoryLooks(taxonomy: readonly TaxonomyEntry[]): Map<string, CategoryLook> {
  const looks = new Map<string, CategoryLook>();
  const used = new Map<string, number>();
  taxonomy.forEach((entry, index) => {
    const letters = initials(entry.title);
    const n = (used.get(letters) ?? 0) + 1;
    used.set(letters, n);
    looks.set(entry.id, { hue: index % hueCount, tag: n > 1 ? `${letters}${n}` : letters, title: entry.title });
  });
  return looks;
}

/** A category that the taxonomy does not know keeps its name and has no colour of its own. */
export function lookOf(looks: ReadonlyMap<string, CategoryLook>, category: string | undefined): CategoryLook {
  if (!category) return { hue: -1, tag: "", title: "" };
  return looks.get(category) ?? { hue: -1, tag: initials(category.replace(/_/g, " ")), title: category };
}

/** The verdict that is looked at: the chosen run's, else the newest of the chosen monitor, else the newest. */
export function shownVerdict(verdicts: readonly LocatedVerdict[], runId: string | undefined, monitorId: string): LocatedVerdict | undefined {
  return verdicts.find((v) => v.run.run_id === runId) ?? verdicts.findLast((v) => v.run.monitor === monitorId) ?? verdicts.at(-1);
}

/** Words for what was found of a quote. */
export function statusWords(quote: FoundQuote, place = quote.current): string {
  if (quote.status === "ambiguous") return fill(strings.placeOf, { n: place + 1, count: quote.places.length });
  if (quote.status === "exact") return quote.places[0]?.elided ? strings.exactElided : quote.places[0]?.normalised ? strings.exactNormalised : strings.exact;
  return quote.status === "near" ? strings.near : strings.absent;
}

export interface MarkInput {
  readonly verdict: LocatedVerdict | undefined;
  readonly label: LabelState;
  /** The labels that an adjudication decides between. */
  readonly sides?: readonly SessionSide[] | undefined;
  readonly find: FindState;
  readonly looks: ReadonlyMap<string, CategoryLook>;
  readonly findingId: string | undefined;
  /** Which place of the current finding is looked at. */
  readonly place: number | undefined;
}

function evidenceMarks(input: MarkInput): Mark[] {
  const marks: Mark[] = [];
  for (const quote of input.verdict?.quotes ?? []) {
    // An absent quote has no place, and its closest resemblance is never drawn.
    if (quote.status === "absent") continue;
    const look = lookOf(input.looks, quote.category);
    quote.places.forEach((place, n) => {
      const isCurrent = quote.id === input.findingId && n === (input.place ?? quote.current);
      place.pieces.forEach((piece, k) => {
        marks.push({
          id: `e:${quote.id}:${n}:${k}`, ref: quote.id, layer: "evidence", status: quote.status, ...piece, hue: look.hue, tag: look.tag, current: isCurrent,
          title: `${look.title} · ${statusWords(quote, n)}${quote.description ? `\n${quote.description}` : ""}`,
        });
      });
    });
  }
  return marks;
}

function spanMarks(input: MarkInput): Mark[] {
  return input.label.spans.map((span) => {
    const look = lookOf(input.looks, span.category);
    return {
      id: `o:${span.id}`, ref: span.id, layer: "own" as const, step: span.step, part: span.part, start: span.start, end: span.end,
      hue: look.hue, tag: look.tag, current: false, title: [strings.ownSpan, look.title, span.note].filter(Boolean).join(" · "),
    };
  });
}

/** Spans of those who disagree; the letter says whose, and the line under them is another for each. */
function sideMarks({ sides = [], looks }: MarkInput): Mark[] {
  return sides.flatMap(({ letter, spans }, side) => spans.filter(({ start, end }) => end > start).map((span): Mark => {
    const look = lookOf(looks, span.category);
    return {
      id: `s:${span.id}`, ref: `s:${span.id}`, layer: "side", variant: `side-${side % sideLines}`, step: span.step, part: span.part, start: span.start, end: span.end,
      hue: look.hue, tag: look.tag ? `${letter} ${look.tag}` : letter, current: false,
      title: [fill(strings.sideSpan, { letter }), look.title, span.note].filter(Boolean).join(" · "),
    };
  }));
}

function hitMarks(find: FindState): Mark[] {
  if (!find.isOpen) return [];
  return find.hits.map((hit, n) => ({
    id: `h:${n}`, ref: `h:${n}`, layer: "hit" as const, step: hit.step, part: hit.part, start: hit.start, end: hit.end, hue: -1, tag: "", current: n === find.current, title: "",
  }));
}

export type MarksByPart = ReadonlyMap<string, readonly Mark[]>;

const signature = (marks: readonly Mark[]): string => marks.map((m) => `${m.id},${m.start},${m.end},${m.hue},${m.tag},${m.current},${m.status ?? ""},${m.title}`).join(";");

/** All marks by part. A part whose marks are as before keeps its former array, so that it is not drawn again. */
export function deriveMarks(input: MarkInput, before: MarksByPart): MarksByPart {
  const byPart = new Map<string, Mark[]>();
  for (const mark of [...evidenceMarks(input), ...spanMarks(input), ...sideMarks(input), ...hitMarks(input.find)]) {
    const key = partKey(mark.step, mark.part);
    const list = byPart.get(key);
    if (list) list.push(mark);
    else byPart.set(key, [mark]);
  }
  const kept = new Map<string, readonly Mark[]>();
  for (const [key, marks] of byPart) {
    const old = before.get(key);
    kept.set(key, old && signature(old) === signature(marks) ? old : marks);
  }
  return kept;
}
