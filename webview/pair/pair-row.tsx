/** One row of the comparison: a step of each half beside the other, with what differs marked by word, and the spans of both. */
import { partDifferences, type PartDifference } from "#core/pairs/align";
import type { Part, Step } from "#core/trajectory/model";
import type { HalfSpan, PairFindingView, PairRow } from "#protocol/pairs";
import { fill } from "#protocol/strings";
import { pairStrings as words } from "#protocol/strings-pairs";
import { Icon } from "../ui/icon";
import { memo } from "../ui/memo";
import { runsOf, type Run } from "./runs";

export interface RowContext {
  /** Names of categories, and the hue of each. */
  readonly titles: ReadonlyMap<string, { readonly title: string; readonly hue: number }>;
  readonly leftMarks: readonly HalfSpan[];
  readonly rightMarks: readonly HalfSpan[];
}

interface RowProps { readonly row: PairRow; readonly left: Step | undefined; readonly right: Step | undefined; readonly context: RowContext; readonly isCurrent: boolean; readonly findings?: readonly PairFindingView[] | undefined }

function RunText({ run, side, context }: { readonly run: Run; readonly side: "left" | "right"; readonly context: RowContext }) {
  const text = run.isChanged ? (side === "left" ? <del>{run.text}</del> : <ins>{run.text}</ins>) : run.text;
  const [span] = run.spans;
  if (!span) return <>{text}</>;
  const category = span.category === undefined ? undefined : context.titles.get(span.category);
  const what = [category?.title ?? span.category, span.note].filter(Boolean).join(": ");
  return <mark class={`mark pair-mark hue-${(category?.hue ?? 5) % 6}`} title={fill(words.span, { what: what === "" ? words.ownLabel.split(":")[0]! : what })}>{text}</mark>;
}

interface SideProps { readonly step: Step | undefined; readonly side: "left" | "right"; readonly differences: readonly PartDifference[]; readonly context: RowContext }

function Side({ step, side, differences, context }: SideProps) {
  if (!step) return <div class={`half is-${side} is-missing`}><span class="dim">{words.notHere}</span></div>;
  const marks = (side === "left" ? context.leftMarks : context.rightMarks).filter((span) => span.step === step.index);
  return (
    <div class={`half is-${side}`}>
      <div class="half-line"><span class="step-number">{step.index}</span> <span class="half-role">{words.roles[step.role]}</span></div>
      {step.parts.map((part, at) => {
        const found = differences.find((difference) => difference[side] === at);
        const pieces = found?.pieces ?? [{ kind: "same" as const, value: part.text }];
        return <PartText key={at} part={part} runs={runsOf(pieces, side, marks.filter((span) => span.part === at))} side={side} context={context} />;
      })}
    </div>
  );
}

function PartText({ part, runs, side, context }: { readonly part: Part; readonly runs: readonly Run[]; readonly side: "left" | "right"; readonly context: RowContext }) {
  return (
    <div class={`half-part is-${part.kind}`}>
      {part.kind === "text" ? null : <span class="part-kind">{words.kinds[part.kind]}{part.toolName ? ` · ${part.toolName}` : ""}</span>}
      <div class="half-text" dir="auto">{runs.map((run, n) => <RunText key={n} run={run} side={side} context={context} />)}</div>
    </div>
  );
}

const notes: Readonly<Record<PairRow["kind"], string | undefined>> = { equal: undefined, changed: undefined, white: words.whiteSpace, left: words.onlyLeft, right: words.onlyRight };

export const PairRowView = memo(function PairRowView({ row, left, right, context, isCurrent, findings }: RowProps) {
  const differences = left && right && row.kind !== "equal" ? partDifferences(left, right) : [];
  const note = notes[row.kind];
  return (
    <section class={`pair-row is-${row.kind}${isCurrent ? " is-current" : ""}`} tabIndex={-1} data-row={`${row.left ?? ""}:${row.right ?? ""}`}>
      {note === undefined ? null : <p class="row-note dim">{note}</p>}
      {findings?.map(({ code, message, fix }) => <p key={code + message} class="row-finding"><Icon name="warning" /> <span>{message} <span class="finding-fix">{fix}</span></span></p>)}
      <div class="row-halves">
        <Side step={left} side="left" differences={differences} context={context} />
        <Side step={right} side="right" differences={differences} context={context} />
      </div>
    </section>
  );
});
