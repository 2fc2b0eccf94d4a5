/** The pair view: both halves aligned step by step, equal stretches folded, and what the pair check says. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Step } from "#core/trajectory/model";
import type { HalfView, PairFindingView, PairReviewView, PairSnapshot } from "#protocol/pairs";
import { fill } from "#protocol/strings";
import { pairStrings as words } from "#protocol/strings-pairs";
import { Icon, IconButton } from "../ui/icon";
import { takesText } from "../ui/keys";
import { Facts } from "./facts";
import { Findings } from "./findings";
import type { PairHost } from "./host";
import { PairRowView, type RowContext } from "./pair-row";
import { BlindLabels, ReviewButtons, ReviewLine, StatusChip } from "./review";
import { stretchesOf } from "./runs";

interface HeadProps { readonly half: HalfView; readonly side: "left" | "right"; readonly review: PairReviewView; readonly host: PairHost }

function HalfHead({ half, side, review, host }: HeadProps) {
  return (
    <div class={`half-head is-${side}`} aria-label={words[side]} role="group">
      <h2>{half.id}</h2>
      <Facts facts={review.status === half.status ? { ...half, status: undefined } : half} />
      <span class="dim">{half.own === null ? words.noOwnLabel : fill(words.ownLabel, { label: words.label[half.own] ?? half.own })}</span>
      <span class="stretch" />
      {half.isEditable ? <button type="button" class="text-button" onClick={() => host.post({ type: "half/edit", half: side })}>{words.edit}</button> : null}
      <button type="button" class="text-button" onClick={() => host.post({ type: "half/open", half: side })}>{words.open}</button>
      <BlindLabels review={review} half={half} at={side === "left" ? 0 : 1} />
    </div>
  );
}

/** Steps by their index, those of folded rows as they are asked for. */
type Known = ReadonlyMap<number, Step>;
const withSteps = (known: Known, steps: readonly Step[]): Known => new Map([...known, ...steps.map((step) => [step.index, step] as const)]);

/** The findings that have a place, by the position of the row they stand in. */
function findingsByRow({ findings, halves, rows }: PairSnapshot): ReadonlyMap<number, readonly PairFindingView[]> {
  const byRow = new Map<number, PairFindingView[]>();
  for (const finding of findings) {
    if (finding.step === undefined) continue;
    const side = finding.sampleId === halves[1]?.id ? "right" : "left";
    const at = rows.findIndex((row) => row[side] === finding.step);
    if (at >= 0) byRow.set(at, [...(byRow.get(at) ?? []), finding]);
  }
  return byRow;
}

interface PairProps { readonly snapshot: PairSnapshot; readonly host: PairHost; readonly left: Known; readonly right: Known }

