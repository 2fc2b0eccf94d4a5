/** Marks beside the scroll bar: where evidence, own spans, find hits and errors stand in the whole transcript. */
import { useMemo } from "preact/hooks";
import type { StepOutline } from "#protocol/lsp";
import { strings, fill } from "#protocol/strings";
import { useApp } from "../state/app";
import type { MarksByPart } from "../state/marks";
import type { Mark } from "../text/mark";
import type { RowModel } from "./row-model";
import { rowAt } from "./rows";
import type { VirtualList } from "./virtual-list";

/** More marks than this in one lane are drawn together; each is an element. */
const maxMarks = 40;

interface LaneMark { readonly at: number; readonly kind: "evidence" | "own" | "side" | "error" | "hit"; readonly hue: number; readonly step: number; readonly mark?: Mark; readonly title: string; count: number }

const rank = { evidence: 0, own: 1, side: 2, error: 3, hit: 4 } as const;

/** Where a place stands, as a share of the whole height. */
function share(model: RowModel, list: VirtualList, total: number, step: number, part?: number, offset?: number): number | undefined {
  const from = model.firstRow.get(step);
  if (from === undefined || total === 0) return undefined;
  const index = rowAt(model.rows, from, step, part, offset);
  const item = list.measurementsCache[index];
  if (!item) return undefined;
  const row = model.rows.at(index);
  let within = 0;
  if (row?.kind === "part" && row.window && offset !== undefined) within = (offset - row.window.start) / Math.max(1, row.window.end - row.window.start);
  return Math.min(1, (item.start + item.size * Math.max(0, Math.min(1, within))) / total);
}

function collect(model: RowModel, list: VirtualList, total: number, marks: MarksByPart, failed: readonly StepOutline[]): LaneMark[] {
  const found: LaneMark[] = [];
  for (const mark of [...marks.values()].flat()) {
    const at = share(model, list, total, mark.step, mark.part, mark.start);
    if (at === undefined) continue;
    const kind = mark.layer;
    found.push({ at, kind, hue: mark.hue, step: mark.step, mark, title: fill(strings.goToMark, { what: mark.title.split("\n")[0] || strings.hitMark, n: mark.step }), count: 1 });
  }
  for (const step of failed) {
    const at = share(model, list, total, step.index);
    if (at !== undefined) found.push({ at, kind: "error", hue: -1, step: step.index, title: fill(strings.goToMark, { what: strings.errorMark, n: step.index }), count: 1 });
  }
  return found.sort((a, b) => a.at - b.at || rank[a.kind] - rank[b.kind]);
}

/** Marks of one kind that lie close together become one, closer and closer until few enough are left. */
function merge(marks: readonly LaneMark[]): LaneMark[] {
  for (let gap = 0.004; ; gap *= 1.7) {
    const merged: LaneMark[] = [];
    const last = new Map<string, LaneMark>();
    for (const mark of marks) {
      const before = last.get(mark.kind);
      if (before && mark.at - before.at < gap) before.count++;
      else {
        const copy = { ...mark };
        merged.push(copy);
        last.set(mark.kind, copy);
      }
    }
    if (merged.length <= maxMarks || gap > 1) return merged;
  }
}

export function MarksLane({ model, list, marks, outline, total }: { readonly model: RowModel; readonly list: VirtualList; readonly marks: MarksByPart; readonly outline: readonly StepOutline[]; readonly total: number }) {
  const app = useApp();
  // A transcript shorter than its box is not stretched.
  const height = Math.max(total, list.scrollRect?.height ?? 0);
  // Positions shift a little with every measured row; whole hundredths of the height are enough to draw again.
  const coarse = Math.round(height / 400);
  const failed = useMemo(() => outline.filter((step) => step.error), [outline]);
  const lane = useMemo(() => merge(collect(model, list, height, marks, failed)), [model, marks, failed, coarse]);
  const go = (entry: LaneMark) => {
    const { mark } = entry;
    void app.transcript?.jump(mark ? { step: mark.step, part: mark.part, start: mark.start, end: mark.end, markRef: mark.ref } : { step: entry.step });
    if (mark?.layer === "evidence") app.view.update((view) => ({ ...view, findingId: mark.ref, place: Number(mark.id.split(":").at(-2)) }));
  };
  return (
    <div class="marks-lane" role="group" aria-label={strings.marks}>
      {lane.map((entry) => (
        <button
          type="button" tabIndex={-1} key={`${entry.kind}${entry.at}`} title={entry.count > 1 ? `${entry.title} (+${entry.count - 1})` : entry.title} aria-label={entry.title}
          class={`lane-mark lane-${entry.kind}${entry.hue >= 0 ? ` hue-${entry.hue}` : ""}${entry.mark?.current ? " is-current" : ""}`}
          style={{ top: `${entry.at * 100}%` }} onClick={() => go(entry)}
        />
      ))}
    </div>
  );
}
