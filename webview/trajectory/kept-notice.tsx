/** A label that was made on another version of the log: what of it stands, the way to carry it over, and the words that are gone. */
import { strings, fill } from "#protocol/strings";
import { carrySpans } from "../actions/label";
import { useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { lookOf, type CategoryLook } from "../state/marks";
import { Icon } from "../ui/icon";
import { labelTitles } from "./format";

export function KeptNotice({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  const { kept } = doc.snapshot;
  if (!kept || (!kept.isStale && (kept.label === null || doc.label.label !== null))) return null;
  const counts = { exact: kept.exact, moved: kept.moved, gone: kept.orphans.length };
  const label = kept.label === null ? "" : labelTitles[kept.label].toLowerCase();
  const words = !kept.isStale ? fill(strings.keptCarried, { label }) : fill(label === "" ? strings.keptStaleDraft : strings.keptStale, { label, ...counts });
  return (
    <div class="notice is-kept" role="status">
      <Icon name="history" /> <span>{words}{label === "" ? null : <> {strings.keptDecide}</>}</span>
      {kept.isStale ? <button type="button" class="text-button" onClick={() => carrySpans(app)}>{strings.carrySpans} <kbd aria-hidden="true">⇧C</kbd></button> : null}
    </div>
  );
}

/** Spans of the label whose words are not in the log any more. */
export function Orphans({ doc, looks }: { readonly doc: ReadyDocument; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const { orphans = [] } = doc.snapshot.kept ?? {};
  if (orphans.length === 0) return null;
  return (
    <section class="panel-section">
      <h2 class="side-title">{strings.orphans} <span class="count">{orphans.length}</span></h2>
      <ul class="spans" title={strings.orphanTitle}>
        {orphans.map(({ step, exact, category, note }, at) => {
          const look = lookOf(looks, category);
          return (
            <li key={at} class={`orphan${look.hue >= 0 ? ` hue-${look.hue}` : ""}`}>
              <span class="finding-head">
                {look.tag ? <span class="tag">{look.tag}</span> : null}
                <span class="dim">{fill(strings.step, { n: step })}</span>
                {note ? <span class="span-note" dir="auto">{note}</span> : null}
              </span>
              <del class="quote" dir="auto">{exact.slice(0, 160)}</del>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