function Pair({ snapshot, host, left, right }: PairProps) {
  const [current, setCurrent] = useState(-1);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const main = useRef<HTMLElement>(null);
  const stretches = useMemo(() => stretchesOf(snapshot.rows), [snapshot.rows]);
  const differing = useMemo(() => stretches.flatMap((stretch) => (stretch.kind === "row" ? [stretch.first] : [])), [stretches]);
  const [first, second] = snapshot.halves;
  const context = useMemo<RowContext>(() => ({
    titles: new Map(snapshot.categories.map(({ id, title }, hue) => [id, { title, hue }])), leftMarks: first?.marks ?? [], rightMarks: second?.marks ?? [],
  }), [snapshot]);
  const findingsAt = useMemo(() => findingsByRow(snapshot), [snapshot]);
  const show = (selector: string) => requestAnimationFrame(() => {
    const row = main.current?.querySelector<HTMLElement>(selector);
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
  });
  const go = (by: number) => {
    if (differing.length === 0) return;
    const next = current < 0 ? (by > 0 ? 0 : differing.length - 1) : (current + by + differing.length) % differing.length;
    setCurrent(next);
    show(".pair-row.is-current");
  };
  const unfold = (at: number, isOpen: boolean) => {
    const stretch = stretches.find((one) => one.kind === "fold" && one.first === at);
    if (isOpen && stretch?.kind === "fold") host.post({ type: "pair/stepsWanted", left: stretch.rows.map((row) => row.left ?? 0), right: stretch.rows.map((row) => row.right ?? 0) });
    const next = new Set(unfolded);
    if (isOpen) next.add(at);
    else next.delete(at);
    setUnfolded(next);
  };
  const showStep = (sampleId: string, step: number) => {
    const side = sampleId === second?.id ? "right" : "left";
    const at = snapshot.rows.findIndex((row) => row[side] === step);
    if (at < 0) return;
    const place = differing.indexOf(at);
    if (place >= 0) setCurrent(place);
    else unfold(stretches.find((one) => one.kind === "fold" && one.first <= at && at < one.first + one.rows.length)?.first ?? -1, true);
    show(side === "left" ? `[data-row^="${step}:"]` : `[data-row$=":${step}"]`);
  };
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.composedPath()[0])) return;
      const by = event.key === "n" || (event.key === "F7" && !event.shiftKey) ? 1 : event.key === "p" || (event.key === "F7" && event.shiftKey) ? -1 : 0;
      if (by === 0) return;
      event.preventDefault();
      latest.current(by);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  const count = differing.length === 0 ? words.noDifferences : current >= 0 ? fill(words.position, { n: current + 1, total: differing.length }) : differing.length === 1 ? words.oneDifference : fill(words.differences, { n: differing.length });
  return (
    <main class="pair" ref={main}>
      <header class="pair-head">
        <h1>{fill(words.pair, { id: snapshot.pairId })}</h1>
        <StatusChip status={snapshot.review.status} />
        <ReviewButtons review={snapshot.review} host={host} />
        <span class="stretch" />
        <span class="pair-count" role="status">{count}</span>
        <IconButton icon="arrow-up" label={words.previous} disabled={differing.length === 0} onPress={() => go(-1)} />
        <IconButton icon="arrow-down" label={words.next} disabled={differing.length === 0} onPress={() => go(1)} />
      </header>
      <ReviewLine review={snapshot.review} />
      <Findings findings={snapshot.findings} onShow={showStep} />
      {second ? null : <p class="notice is-warning" role="note">{words.oneHalf}</p>}
      <div class="halves-head">{first ? <HalfHead half={first} side="left" review={snapshot.review} host={host} /> : null}{second ? <HalfHead half={second} side="right" review={snapshot.review} host={host} /> : null}</div>
      <div class="pair-rows">
        {stretches.map((stretch) => {
          if (stretch.kind === "row") {
            const { row, first: at } = stretch;
            return <PairRowView key={`r${at}`} row={row} left={row.left === undefined ? undefined : left.get(row.left)} right={row.right === undefined ? undefined : right.get(row.right)} context={context} isCurrent={differing[current] === at} findings={findingsAt.get(at)} />;
          }
          const isOpen = unfolded.has(stretch.first);
          const n = stretch.rows.length;
          return (
            <div key={`f${stretch.first}`} class="pair-fold">
              <button type="button" class="fold-button" aria-expanded={isOpen} onClick={() => unfold(stretch.first, !isOpen)}>
                <Icon name={isOpen ? "fold" : "unfold"} /> {isOpen ? words.fold : n === 1 ? words.foldedOne : fill(words.foldedMany, { n })}
                {isOpen ? null : <span class="dim fold-label">{first?.steps[stretch.rows[0]?.left ?? 0]?.label}</span>}
              </button>
              {isOpen ? stretch.rows.map((row, n) => <PairRowView key={row.left} findings={findingsAt.get(stretch.first + n)} row={row} left={left.get(row.left ?? -1)} right={right.get(row.right ?? -1)} context={context} isCurrent={false} />) : null}
            </div>
          );
        })}
      </div>
    </main>
  );
}

export function PairView({ host }: { readonly host: PairHost }) {
  const [state, setState] = useState<{ snapshot: PairSnapshot; left: Known; right: Known } | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  useEffect(() => {
    const stop = host.onMessage((message) => {
      if (message.type === "error/raised") setError(message.message);
      else if (message.type === "pair/snapshot") {
        const { snapshot } = message;
        setError(undefined);
        // Steps that were asked for before may be others now.
        setState({ snapshot, left: withSteps(new Map(), snapshot.left), right: withSteps(new Map(), snapshot.right) });
      } else if (message.type === "pair/steps") setState((before) => before && { ...before, left: withSteps(before.left, message.left), right: withSteps(before.right, message.right) });
    });
    host.post({ type: "view/ready" });
    return stop;
  }, []);
  if (!state) return <main class="pair"><p class={error === undefined ? "late dim" : "notice is-error"}>{error ?? words.loading}</p></main>;
  return (
    <>
      {error === undefined ? null : <div class="notice is-error" role="alert"><Icon name="error" /> <span>{error}</span></div>}
      <Pair snapshot={state.snapshot} host={host} left={state.left} right={state.right} />
    </>
  );
}
