/** How the run ended, before its middle: status, final patch or answer, and what the benchmark said of it unless the reader is blind. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Outcome } from "#core/trajectory/model";
import type { Snapshot } from "#protocol/webview";
import { strings, fill } from "#protocol/strings";
import { useApp } from "../state/app";
import { useStore } from "../state/store";
import { drawWindow } from "../text/draw-content";
import { patchOf } from "../text/edits";
import { countLines } from "../text/windows";
import { Icon } from "../ui/icon";
import { amount } from "./format";

const shownLines = 10;
/** The most of a final patch that the card shows; the rest stands in the steps. */
const maxLines = 240;

/** A text that is no part of a step, folded beyond some lines. */
function CardText({ text, name }: { readonly text: string; readonly name: string }) {
  const app = useApp();
  const isOpen = useStore(app.view, (view) => view.folds[name] === false);
  const ref = useRef<HTMLDivElement>(null);
  const lines = countLines(text);
  const patch = useMemo(() => patchOf(text), [text]);
  useLayoutEffect(() => {
    if (!ref.current) return;
    const limit = isOpen ? maxLines : shownLines;
    if (patch) {
      const rows = patch.slice(0, limit);
      drawWindow(ref.current, text, { kind: "diff", start: 0, end: text.length, lines: rows.length, rows }, {}, []);
    } else {
      const cut = text.split("\n", limit).join("\n").slice(0, limit * 300);
      drawWindow(ref.current, cut, { kind: "plain", start: 0, end: cut.length, lines: limit, sgr: {} }, {}, []);
    }
  }, [text, isOpen]);
  const toggle = () => app.view.update((view) => ({ ...view, folds: { ...view.folds, [name]: isOpen } }));
  return (
    <div class="card-text">
      <div ref={ref} class={patch ? "mono window" : "prose plain window"} dir="auto" />
      {lines > shownLines || text.length > shownLines * 300 ? (
        <button type="button" class="fold-more" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? strings.showLess : fill(strings.showAll, { n: amount(lines, text.length) })}
        </button>
      ) : null}
    </div>
  );
}

function Rows({ rows }: { readonly rows: readonly { readonly name: string; readonly value: string }[] }) {
  return (
    <dl class="facts">
      {rows.slice(0, 24).map((row) => (
        <div key={row.name}>
          <dt>{row.name}</dt>
          <dd dir="auto">{row.value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Status({ outcome, isBlind }: { readonly outcome: Outcome; readonly isBlind: boolean }) {
  return (
    <>
      {outcome.status ? <span class="outcome-status">{outcome.status}</span> : null}
      {!isBlind && outcome.success !== undefined ? (
        <span class={outcome.success ? "good" : "bad"}>
          <Icon name={outcome.success ? "pass" : "error"} /> {outcome.success ? strings.succeeded : strings.failed}
        </span>
      ) : null}
      {outcome.error ? <span class="error-line">{outcome.error.slice(0, 300)}</span> : null}
    </>
  );
}

export function OutcomeCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const outcome = snapshot.header?.outcome ?? {};
  const metadata = snapshot.header?.metadata ?? [];
  return (
    <section class="card" aria-label={strings.outcome}>
      <div class="card-head">
        <span class="role">{strings.outcome}</span>
        <Status outcome={outcome} isBlind={snapshot.blind} />
      </div>
      {!snapshot.blind && outcome.details?.length ? <Rows rows={outcome.details} /> : null}
      {outcome.submission ? <CardText text={outcome.submission} name="outcome" /> : null}
      {metadata.length > 0 && !snapshot.blind ? (
        <details class="extra">
          <summary>{strings.metadata}</summary>
          <Rows rows={metadata} />
        </details>
      ) : null}
    </section>
  );
}

export function TaskCard({ text }: { readonly text: string }) {
  return (
    <section class="card" aria-label={strings.task}>
      <div class="card-head">
        <span class="role">{strings.task}</span>
      </div>
      <CardText text={text} name="task" />
    </section>
  );
}
