/** The line of a review session: where one is, what is withheld, and what can be done beside deciding. */
import type { Session } from "#protocol/webview";
import { strings, fill } from "#protocol/strings";
import { perform } from "../actions/commands";
import { useApp } from "../state/app";
import { Icon } from "../ui/icon";

function Sight({ session }: { readonly session: Session }) {
  if (session.kind === "adjudication") return <span class="session-kind"><Icon name="law" /> {strings.adjudication}</span>;
  if (session.kind === "again") return <span class="session-kind"><Icon name="history" /> {session.sight === "open" || session.sight === "revealed" ? strings.judgeAgain : strings.judgeAgainBlind}</span>;
  const isBlindQueue = session.sight !== "open" && session.name === "";
  const isHidden = session.sight === "hidden" || session.sight === "canReveal";
  const words = isBlindQueue ? strings.blindReview : isHidden ? strings.blindFirst : strings.review;
  return <span class="session-kind"><Icon name={isHidden ? "eye-closed" : "eye"} /> {words}</span>;
}

function Key({ name }: { readonly name: string }) {
  return <kbd aria-hidden="true">{name}</kbd>;
}

export function SessionBar({ session }: { readonly session: Session }) {
  const app = useApp();
  const { position, total, decided, unsure, skipped, stale = 0 } = session;
  const counts = [
    fill(strings.countDecided, { n: decided }), ...(unsure > 0 ? [fill(strings.countUnsure, { n: unsure })] : []), ...(skipped > 0 ? [fill(strings.countSkipped, { n: skipped })] : []),
    ...(stale > 0 ? [fill(strings.countStale, { n: stale })] : []),
  ].join(" · ");
  return (
    <section class="session-bar" aria-label={strings.review}>
      <Sight session={session} />
      <strong class="session-place">{fill(strings.itemOf, { n: position, count: total })}</strong>
      <div class="session-meter" role="progressbar" aria-label={strings.progressMeter} aria-valuemin={0} aria-valuemax={total} aria-valuenow={decided + unsure}>
        <div style={{ width: `${total === 0 ? 0 : (100 * (decided + unsure)) / total}%` }} />
      </div>
      <span class="dim">{counts}</span>
      {session.state === "skipped" ? <span class="session-note">{strings.skipped}</span> : null}
      {session.sight === "revealed" ? <span class="session-note">{strings.revealed}</span> : null}
      {session.note ? <span class="session-note" title={session.note}>{session.note}</span> : null}
      <span class="stretch" />
      {session.kind !== "adjudication" && session.sight !== "open" && session.sight !== "revealed" ? (
        <button type="button" class="text-button" disabled={session.sight === "hidden"} title={session.sight === "hidden" ? strings.revealFirst : strings.reveal} onClick={() => perform(app, "session/reveal")}>
          {strings.reveal} <Key name="⇧R" />
        </button>
      ) : null}
      <button type="button" class="text-button" onClick={() => perform(app, "session/skip")}>{strings.skip} <Key name="⇧S" /></button>
    </section>
  );
}
