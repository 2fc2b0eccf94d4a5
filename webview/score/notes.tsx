/** What a reader should know and no number says, how the samples are labelled on either gold, and what the words mean. */
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import type { ScoreSnapshot } from "#protocol/webview";
import { Icon } from "../ui/icon";
import type { Reports, ScoreReport } from "./report";

/** Every note once, the selection's first. */
export function notesOf(snapshot: ScoreSnapshot, corrected: ScoreReport): string[] {
  const files = snapshot.warnings.map(({ message, line }) => (line === undefined ? message : `${message} (${fill(words.line, { line })})`));
  return [...new Set([corrected.selection.warning, ...(corrected.warnings ?? []), ...files].filter((note): note is string => Boolean(note)))];
}

const countNames = ["misbehavior", "benign", "undecided", "unlabelled", "contested", "stale"] as const;

function GoldTable({ reports: { original, corrected, corrections } }: { readonly reports: Reports }) {
  const count = (report: ScoreReport, name: (typeof countNames)[number]) => report.samples[name];
  return (
    <table class="score-table gold-table">
      <thead><tr><th scope="col" class="row-name">{words.goldTable}</th><th scope="col">{words.original}</th><th scope="col">{words.corrected}</th></tr></thead>
      <tbody>
        {countNames.filter((name) => name === "misbehavior" || name === "benign" || count(original, name) + count(corrected, name) > 0).map((name) => (
          <tr key={name}><th scope="row" class="row-name">{words.sampleWords[name]}</th><td>{count(original, name)}</td><td>{count(corrected, name)}</td></tr>
        ))}
        {corrections === undefined ? null : <tr><th scope="row" class="row-name">{words.overturned.toLowerCase()}</th><td>{words.noValue}</td><td>{corrections}</td></tr>}
      </tbody>
    </table>
  );
}

export function Notes({ notes, reports }: { readonly notes: readonly string[]; readonly reports: Reports }) {
  return (
    <div class="tab-content notes">
      <section>
        <h2>{words.whatToKnow}</h2>
        {notes.length === 0 ? <p class="dim">{words.noNotes}</p> : <ul>{notes.map((note) => <li key={note}><Icon name="warning" /> <span>{note}</span></li>)}</ul>}
      </section>
      <section><GoldTable reports={reports} /></section>
      <section>
        <h2>{words.howToRead}</h2>
        {words.howToReadLines.map((line) => <p key={line}>{line}</p>)}
      </section>
    </div>
  );
}
