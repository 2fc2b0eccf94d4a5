/** `tracemark locate`: where a quote stands in the trajectories of a file, as spans in code points. */
import { matchQuote } from "#core/evidence/match-quote";
import type { DifferencePiece, QuoteMatch, QuotePlace } from "#core/evidence/quote-match";
import { spanFromUtf16 } from "#core/evidence/span";
import { partIndexOf, type Part, type Step, type Trajectory } from "#core/trajectory/model";
import { ExpectedFailure } from "#node/expected-failure";
import type { Io } from "../define";
import { defineVerb, formatOption, jsonOption, rootOption, textOption } from "../define";
import { printable } from "../printable";
import { chosen, openOperand, tellEmpty, tellWarnings } from "../trajectories";

export const locateVerb = defineVerb({
  name: "locate",
  summary: "say where a quote stands: exact, near (with the difference), ambiguous or absent",
  operands: "<file>",
  options: [
    { flags: "--quote <text>", description: "the quote to look for" }, { flags: "--id <id>", description: "only in the trajectory with this sample id, or this record id" },
    jsonOption, formatOption, rootOption,
  ],
  async run(call) {
    const { io } = call;
    const file = call.args[0]!;
    const quote = textOption(call, "quote");
    if (quote === undefined) throw new ExpectedFailure("no quote was given", "add --quote TEXT", { file });
    if (quote.trim() === "") throw new ExpectedFailure("the quote is empty", "give --quote a text with at least one word", { file });
    const opened = await openOperand(call, file);
    if (opened.file.ids.length === 0) {
      tellEmpty(call, file, opened);
      return 1;
    }
    for (const index of chosen(opened, file, textOption(call, "id"))) {
      const found = locateIn(opened.file.load(index), quote);
      if (call.options["json"]) io.out(JSON.stringify(found));
      else print(io, found);
    }
    tellWarnings(io, file, opened.file.warnings());
    return 0;
  },
});

/** What the contract's line holds; `difference` and `place` (which of several places) are added to the spans, `count` where there are more places than are listed. */
export function locateIn(trajectory: Trajectory, quote: string) {
  const parts: Part[] = [];
  const homes: { step: Step; at: number }[] = [];
  for (const step of trajectory.steps) {
    step.parts.forEach((part, at) => {
      parts.push(part);
      homes.push({ step, at });
    });
  }
  const match = matchQuote(parts, quote);
  const spans = match.places.flatMap((place, n) => spansOf(place, n, match, parts, homes));
  return { id: trajectory.id, status: match.status, spans, quote, ...(match.count > match.places.length ? { count: match.count } : {}) };
}

function spansOf(place: QuotePlace, n: number, match: QuoteMatch, parts: readonly Part[], homes: readonly { step: Step; at: number }[]) {
  return place.pieces.map((piece) => {
    const part = parts[piece.partIndex]!;
    const { step, at } = homes[piece.partIndex]!;
    const span = spanFromUtf16(part.text, piece, { step: step.index, part: part.kind, part_index: partIndexOf(step, at) });
    return {
      ...span, score: place.score, ...(place.normalised ? { normalised: true } : {}), ...(place.elided ? { elided: true } : {}),
      ...(place.difference ? { difference: place.difference } : {}), ...(match.places.length > 1 ? { place: n } : {}),
    };
  });
}

/** Places printed one by one; `--json` gives more. */
const toldAtMost = 20;

function print(io: Io, { id, status, spans, count }: ReturnType<typeof locateIn>): void {
  const places = count ?? (spans.at(-1)?.place ?? 0) + 1;
  io.out(`${printable(id)}: ${status}${places > 1 ? `, ${places} places` : ""}`);
  for (const [n, span] of spans.entries()) {
    if ((span.place ?? 0) >= toldAtMost) break;
    io.out(`  step ${span.step} ${span.part} ${span.part_index}, ${span.start}-${span.end}, score ${span.score.toFixed(2)}: ${oneLineOf(span.exact, 200)}`);
    // The difference is one of the whole place: with several pieces it stands below the last.
    if (span.difference && n === spans.length - 1) io.out(`    difference: ${differenceText(span.difference)}`);
  }
  if (places > toldAtMost) io.out(`  and ${places - toldAtMost} more places`);
}

/** The text where it stands, with what only the quote has as `[-…-]` and what only the text has as `{+…+}`. */
export function differenceText(difference: readonly DifferencePiece[]): string {
  return oneLineOf(difference.map(({ kind, value }) => (kind === "quote" ? `[-${value}-]` : kind === "text" ? `{+${value}+}` : value)).join(""), 600);
}

function oneLineOf(text: string, most: number): string {
  return printable(text).replace(/\s+/g, " ").slice(0, most);
}
