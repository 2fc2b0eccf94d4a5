/** One row of the transcript. Rows are drawn again only when something they show has changed. */
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import type { Step } from "#core/trajectory/model";
import { strings, fill } from "#protocol/strings";
import type { Snapshot } from "#protocol/webview";
import { drawWindow } from "../text/draw-content";
import { plainWords } from "../text/scan";
import { paintHits } from "../text/hit-highlights";
import type { Mark } from "../text/mark";
import { memo } from "../ui/memo";
import { ExtrasRow } from "./extras";
import { OutcomeCard, TaskCard } from "./outcome-card";
import { PartHead } from "./part-head";
import { useFold } from "./fold";
import { amount } from "./format";
import type { Row } from "./rows";
import { StepHead } from "./step-head";

export interface RowViewProps {
  readonly row: Row;
  readonly index: number;
  readonly measure: (element: HTMLElement | null) => void;
  readonly step: Step | undefined;
  readonly marks: readonly Mark[] | undefined;
  /** The reader points at this step, or stands on it: its small buttons are drawn. */
  readonly isActive: boolean;
  /** The snapshot for cards and for steps that are not loaded; undefined for the others, so that they need not follow it. */
  readonly snapshot: Snapshot | undefined;
  /** Height in px of a step that is not loaded: what it will need, so that no more of them are in sight than will be. */
  readonly height: number | undefined;
}

const noMarks: readonly Mark[] = [];

/** A window of a part: the only place where recorded text is put on the page. */
const PartWindow = memo(function PartWindow({ row, step, marks }: { readonly row: Extract<Row, { kind: "part" }>; readonly step: Step; readonly marks: readonly Mark[] }) {
  const part = step.parts[row.part];
  const drawn = useRef<{ element: HTMLElement | null; inputs: readonly unknown[] }>({ element: null, inputs: [] });
  const inputs = [part, row.window, row.content, marks];
  const draw = (element: HTMLElement | null) => {
    const before = drawn.current;
    if (before.element === element && before.inputs.every((input, n) => input === inputs[n])) return;
    if (!element && before.element) paintHits(before.element, []);
    drawn.current = { element, inputs };
    if (element && part && row.window) drawWindow(element, part.text, row.window, row.content, marks);
  };
  // A new element is drawn as its ref is set, before any row is measured: measuring between drawing costs a layout each.
  const latest = useRef(draw);
  latest.current = draw;
  const ref = useCallback((element: HTMLElement | null) => latest.current(element), []);
  useLayoutEffect(() => draw(drawn.current.element), inputs);
  const isMono = part?.kind === "tool_call" || part?.kind === "tool_result";
  const look = row.window?.kind === "plain" ? (isMono ? "mono plain" : "prose plain") : row.window?.kind === "diff" ? "mono" : "prose";
  return <div ref={ref} class={`window ${look}`} dir={row.window?.kind === "plain" ? "auto" : undefined} data-step={row.step} data-part={row.part} />;
});

function FoldRow({ row }: { readonly row: Extract<Row, { kind: "fold" }> }) {
  const toggle = useFold(row.step, row.part, row.fold);
  return (
    <button type="button" class="fold-more" aria-expanded={false} onClick={toggle}>
      {fill(strings.showAll, { n: amount(row.fold.lines, row.fold.length) })}
    </button>
  );
}

function PartRow({ row, step, marks }: { readonly row: Extract<Row, { kind: "part" }>; readonly step: Step; readonly marks: readonly Mark[] }) {
  const part = step.parts[row.part];
  if (!part) return null;
  const isEmpty = part.text === "";
  return (
    <div class={`part part-${part.kind}${part.isError ? " is-error" : ""}`}>
      {row.isFirst ? <PartHead row={row} step={step} part={part} /> : null}
      {row.window && !isEmpty ? <PartWindow row={row} step={step} marks={marks} /> : null}
      {isEmpty ? <div class="nothing">{part.kind === "tool_call" ? strings.noArguments : strings.noText}</div> : null}
    </div>
  );
}

function content({ row, step, marks, isActive, snapshot }: RowViewProps) {
  switch (row.kind) {
    case "card":
      if (!snapshot) return null;
      return row.card === "task" ? <TaskCard text={snapshot.header?.task ?? ""} /> : <OutcomeCard snapshot={snapshot} />;
    case "gap":
      return (
        <div class="gap">
          <span class="number">{row.step}</span>
          <span class="gap-label">{plainWords(snapshot?.outline[row.step]?.label ?? "") || fill(strings.loadingStep, { n: row.step })}</span>
        </div>
      );
    case "head":
      return step ? <StepHead row={row} step={step} isActive={isActive} /> : null;
    case "fold":
      return <FoldRow row={row} />;
    case "extras":
      return step ? <ExtrasRow step={step} /> : null;
    case "part":
      return step ? <PartRow row={row} step={step} marks={marks ?? noMarks} /> : null;
  }
}

export const RowView = memo(function RowView(props: RowViewProps) {
  const ref = useRef<HTMLDivElement>(null);
  // Not as a ref: that would measure before the text is drawn, take the row for empty, and draw far too many rows.
  useLayoutEffect(() => {
    props.measure(ref.current);
    return () => props.measure(null);
  }, [props.measure]);
  return (
    <div class={`row row-${props.row.kind}`} data-index={props.index} ref={ref} style={props.height === undefined ? undefined : { height: `${props.height}px` }}>
      {content(props)}
    </div>
  );
});
