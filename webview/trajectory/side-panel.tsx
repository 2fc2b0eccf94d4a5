/** The panel at the right: findings, and the label with its categories, note and spans. */
import type { LocatedVerdict } from "#protocol/lsp";
import { strings, fill } from "#protocol/strings";
import { removeSpan } from "../actions/label";
import { setNow, useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { lookOf, type CategoryLook } from "../state/marks";
import { IconButton } from "../ui/icon";
import { CategoryList } from "./categories";
import { Findings } from "./findings";
import { Orphans } from "./kept-notice";
import { NoteField } from "./note-field";
import { Sides } from "./sides";

function OwnSpans({ doc, looks }: { readonly doc: ReadyDocument; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const app = useApp();
  const { spans } = doc.label;
  if (spans.length === 0) return <p class="dim panel-empty">{strings.noSpans}</p>;
  return (
    <ul class="spans">
      {spans.map((span) => {
        const look = lookOf(looks, span.category);
        const go = () => {
          void app.transcript?.jump({ step: span.step, part: span.part, start: span.start, end: span.end, markRef: span.id }).then(() => setNow(app, { spanId: span.id }));
        };
        return (
          <li key={span.id} class={look.hue >= 0 ? `hue-${look.hue}` : ""}>
            <button type="button" class="finding-button" data-span={span.id} onClick={go}>
              <span class="finding-head">
                {look.tag ? <span class="tag">{look.tag}</span> : null}
                <span class="dim">{fill(strings.step, { n: span.step })}</span>
                {span.note ? <span class="dim span-note" dir="auto">{span.note}</span> : null}
              </span>
              <span class="quote" dir="auto">{span.exact.slice(0, 160)}</span>
            </button>
            <IconButton icon="trash" label={strings.deleteSpan} onPress={() => removeSpan(app, span.id)} />
          </li>
        );
      })}
    </ul>
  );
}

export function SidePanel({ doc, verdict, looks }: { readonly doc: ReadyDocument; readonly verdict: LocatedVerdict | undefined; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  return (
    <aside class="side-panel" aria-label={strings.findings}>
      {doc.snapshot.session ? <Sides session={doc.snapshot.session} looks={looks} /> : null}
      <section class="panel-section panel-findings">
        <h2 class="side-title">{strings.findings} {verdict && !doc.snapshot.blind ? <span class="count">{verdict.quotes.length}</span> : null}</h2>
        <Findings verdict={verdict} looks={looks} isBlind={doc.snapshot.blind} />
      </section>
      <section class="panel-section">
        <h2 class="side-title">{strings.ownSpans} {doc.label.spans.length > 0 ? <span class="count">{doc.label.spans.length}</span> : null}</h2>
        <OwnSpans doc={doc} looks={looks} />
      </section>
      <Orphans doc={doc} looks={looks} />
      <section class="panel-section">
        <h2 class="side-title">{strings.categories}</h2>
        <CategoryList doc={doc} looks={looks} />
      </section>
      <section class="panel-section">
        <h2 class="side-title">{strings.note}</h2>
        <NoteField doc={doc} isLong />
      </section>
    </aside>
  );
}
