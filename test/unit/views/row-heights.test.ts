/** The rows of a long transcript and where they stand: made anew only where something changed, and then what a full look gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Virtualizer } from "@tanstack/virtual-core";
import type { Step } from "#core/trajectory/model";
import type { Snapshot } from "#protocol/webview";
import { StepCache } from "../../../webview/state/step-cache";
import { RowHeights } from "../../../webview/trajectory/row-heights";
import { buildRows, type RowModel } from "../../../webview/trajectory/row-model";
import { estimateHeight, type RowOptions } from "../../../webview/trajectory/rows";
import { randomFrom } from "../../support/fuzz/random";

const count = 300;
const words = (n: number) => Array.from({ length: n % 60 }, (_, at) => `line ${at} of ${n}`).join("\n");
const role = (n: number) => (n === 0 ? ("system" as const) : n === 1 ? ("user" as const) : n % 2 ? ("tool" as const) : ("assistant" as const));
const steps = Array.from({ length: count }, (_, n): Step => ({ index: n, role: role(n), parts: [{ kind: role(n) === "tool" ? "tool_result" : "text", text: words(n * 7) }], places: [] }));
const outline = steps.map(({ index, role: who, parts }) => ({ index, role: who, label: "", length: parts[0]!.text.length, lines: 3 }));
const snapshot = { outline, header: { metadata: [{ key: "a", value: "b" }] } } as unknown as Snapshot;

type List = Virtualizer<HTMLElement, HTMLElement>;
type Options = ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0];

const optionsFor = ({ rows }: RowModel): Options => ({
  count: rows.length, rows, getItemKey: (index: number) => rows[index]!.key, estimateSize: (index: number) => estimateHeight(rows[index]!, 700, outline[rows[index]!.step]),
  overscan: 3, getScrollElement: () => null, observeElementRect: () => undefined, observeElementOffset: () => undefined, scrollToFn: () => undefined,
} as Options);

const startsOf = (list: List, rows: number) => [list.getTotalSize(), ...Array.from({ length: rows }, (_, at) => list.measurementsCache[at]!.start)];

test("rows that come, go, fold and are measured stand where a list made from the beginning puts them", async () => {
  const random = randomFrom(5);
  const upTo = (n: number) => Math.floor(random() * n);
  const cache = new StepCache(count, async (from, to) => ({ steps: steps.slice(from, to) }), () => undefined);
  const options: { -readonly [key in keyof RowOptions]: RowOptions[key] } = { folds: {}, sources: new Set(), showReasoning: true, renderMarkdown: true };
  let model = buildRows(snapshot, cache, { ...options }, undefined);
  assert.equal(model.rows.length, count + 1);
  const list: List = new Virtualizer(optionsFor(model));
  RowHeights.install(list);
  const measured = new Map<string, number>();
  for (let round = 0; round < 60; round++) {
    if (round % 3 === 0) await cache.want(upTo(count), upTo(count) + 1);
    if (round % 4 === 1) options.folds = { ...options.folds, [`${upTo(count)}.0`]: random() < 0.5 };
    if (round % 7 === 2) options.sources = new Set([upTo(count)]);
    const before = model;
    model = buildRows(snapshot, cache, { ...options }, before);
    const fresh = buildRows(snapshot, cache, { ...options }, undefined);
    assert.deepEqual(model.rows, fresh.rows);
    assert.deepEqual(outline.map(({ index }) => model.firstRow.get(index)), outline.map(({ index }) => fresh.firstRow.get(index)));
    list.setOptions(optionsFor(model));
    list.getTotalSize();
    for (let n = 0; n < 10; n++) {
      const at = upTo(model.rows.length);
      const size = 20 + upTo(90);
      list.resizeItem(at, size);
      measured.set(model.rows[at]!.key, size);
    }
    const plain: List = new Virtualizer(optionsFor(model));
    for (const [key, size] of measured) (plain as unknown as { itemSizeCache: Map<string, number> }).itemSizeCache.set(key, size);
    assert.deepEqual(startsOf(list, model.rows.length), startsOf(plain, model.rows.length), `round ${round}`);
  }
  // Of steps that did not change the rows are the same objects.
  const same = buildRows(snapshot, cache, { ...options }, model);
  assert.ok(same.rows.every((row, at) => row === model.rows[at]));
});
