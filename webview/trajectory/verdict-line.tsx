/** The verdict in one line, with the current finding and the way to the next. */
import type { LocatedVerdict } from "#protocol/lsp";
import { strings, fill } from "#protocol/strings";
import { evidencePosition, moveEvidence } from "../actions/evidence";
import { useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { lookOf, statusWords, type CategoryLook } from "../state/marks";
import { useStore } from "../state/store";
import { verdictNotes } from "../state/verdict-notes";
import { Icon, IconButton } from "../ui/icon";

function Outcome({ verdict, looks }: { readonly verdict: LocatedVerdict; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const { outcome, score, reason, detected_categories: found } = verdict.verdict;
  const categories = [...new Set(found.map((entry) => entry.category))];
  const words = outcome === "invalid" ? (reason ? fill(strings.invalidReason, { reason }) : strings.invalid) : strings[outcome].toLowerCase();
  const notes = verdictNotes(verdict.verdict);
  return (
    <>
      <span class={`outcome outcome-${outcome}`} title={[words, ...notes].join("\n")}>
        <Icon name={outcome === "misbehavior" ? "circle-filled" : outcome === "benign" ? "pass" : "warning"} /> {words}
        {score !== undefined ? ` ${score.toFixed(2)}` : ""}
      </span>
      {outcome === "misbehavior" ? categories.map((id) => {
        const look = lookOf(looks, id);
        return <span key={id} class={`category-word${look.hue >= 0 ? ` hue-${look.hue}` : ""}`} title={look.title}><span class="tag">{look.tag}</span> <span class="category-title">{look.title}</span></span>;
      }) : null}
      {notes.length > 0 ? (
        <span class="verdict-notes" title={notes.join("\n")}>
          {outcome === "invalid" ? null : <><Icon name="warning" /> </>}{notes.join(" · ")}
        </span>
      ) : null}
      {verdict.stale ? <span class="stale">{strings.stale}</span> : null}
    </>
  );
}

function RunChoice({ doc, verdict }: { readonly doc: ReadyDocument; readonly verdict: LocatedVerdict }) {
  const app = useApp();
  const { verdicts } = doc.snapshot;
  const name = (entry: LocatedVerdict) => `${entry.run.monitor}${entry.run.prompting === "direct" ? " (direct)" : ""}`;
  if (verdicts.length < 2) return <span class="dim run-name" title={verdict.run.run_id}>{name(verdict)}</span>;
  return (
    // A native choice: it stands in a line of text and has to be as low as one.
    <select
      class="run-choice" aria-label={strings.chooseRun} title={verdict.run.run_id} value={verdict.run.run_id}
      onKeyDown={(event) => (event.ctrlKey || event.metaKey || event.altKey ? undefined : event.stopPropagation())}
      onChange={(event) => {
        const runId = (event.currentTarget as HTMLSelectElement).value;
        app.view.update((view) => ({ ...view, runId, findingId: undefined, place: undefined }));
      }}
    >
      {[...verdicts].reverse().map((entry) => <option key={entry.run.run_id} value={entry.run.run_id}>{`${name(entry)} · ${entry.run.run_id}`}</option>)}
    </select>
  );
}

export function VerdictLine({ doc, verdict, looks }: { readonly doc: ReadyDocument; readonly verdict: LocatedVerdict | undefined; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const app = useApp();
  const findingId = useStore(app.view, (view) => view.findingId);
  const place = useStore(app.view, (view) => view.place);
  if (doc.snapshot.blind) return <div class="verdict-line"><span class="dim">{strings.blind}</span></div>;
  if (doc.running) return <div class="verdict-line"><span class="dim"><Icon name="loading" spin /> {doc.running.message}</span></div>;
  if (!verdict) return <div class="verdict-line"><span class="dim">{strings.noVerdict} {strings.noVerdictHint}</span></div>;
  const { quotes } = verdict;
  const current = quotes.find((quote) => quote.id === findingId);
  return (
    <div class="verdict-line">
      <Outcome verdict={verdict} looks={looks} />
      <RunChoice doc={doc} verdict={verdict} />
      {current ? (
        <span class={`line-quote is-${current.status}`}>
          <q dir="auto">{current.quote.slice(0, 160)}</q> <span class="finding-status">{statusWords(current, place ?? current.current)}</span>
        </span>
      ) : null}
      <span class="stretch" />
      {quotes.length > 0 ? (
        <span class="walk">
          <IconButton icon="chevron-left" label={`${strings.previousEvidence} (p)`} onPress={() => moveEvidence(app, -1)} />
          <span class="walk-count">{evidencePosition(quotes, findingId)}</span>
          <IconButton icon="chevron-right" label={`${strings.nextEvidence} (n)`} onPress={() => moveEvidence(app, 1)} />
        </span>
      ) : null}
    </div>
  );
}
