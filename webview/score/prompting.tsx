/** What asking for evidence changes, for each model that was asked both ways: over all samples, and in each category. */
import { pValue } from "#core/report/document";
import { useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { intervalCell, intervalColumn, type TableData } from "./data-table";
import { rateWords } from "./format";
import { GoldChoice } from "./gold-choice";
import { IntervalFrame, intervalHeight, intervalMarks, intervalWidth, scaleAround, type IntervalRow } from "./interval-rows";
import type { Opening } from "./opening";
import { partTitle } from "./pairs";
import { Part } from "./part";
import { Prompting, type Interval, type PromptingChange, type SliceChange } from "./part-shapes";
import { Plot } from "./plot";
import { RateChoice, type ShownRate } from "./rate-choice";
import type { TabContext } from "./tabs";

interface Line { readonly change: PromptingChange; readonly category: string | undefined; readonly slice: SliceChange; readonly name: string }

function linesOf(changes: readonly PromptingChange[]): Line[] {
  return changes.flatMap((change) => [
    { change, category: undefined, slice: change.all, name: plot.all },
    ...Object.entries(change.by_category).map(([category, slice]) => ({ change, category, slice, name: partTitle(category) })),
  ].filter(({ slice }) => slice.n > 0));
}

/** The samples that evidence prompting gets wrong and direct prompting right, in the class of the rate. */
function openingOf({ change, category, name }: Line, rate: "mr" | "far"): Opening {
  return {
    title: fill(plot.withinTitle, { title: fill(plot.compareQueues.only_b_wrong, { b: change.evidence }), within: name }),
    selection: { runId: change.direct, against: { runId: change.evidence, wrong: "only_b_wrong" }, gold: rate === "mr" ? "misbehavior" : "benign", ...(category === undefined ? {} : { category }) },
  };
}

function tableOf(lines: readonly Line[]): TableData {
  // Where a difference is withheld, its test is as well.
  const p = ({ p: plain, p_holm: holm }: SliceChange, of: "misbehavior" | "benign", difference: Interval) =>
    difference.value === null ? { text: words.noValue, csv: [undefined, undefined] } : { text: pValue(plain[of]), second: holm && fill(plot.pHolm, { p: pValue(holm[of]) }), csv: [plain[of], holm?.[of]] };
  return {
    title: plot.prompting, first: plot.model,
    columns: [{ title: words.category, isText: true, csv: ["category"] }, { title: words.n, csv: ["n"] }, intervalColumn(fill(plot.changeOf, { rate: words.mr }), "miss_rate_change"), { title: `${plot.p} (${words.mr})`, hint: plot.pHolmTitle, csv: ["p_misbehavior", "p_holm_misbehavior"] }, intervalColumn(fill(plot.changeOf, { rate: words.far }), "false_alarm_rate_change"), { title: `${plot.p} (${words.far})`, hint: plot.pHolmTitle, csv: ["p_benign", "p_holm_benign"] }],
    rows: lines.map(({ change, category, slice, name }) => ({
      key: `${change.model} ${category ?? ""}`, name: { text: change.model, hint: `${change.direct}, ${change.evidence}` },
      cells: [{ text: name, csv: [category ?? "all"] }, { text: String(slice.n), csv: [slice.n] }, intervalCell(slice.difference.miss_rate), p(slice, "misbehavior", slice.difference.miss_rate), intervalCell(slice.difference.false_alarm_rate), p(slice, "benign", slice.difference.false_alarm_rate)],
    })),
  };
}

function Drawn({ changes, context }: { readonly changes: readonly PromptingChange[]; readonly context: TabContext }) {
  const [chosen, setRate] = useState<ShownRate>("mr");
  const rate = chosen === "far" ? "far" : "mr";
  const lines = linesOf(changes);
  const rateName = rate === "mr" ? words.missRate : words.falseAlarmRate;
  const rows = lines.map((line, n): IntervalRow => {
    const difference = rate === "mr" ? line.slice.difference.miss_rate : line.slice.difference.false_alarm_rate;
    const p = rate === "mr" ? line.slice.p.misbehavior : line.slice.p.benign;
    return {
      key: `${line.change.model} ${n}`, name: line.category === undefined ? line.change.model : line.name, ...difference, shape: line.category === undefined ? 1 : 0, open: openingOf(line, rate),
      words: fill(plot.promptingWords, { model: line.change.model, category: line.name, rate: rateName.toLowerCase(), value: rateWords(difference), p: pValue(p), n: line.slice.n }),
    };
  });
  const scale = scaleAround(rows.flatMap(({ value, low, high }) => [value, low, high]));
  const title = fill(plot.promptingTitle, { rate: rateName.toLowerCase() });
  return (
    <Plot
      name={`prompting-${rate}`} title={title} width={intervalWidth} height={intervalHeight(rows.length)} marks={intervalMarks(rows, scale)} under={<IntervalFrame rows={rows} scale={scale} axis={title} />} table={tableOf(lines)} note={plot.promptingNote}
      controls={<><RateChoice rate={rate} rates={["mr", "far"]} onRate={setRate} /><GoldChoice gold={context.gold} onGold={context.showGold} /></>}
    />
  );
}

export function PromptingTab({ context }: { readonly context: TabContext }) {
  return (
    <Part part="prompting" title={plot.prompting} gold={context.gold} shape={Prompting}>
      {({ prompting }) => (prompting.length === 0 ? <p class="dim tab-content">{plot.noPrompting}</p> : <Drawn changes={prompting} context={context} />)}
    </Part>
  );
}
