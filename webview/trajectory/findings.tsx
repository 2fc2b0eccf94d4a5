/** The findings of a verdict as a list: every quote with what was found of it, the absent ones too. */
import { strings, fill } from "#protocol/strings";
import type { FoundQuote, LocatedVerdict } from "#protocol/lsp";
import { evidencePlaces, showEvidence, showResemblance } from "../actions/evidence";
import { adoptQuote } from "../actions/label";
import { useApp } from "../state/app";
import { lookOf, statusWords, type CategoryLook } from "../state/marks";
import { useStore } from "../state/store";
import { verdictNotes } from "../state/verdict-notes";
import { Icon } from "../ui/icon";
import { wordDiff, WordDiff } from "./word-diff";

/** Quotes longer than this are cut in the list; the whole one is in the tooltip and in the transcript. */
const maxQuote = 400;

function NearDetail({ quote }: { readonly quote: FoundQuote }) {
  const app = useApp();
  const place = quote.places[0];
  if (!place) return null;
  const text = place.pieces.map((piece) => app.steps?.get(piece.step)?.parts[piece.part]?.text.slice(piece.start, piece.end) ?? "").join(" … ");
  return (
    <div class="near-detail">
      <WordDiff pieces={wordDiff(quote.quote, place, text === "" ? undefined : text)} />
      <div class="legend">
        <del>{strings.quoteLegend}</del> · <ins>{strings.textLegend}</ins>
      </div>
    </div>
  );
}

function Finding({ quote, looks, isCurrent, place }: { readonly quote: FoundQuote; readonly looks: ReadonlyMap<string, CategoryLook>; readonly isCurrent: boolean; readonly place: number }) {
  const app = useApp();
  const look = lookOf(looks, quote.category);
  const isAbsent = quote.status === "absent";
  const piece = quote.places[isCurrent ? place : quote.current]?.pieces[0];
  const closest = quote.resemblance?.pieces[0];
  const open = () => {
    // Choosing an ambiguous quote again goes to its next place.
    const places = evidencePlaces([quote]);
    const at = isCurrent ? places.findIndex((entry) => entry.place === place) + 1 : 0;
    showEvidence(app, places[at % places.length]!);
  };
  const shown = quote.quote.length > maxQuote ? `${quote.quote.slice(0, maxQuote)}…` : quote.quote;
  return (
    <li class={`finding is-${quote.status}${isCurrent ? " is-current" : ""}${look.hue >= 0 ? ` hue-${look.hue}` : ""}`}>
      <button type="button" class="finding-button" aria-current={isCurrent ? "true" : undefined} onClick={open} title={quote.description}>
        <span class="finding-head">
          <span class="tag">{look.tag}</span>
          <span class="finding-status">{statusWords(quote, isCurrent ? place : quote.current)}</span>
          {piece ? <span class="dim">{fill(strings.step, { n: piece.step })}</span> : null}
        </span>
        <span class="quote" dir="auto">{isAbsent ? <s>{shown}</s> : shown}</span>
      </button>
      {isCurrent && quote.status === "near" ? <NearDetail quote={quote} /> : null}
      {isCurrent && quote.description ? <p class="finding-description" dir="auto">{quote.description}{quote.severity ? <span class="dim"> · {quote.severity}</span> : null}</p> : null}
      {isAbsent && closest ? (
        <button type="button" class="text-button" onClick={() => showResemblance(app, quote)}>{fill(strings.closest, { n: closest.step })}</button>
      ) : null}
      {isCurrent && !isAbsent ? (
        <button type="button" class="text-button" onClick={() => void adoptQuote(app, quote, place)} title={`${strings.adopt} (a)`}>
          <Icon name="tag" /> {strings.adopt}
        </button>
      ) : null}
    </li>
  );
}

function VerdictNotes({ verdict }: { readonly verdict: LocatedVerdict }) {
  const { outcome, reason } = verdict.verdict;
  const notes = verdictNotes(verdict.verdict);
  const words = outcome === "invalid" ? [reason ? fill(strings.invalidReason, { reason }) : strings.invalid, ...notes] : notes;
  if (words.length === 0) return null;
  return <ul class="panel-notes">{words.map((note, n) => <li key={n}>{n === 0 || outcome !== "invalid" ? <Icon name="warning" /> : null} {note}</li>)}</ul>;
}

export function Findings({ verdict, looks, isBlind }: { readonly verdict: LocatedVerdict | undefined; readonly looks: ReadonlyMap<string, CategoryLook>; readonly isBlind: boolean }) {
  const app = useApp();
  const findingId = useStore(app.view, (view) => view.findingId);
  const place = useStore(app.view, (view) => view.place);
  if (isBlind) return <p class="dim panel-empty">{strings.blindHint}</p>;
  if (!verdict) return <p class="dim panel-empty">{strings.noVerdictHint}</p>;
  return (
    <>
      <VerdictNotes verdict={verdict} />
      {verdict.quotes.length === 0 ? (verdict.verdict.outcome === "invalid" ? null : <p class="dim panel-empty">{strings.noEvidence}</p>) : (
        <ol class="findings">
          {verdict.quotes.map((quote) => <Finding key={quote.id} quote={quote} looks={looks} isCurrent={quote.id === findingId} place={place ?? quote.current} />)}
        </ol>
      )}
    </>
  );
}
