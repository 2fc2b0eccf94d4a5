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

const count = 700;
const words = (n: number) => Array.from({ length: n % 60 }, (_, at) => `line ${at} of ${n}`).join("\n");
const role = (n: number) => (n === 0 ? ("system" as const) : n === 1 ? ("user" as const) : n % 2 ? ("tool" as const) : ("assistant" as const));
const grown = 800;
const steps = Array.from({ length: grown }, (_, n): Step => ({ index: n, role: role(n), parts: [{ kind: role(n) === "tool" ? "tool_result" : "text", text: words(n * 7) }], places: [] }));
const allOutlines = steps.map(({ index, role: who, parts }) => ({ index, role: who, label: "", length: parts[0]!.text.length, lines: 3 }));
const header = { metadata: [{ key: "a", value: "b" }] };
const snapshot = { outline: allOutlines.slice(0, count), header } as unknown as Snapshot;
/** Of the same file when it has grown: the step that it ended with has, too. */
const longer = { outline: allOutlines.map((one) => (one.index === count - 1 ? { ...one, length: one.length + 3000 } : one)), header } as unknown as Snapshot;

type List = Virtualizer<HTMLElement, HTMLElement>;
type Options = ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0];

/** What heights are estimated by, as an object that is another one where any of it is. */
interface Basis { readonly width: number; readonly outline: Snapshot["outline"] }

const optionsFor = ({ rows, cameFrom }: RowModel, basis: Basis): Options => ({
  count: rows.length, rows, cameFrom, basis, getItemKey: (index: number) => rows.at(index)!.key, estimateSize: (index: number) => estimateHeight(rows.at(index)!, basis.width, basis.outline[rows.at(index)!.step]),
  overscan: 3, getScrollElement: () => null, observeElementRect: () => undefined, observeElementOffset: () => undefined, scrollToFn: () => undefined,
} as Options);

const startsOf = (list: List, rows: number) => [list.getTotalSize(), ...Array.from({ length: rows }, (_, at) => list.measurementsCache[at]!.start)];

const read = async (from: number, to: number) => ({ steps: steps.slice(from, to) });

test("rows that come, go, fold and are measured stand where a list made from the beginning puts them, at each width and when the file has grown", async () => {
  const random = randomFrom(5);
  const upTo = (n: number) => Math.floor(random() * n);
  let cache = new StepCache(count, read, () => undefined);
  let now = snapshot;
  let basis: Basis = { width: 700, outline: now.outline };
  const options: { -readonly [key in keyof RowOptions]: RowOptions[key] } = { folds: {}, sources: new Set(), showReasoning: true, renderMarkdown: true };
  let model = buildRows(now, cache, { ...options }, undefined);
  assert.equal(model.rows.length, count + 1);
  const list: List = new Virtualizer(optionsFor(model, basis));
  RowHeights.install(list);
  const measured = new Map<string, number>();
  const check = (when: string) => {
    const plain: List = new Virtualizer(optionsFor(model, basis));
    for (const [key, size] of measured) (plain as unknown as { itemSizeCache: Map<string, number> }).itemSizeCache.set(key, size);
    assert.deepEqual(startsOf(list, model.rows.length), startsOf(plain, model.rows.length), when);
  };
  for (let round = 0; round < 60; round++) {
    if (round === 30) {
      const before = cache;
      now = longer;
      cache = new StepCache(grown, read, () => undefined);
      cache.takeOver(before);
      basis = { ...basis, outline: now.outline };
    }
    if (round % 3 === 0) await cache.want(upTo(count), upTo(count) + 1);
    if (round % 4 === 1) options.folds = { ...options.folds, [`${upTo(count)}.0`]: random() < 0.5 };
    if (round % 7 === 2) options.sources = new Set([upTo(count)]);
    // Now and then the list never sees a model that the next one is made of.
    if (round % 5 === 3) model = buildRows(now, cache, { ...options, folds: { [`${upTo(count)}.0`]: true } }, model);
    model = buildRows(now, cache, { ...options }, model);
    // Of steps never seen before, so that no rows are kept.
    const unseen = { changeCount: 0, get: (index: number) => cache.get(index) && { ...cache.get(index)! } } as unknown as StepCache;
    const fresh = buildRows(now, unseen, { ...options }, undefined);
    assert.deepEqual([...model.rows], [...fresh.rows]);
    assert.deepEqual([...model.rows].map((row, at) => model.rows.at(at) === row).indexOf(false), -1);
    assert.deepEqual([model.rows.at(-1), model.rows.at(model.rows.length), model.rows.length], [undefined, undefined, [...fresh.rows].length]);
    assert.deepEqual(now.outline.map(({ index }) => model.firstRow.get(index)), now.outline.map(({ index }) => fresh.firstRow.get(index)));
    list.setOptions(optionsFor(model, basis));
    list.getTotalSize();
    for (let n = 0; n < 10; n++) {
      const at = upTo(model.rows.length);
      const size = 20 + upTo(90);
      list.resizeItem(at, size);
      measured.set(model.rows.at(at)!.key, size);
    }
    check(`round ${round}`);
    if (round % 4 !== 2) continue;
    // The same rows at another width.
    basis = { ...basis, width: 400 + upTo(900) };
    list.setOptions(optionsFor(model, basis));
    check(`round ${round}, ${basis.width} px`);
  }
  assert.notEqual(model.firstRow.get(grown - 1), undefined);
  // Of steps that did not change the rows are the same objects.
  const same = buildRows(now, cache, { ...options }, model);
  assert.ok([...same.rows].every((row, at) => row === model.rows.at(at)));
});
