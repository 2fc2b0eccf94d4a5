/** Going from finding to finding. */
import type { FoundQuote } from "#protocol/lsp";
import { strings, fill } from "#protocol/strings";
import { announce, readyDocument, type App } from "../state/app";
import { statusWords } from "../state/marks";
import { currentVerdict } from "./label";

/** A finding at one of its places; an absent one has the place -1. */
export interface EvidencePlace { readonly quote: FoundQuote; readonly place: number }

/** Every quote of the shown verdict in the verdict's order; an ambiguous one at each of its places, the likeliest first. */
export function evidencePlaces(quotes: readonly FoundQuote[]): EvidencePlace[] {
  return quotes.flatMap((quote): EvidencePlace[] => {
    if (quote.status === "absent" || quote.places.length === 0) return [{ quote, place: -1 }];
    if (quote.status !== "ambiguous") return [{ quote, place: quote.current }];
    return quote.places.map((_found, n) => ({ quote, place: (quote.current + n) % quote.places.length }));
  });
}

/** Makes a finding the current one and goes to it, or to what most resembles it where it is absent. */
export function showEvidence(app: App, { quote, place }: EvidencePlace): void {
  app.view.update((view) => ({ ...view, findingId: quote.id, place: Math.max(0, place) }));
  const piece = (place >= 0 ? quote.places[place] : undefined)?.pieces[0];
  announce(app, `${quote.quote.slice(0, 80)}: ${statusWords(quote, Math.max(0, place))}`);
  if (piece) void app.transcript?.jump({ ...piece, markRef: quote.id });
}

/** The text that most resembles an absent quote, without any highlight. */
export function showResemblance(app: App, quote: FoundQuote): void {
  const piece = quote.resemblance?.pieces[0];
  if (piece) void app.transcript?.jump(piece);
}

export function moveEvidence(app: App, by: number): void {
  const doc = readyDocument(app);
  if (!doc) return;
  const places = evidencePlaces(currentVerdict(app, doc)?.quotes ?? []);
  if (places.length === 0) return announce(app, doc.snapshot.blind ? strings.blind : strings.noEvidence);
  const { findingId, place } = app.view.get();
  const at = places.findIndex((entry) => entry.quote.id === findingId && (entry.place < 0 || entry.place === (place ?? entry.quote.current)));
  const next = at < 0 ? (by > 0 ? 0 : places.length - 1) : (at + by + places.length) % places.length;
  showEvidence(app, places[next]!);
}

/** "2 of 3" for the current finding, "3 findings" when none is current. */
export function evidencePosition(quotes: readonly FoundQuote[], findingId: string | undefined): string {
  const at = quotes.findIndex((quote) => quote.id === findingId);
  if (at >= 0) return fill(strings.nOfCount, { n: at + 1, count: quotes.length });
  return quotes.length === 1 ? strings.oneFinding : fill(strings.findingsCount, { n: quotes.length });
}
