/** The column at the left: the file's trajectories when it holds several, and the outline of the one that is open. */
import type { ComponentChildren } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { TrajectoryItem } from "#protocol/lsp";
import { strings, fill } from "#protocol/strings";
import { goToSample } from "../actions/samples";
import { useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import type { MarksByPart } from "../state/marks";
import { useStore } from "../state/store";
import { plainWords } from "../text/scan";
import { Icon } from "../ui/icon";
import { TextField } from "../ui/text-field";
import { labelIcons, labelTitles, recordName } from "./format";
import { readingOrder } from "./reading-order";
import { useVirtualList } from "./virtual-list";

const rowHeight = 22;

/** What a row shows; every element counts, there are some fifty rows in sight. */
interface Drawn { readonly className?: string; readonly title?: string; readonly content: ComponentChildren }

/** A virtual list of rows of one height, moved through with the arrow keys. */
function SideList<T>({ items, current, label, draw, onPick, keyOf }: {
  readonly items: readonly T[];
  readonly current: number;
  readonly label: string;
  readonly draw: (item: T) => Drawn;
  readonly onPick: (item: T) => void;
  readonly keyOf: (item: T) => string;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(-1);
  const stop = focused >= 0 && focused < items.length ? focused : Math.max(0, current);
  const list = useVirtualList({
    count: items.length, element: useCallback(() => scroller.current, []), keyOf: useCallback((index: number) => keyOf(items[index]!), [items]),
    estimate: useCallback(() => rowHeight, []), overscan: 2, pinned: [stop],
  });
  const onKey = (event: KeyboardEvent) => {
    const next = event.key === "ArrowDown" ? stop + 1 : event.key === "ArrowUp" ? stop - 1 : event.key === "Home" ? 0 : event.key === "End" ? items.length - 1 : -1;
    if (next < 0 || next >= items.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setFocused(next);
    list.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() => requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus({ preventScroll: true })));
  };
  return (
    <div class="side-scroll" ref={scroller} onKeyDown={onKey}>
      <ul class="side-list" aria-label={label} style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map((row) => {
          const drawn = draw(items[row.index]!);
          return <li key={row.key} style={{ transform: `translateY(${row.start}px)` }} aria-setsize={items.length} aria-posinset={row.index + 1}>
            <button
              type="button" class={`side-row ${drawn.className ?? ""}${row.index === current ? " is-current" : ""}`} title={drawn.title} data-row={row.index} tabIndex={row.index === stop ? 0 : -1}
              aria-current={row.index === current ? "true" : undefined} onFocus={() => setFocused(row.index)} onClick={() => onPick(items[row.index]!)}
            >
              {drawn.content}
            </button>
          </li>;
        })}
      </ul>
    </div>
  );
}

/** Titles that several trajectories share: only their ids tell those apart. */
function repeatedTitles(items: readonly TrajectoryItem[]): ReadonlySet<string> {
  const seen = new Set<string>(), repeated = new Set<string>();
  for (const { title } of items) if (title !== undefined) (seen.has(title) ? repeated : seen).add(title);
  return repeated;
}

function TrajectoryList({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  const [query, setQuery] = useState("");
  const { items, index, labelled, blind } = doc.snapshot;
  const own = useMemo(() => new Map(labelled.map((entry) => [entry.index, entry.label])), [labelled]);
  const repeated = useMemo(() => repeatedTitles(items), [items]);
  const words = query.toLowerCase();
  const shown = useMemo(() => items.filter((item) => `${item.title ?? ""} ${item.id}`.toLowerCase().includes(words)), [items, words]);
  const draw = (item: TrajectoryItem) => {
    const label = own.get(item.index);
    const isCorrected = !blind && item.label !== undefined && (label === "benign" || label === "misbehavior") && label !== item.label;
    const title = [item.id, label ? `${strings.you}: ${labelTitles[label]}` : strings.noLabel, !blind && item.label ? fill(strings.originalLabel, { label: labelTitles[item.label] }) : ""];
    const content = (
      <>
        {item.problem ? <Icon name="warning" /> : label ? <Icon name={labelIcons[label]} /> : <Icon name="circle-outline" />}
        <span class="side-text" dir="auto">{item.title === undefined ? item.id : repeated.has(item.title) ? `${recordName(item.id)} · ${item.title}` : item.title}</span>
        {!blind && item.label ? <span class="side-note">{isCorrected ? strings.corrected : item.label === "misbehavior" ? "mis" : "ben"}</span> : null}
      </>
    );
    return { className: item.parent === undefined ? "" : "is-child", title: title.filter(Boolean).join("\n"), content };
  };
  return (
    <section class="side-section" aria-label={strings.trajectories}>
      <h2 class="side-title">
        {doc.snapshot.session ? strings.items : strings.trajectories} <span class="count">{items.length}</span>
      </h2>
      {items.length > 8 ? <TextField className="side-filter" value={query} onValue={setQuery} label={strings.filterTrajectories} placeholder={strings.filterTrajectories} /> : null}
      {shown.length === 0 ? <p class="dim side-empty">{fill(strings.noMatch, { query })}</p> : (
        <SideList items={shown} current={shown.findIndex((item) => item.index === index)} label={strings.trajectories} draw={draw} keyOf={(item) => String(item.index)} onPick={(item) => goToSample(app, item.index)} />
      )}
    </section>
  );
}

function Outline({ doc, marks }: { readonly doc: ReadyDocument; readonly marks: MarksByPart }) {
  const app = useApp();
  const step = useStore(app.view, (view) => view.step);
  const { outline } = doc.snapshot;
  const rows = useMemo(() => readingOrder(outline).map((index) => outline[index]!), [outline]);
  const marked = useMemo(() => {
    const found = new Map<number, { evidence: boolean; own: boolean }>();
    for (const mark of [...marks.values()].flat()) {
      if (mark.layer === "hit") continue;
      const entry = found.get(mark.step) ?? { evidence: false, own: false };
      entry[mark.layer === "side" ? "own" : mark.layer] = true;
      found.set(mark.step, entry);
    }
    return found;
  }, [marks]);
  return (
    <section class="side-section side-outline" aria-label={strings.outline}>
      <h2 class="side-title">{strings.outline}</h2>
      <SideList
        items={rows} current={rows.findIndex((row) => row.index === step)} label={strings.outline} keyOf={(row) => String(row.index)}
        onPick={(row) => app.transcript?.showStep(row.index, false)}
        draw={(row) => {
          const flags = marked.get(row.index);
          const content = (
            <>
              <span class="number">{row.index}</span>
              <span class="side-text" dir="auto">{plainWords(row.label) || strings[row.role]}</span>
              {row.error ? <span class="side-flag is-error" title={strings.error}>!</span> : null}
              {flags?.evidence ? <span class="side-flag" title={strings.evidence}>ev</span> : null}
              {flags?.own ? <span class="side-flag" title={strings.ownSpan}>▐</span> : null}
            </>
          );
          return { className: `row-${row.role}`, content };
        }}
      />
    </section>
  );
}

export function Sidebar({ doc, marks }: { readonly doc: ReadyDocument; readonly marks: MarksByPart }) {
  return (
    <nav class="sidebar" aria-label={strings.outline}>
      {doc.snapshot.items.length > 1 ? <TrajectoryList doc={doc} /> : null}
      <Outline doc={doc} marks={marks} />
    </nav>
  );
}
