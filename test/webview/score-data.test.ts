/** What plots and tables of the score view are made of, without a page: files of values, moves between marks, scales, lines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, intervalCell, intervalColumn, rateCell, rateColumn, type TableData } from "../../webview/score/data-table";
import { fitText } from "../../webview/score/fit-text";
import { number } from "../../webview/score/format";
import { scaleAround, scaleOf } from "../../webview/score/interval-rows";
import { colourSet, Mark } from "../../webview/score/mark";
import { lineWithin, x, y } from "../../webview/score/plane";
import { nextMark } from "../../webview/score/plot";

test("a table as a file has the numbers in full, names quoted where they need it, and no formula", () => {
  const table: TableData = {
    title: "t", first: "run", columns: [rateColumn("MR", "miss_rate"), intervalColumn("area", "area"), { title: "note" }],
    rows: [
      { key: "1", name: { text: "a, \"b\"" }, cells: [rateCell({ value: 1 / 3, low: 0.1, high: 0.7, numerator: 1, denominator: 3 }), intervalCell(null), { text: "=1+1" }] },
      { key: "2", name: { text: "shown", csv: ["-id"] }, cells: [rateCell(undefined), intervalCell({ value: -0.25, low: -0.5, high: 0 }), { text: "two\nlines" }] },
    ],
  };
  assert.equal(csvOf(table), [
    "run,miss_rate,miss_rate_low,miss_rate_high,miss_rate_numerator,miss_rate_denominator,area,area_low,area_high,note",
    "\"a, \"\"b\"\"\",0.3333333333333333,0.1,0.7,1,3,,,,'=1+1",
    "'-id,,,,,,-0.25,-0.5,0,\"two\nlines\"", "",
  ].join("\r\n"));
});

test("numbers have two decimals and no minus before a zero", () => {
  assert.deepEqual([0.005, -0.004, -0.25, null, undefined, 1].map(number), ["0.01", "0.00", "-0.25", "–", "–", "1.00"]);
});

test("keys go through marks in order, up and down within their lane", () => {
  const marks = [{ x: 10, y: 10, lane: "a" }, { x: 200, y: 10, lane: "b" }, { x: 90, y: 40, lane: "a" }, { x: 20, y: 70, lane: "a" }, { x: 210, y: 70, lane: "b" }];
  const go = (at: number, key: string) => nextMark(marks, at, key);
  assert.deepEqual([go(0, "ArrowRight"), go(4, "ArrowRight"), go(0, "ArrowLeft"), go(2, "Home"), go(2, "End")], [1, 4, 0, 0, 4]);
  assert.deepEqual([go(0, "ArrowDown"), go(1, "ArrowDown"), go(3, "ArrowUp"), go(4, "ArrowDown"), go(0, "ArrowUp")], [2, 4, 2, 4, 0]);
  const free = marks.map(({ x, y }) => ({ x, y }));
  // 30 down and 80 across costs 70, 60 down and 10 across 65.
  assert.equal(nextMark(free, 0, "ArrowDown"), 3);
  assert.deepEqual([go(0, "Enter"), nextMark([], 0, "ArrowDown")], [undefined, undefined]);
});

test("scales around zero end at round numbers, shares from 0 to 1 unless something is below", () => {
  assert.deepEqual(scaleAround([0.03, -0.011, null]), { from: -0.05, to: 0.05, ticks: [-0.05, -0.025, 0, 0.025, 0.05] });
  assert.equal(scaleAround([0.7, undefined]).to, 1);
  assert.equal(scaleAround([]).to, 0.01);
  assert.deepEqual([scaleOf([0.2, 1]).from, scaleOf([0.2, -0.1]).from], [0, -1]);
});

test("a line is cut where it leaves the square", () => {
  // FAR = -0.42 MR + 0.49 with MR across: from FAR 0.49 at MR 0 down to FAR 0.07 at MR 1.
  const line = lineWithin(-0.42, 0.49);
  assert.deepEqual([line?.x1, line?.y1, line?.x2, line?.y2].map((value) => value?.toFixed(6)), [x(0), y(0.49), x(1), y(0.07)].map((value) => value.toFixed(6)));
  // A steep one leaves at the top and the bottom: y = -4 x + 3 is 1 at 0.5 and 0 at 0.75.
  const steep = lineWithin(-4, 3);
  assert.deepEqual([steep?.x1, steep?.y1, steep?.x2, steep?.y2].map((value) => value?.toFixed(6)), [x(0.5), y(1), x(0.75), y(0)].map((value) => value.toFixed(6)));
  assert.deepEqual(lineWithin(0, 0.5), { x1: x(0), y1: y(0.5), x2: x(1), y2: y(0.5) });
  assert.equal(lineWithin(1, 2), undefined);
});

test("words that do not fit are cut with a sign of it", () => {
  assert.deepEqual([fitText("guard-a", 70), fitText("guard-a (evidence)", 70), fitText("ab", 1)], ["guard-a", "guard-a (…", "ab"]);
});

test("eight runs are told apart by shape alone, sixteen with their colour", () => {
  const drawn = Array.from({ length: 16 }, (_, shape) => {
    const { type, props } = Mark({ shape, x: 10, y: 10 }) as { type: string; props: { class: string; d?: string; transform?: string } };
    return { form: JSON.stringify([type, props.d, props.transform]), name: props.class };
  });
  assert.equal(new Set(drawn.slice(0, 8).map(({ form }) => form)).size, 8);
  assert.equal(new Set(drawn.map(({ form, name }) => `${form} ${name}`)).size, 16);
  assert.deepEqual([0, 3, 4, 8, 15, 16].map(colourSet), ["", "", " set-1", " set-2", " set-3", ""]);
});
