/** The labels that disagree, side by side with the transcript: what each says, why, and where. */
import type { Session, SessionSide } from "#protocol/webview";
import { strings, fill } from "#protocol/strings";
import { act } from "../actions/session";
import { useApp } from "../state/app";
import { lookOf, type CategoryLook } from "../state/marks";
import { Icon } from "../ui/icon";
import { labelIcons, labelTitles } from "./format";

const hueClass = (looks: ReadonlyMap<string, CategoryLook>, category: string | undefined): string => {
  const { hue } = lookOf(looks, category);
  return hue >= 0 ? `hue-${hue}` : "";
};

function Side({ side, looks }: { readonly side: SessionSide; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const app = useApp();
  const { letter, annotator, label, categories, note, spans, changedTo } = side;
  return (
    <li class="side">
      <div class="side-head">
        <span class="side-letter">{letter}</span>
        {label ? <><Icon name={labelIcons[label]} /> <strong>{labelTitles[label]}</strong></> : <span class="dim">{strings.noLabel}</span>}
        {annotator ? <span class="dim" dir="auto">{annotator}</span> : null}
        <span class="stretch" />
        <button type="button" class="text-button" onClick={() => act(app, "side", letter)}>
          {fill(strings.sideWith, { letter })} {letter === "A" || letter === "B" ? <kbd aria-hidden="true">⇧{letter}</kbd> : null}
        </button>
      </div>
      {changedTo === undefined ? null : <p class="dim">{fill(strings.changedTo, { label: changedTo === null ? strings.noLabel : labelTitles[changedTo].toLowerCase() })}</p>}
      {categories.length > 0 ? (
        <p class="side-categories">
          {categories.map((id) => {
            const look = lookOf(looks, id);
            return <span key={id} class={`category-word${look.hue >= 0 ? ` hue-${look.hue}` : ""}`}><span class="tag">{look.tag}</span> {look.title}</span>;
          })}
        </p>
      ) : null}
      {note ? <p class="side-words" dir="auto">{note}</p> : null}
      {spans.length > 0 ? (
        <ul class="spans">
          {spans.map((span) => (
            <li key={span.id} class={hueClass(looks, span.category)}>
              <button type="button" class="finding-button" onClick={() => void app.transcript?.jump({ step: span.step, part: span.part, start: span.start, end: span.end, markRef: `s:${span.id}` })}>
                <span class="finding-head">
                  {span.category ? <span class="tag">{lookOf(looks, span.category).tag}</span> : null}
                  <span class="dim">{fill(strings.step, { n: span.step })}</span>
                  {span.note ? <span class="span-note" dir="auto">{span.note}</span> : null}
                  {span.end > span.start ? null : <span class="dim">{strings.goneHere}</span>}
                </span>
                {span.end > span.start ? <span class="quote" dir="auto">{span.exact.slice(0, 160)}</span> : <del class="quote" dir="auto">{span.exact.slice(0, 160)}</del>}
              </button>
            </li>
          ))}
        </ul>
      ) : <p class="dim">{strings.noSpansHere}</p>}
    </li>
  );
}

export function Sides({ session, looks }: { readonly session: Session; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  if (!session.sides) return null;
  return (
    <section class="panel-section">
      <h2 class="side-title">{strings.sides} <span class="count">{session.sides.length}</span></h2>
      <p class="dim panel-empty">{[...(session.disagreement ?? []), ...(session.gold ? [fill(strings.goldNow, { gold: session.gold })] : [])].join(" · ")}</p>
      <ul class="sides">{session.sides.map((side) => <Side key={side.letter} side={side} looks={looks} />)}</ul>
      {session.guidelineQuote ? <p class="dim panel-empty" dir="auto">{fill(strings.sentenceNoted, { quote: session.guidelineQuote })}</p> : null}
    </section>
  );
}
