/** The transcript: task, outcome and steps as one virtual document. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { strings, fill } from "#protocol/strings";
import { useApp } from "../state/app";
import { useStore } from "../state/store";
import type { ReadyDocument } from "../state/document";
import type { MarksByPart } from "../state/marks";
import { buildRows, groupByStep, type RowModel } from "./row-model";
import { RowView } from "./row-view";
import { estimateHeight } from "./rows";
import { TallScroller } from "./tall-scroller";
import { useVirtualList } from "./virtual-list";
import { createTranscriptPort } from "./jump";
import { useFollowEnd } from "./follow-end";
import { useHeldPlace } from "./held-place";
import { useScrollMemory } from "./scroll-memory";
import { useHeldSelection, useSelectionRows, watchSelection } from "./selection";
import { useTranscriptEvents } from "./transcript-events";
import { MarksLane } from "./marks-lane";

/** Steps beyond the drawn ones that are read ahead. */
const readAhead = 30;

function useRowModel(doc: ReadyDocument): RowModel {
  const app = useApp();
  const folds = useStore(app.view, (view) => view.folds);
  const sources = useStore(app.view, (view) => view.sources);
  const version = useStore(app.now, (now) => now.stepsVersion);
  const { settings } = doc.snapshot;
  const before = useRef<RowModel | undefined>(undefined);
  return useMemo(() => {
    const options = { folds, sources: new Set(sources), showReasoning: settings.showReasoning, renderMarkdown: settings.renderMarkdown };
    return (before.current = buildRows(doc.snapshot, app.steps, options, before.current));
  }, [doc.snapshot.outline, doc.snapshot.header, folds, sources, version, settings]);
}

export function Transcript({ doc, marks }: { readonly doc: ReadyDocument; readonly marks: MarksByPart }) {
  const app = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const tall = useMemo(() => new TallScroller(() => scroller.current), []);
  const model = useRowModel(doc);
  const modelRef = useRef(model);
  modelRef.current = model;
  const [width, setWidth] = useState(800);
  const step = useStore(app.view, (view) => view.step);
  const [hovered, setHovered] = useState(-1);
  const pinned = useSelectionRows(model);
  const list = useVirtualList({
    count: model.rows.length,
    rows: model.rows,
    cameFrom: model.cameFrom,
    basis: useMemo(() => ({}), [width, doc.snapshot.outline]),
    element: useCallback(() => scroller.current, []),
    keyOf: useCallback((index: number) => model.rows.at(index)?.key ?? `#${index}`, [model]),
    estimate: useCallback((index: number) => {
      const row = model.rows.at(index);
      return row ? estimateHeight(row, width, doc.snapshot.outline[row.step]) : 40;
    }, [model, width]),
    overscan: 3,
    pinned,
    keepPlace: true,
    paddingEnd: 120,
    tall,
  });
  const items = list.getVirtualItems();
  const moves = useRef(0);
  const port = useMemo(() => createTranscriptPort(app, () => modelRef.current, list, tall, moves), [list]);
  useLayoutEffect(() => {
    app.transcript = port;
    return () => {
      app.transcript = undefined;
    };
  }, [port]);

  useLayoutEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth - 90));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => watchSelection(app), []);
  useTranscriptEvents(scroller);
  useReadAhead(doc, model, items);
  useScrollMemory(list, model, tall, moves);
  useHeldPlace(list, model, tall, moves);
  useHeldSelection(scroller);
  useFollowEnd(tall, doc.snapshot.outline.length, doc.snapshot.settings.follow ?? false);

  const { ahead, height } = tall.layout(list.getTotalSize());
  // Rows that stay drawn wherever the reader is may be beyond what is laid out of a very tall document.
  const groups = groupByStep(model.rows, tall.isScaled ? items.filter((item) => item.start >= ahead && item.end <= ahead + height) : items);
  const count = doc.snapshot.outline.length;
  let drawnTo = ahead;
  return (
    <div class="transcript-box">
      <div class="transcript" ref={scroller} onPointerOver={(event) => setHovered(stepUnder(event.target))} onPointerLeave={() => setHovered(-1)}>
        <div class="feed" role="feed" aria-label={strings.transcript} aria-busy="false">
          {groups.flatMap((group) => {
            const gap = group.start - drawnTo;
            drawnTo = group.end;
            const isStep = group.step >= 0;
            const outline = doc.snapshot.outline[group.step];
            return [
              gap > 0 ? <div class="spacer" style={{ height: `${gap}px` }} key={`gap ${group.key}`} /> : null,
              <article
                key={group.key}
                class={`step ${outline ? `role-${outline.role}` : "role-card"}${group.step === step && isStep ? " is-current" : ""}`}
                tabIndex={isStep && group.step === step ? 0 : -1}
                data-step-index={group.step}
                aria-posinset={isStep ? group.step + 1 : undefined}
                aria-setsize={isStep ? count : undefined}
                aria-label={outline ? fill(strings.stepOf, { n: group.step, count, role: strings[outline.role] }) : strings.outcome}
              >
                {group.items.flatMap((item, n) => {
                  const row = model.rows.at(item.index)!;
                  const space = n === 0 ? 0 : item.start - group.items[n - 1]!.end;
                  return [
                    space > 0 ? <div class="spacer" style={{ height: `${space}px` }} key={`gap ${row.key}`} /> : null,
                    <RowView
                      key={row.key} row={row} index={item.index} measure={list.measureElement}
                      height={row.kind === "gap" ? item.end - item.start : undefined}
                      snapshot={row.kind === "card" || row.kind === "gap" ? doc.snapshot : undefined}
                      step={row.step >= 0 ? app.steps?.get(row.step) : undefined}
                      marks={"part" in row ? marks.get(`${row.step}.${row.part}`) : undefined}
                      isActive={row.kind === "head" && (row.step === step || row.step === hovered)}
                    />,
                  ];
                })}
              </article>,
            ];
          })}
          <div class="spacer" style={{ height: `${Math.max(0, ahead + height - drawnTo)}px` }} key="end" />
        </div>
      </div>
      <MarksLane model={model} list={list} marks={marks} outline={doc.snapshot.outline} total={list.getTotalSize()} />
    </div>
  );
}

function stepUnder(target: EventTarget | null): number {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-step-index]") : null;
  return element ? Number(element.dataset["stepIndex"]) : -1;
}

/** Reads the steps that are drawn as gaps, and some around them. */
function useReadAhead(doc: ReadyDocument, model: RowModel, items: readonly { index: number }[]): void {
  const app = useApp();
  const first = model.rows.at(items[0]?.index ?? 0)?.step ?? 0;
  const last = model.rows.at(items.at(-1)?.index ?? 0)?.step ?? 0;
  useEffect(() => {
    if (doc.snapshot.serverDown) return;
    void app.steps?.want(Math.max(0, Math.min(first, last) - readAhead), Math.max(first, last) + readAhead);
  }, [first, last, app.steps, doc.snapshot.serverDown]);
}
