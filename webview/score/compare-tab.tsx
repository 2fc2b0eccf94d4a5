/** Two runs on the samples that both judged: who is wrong where the other is right, how far apart their rates are. */
import { pValue } from "#core/report/document";
import { Fragment } from "preact";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { Select } from "../ui/select";
import { countCell, intervalCell, intervalColumn, type TableData } from "./data-table";
import { rateWords } from "./format";
import { GoldChoice } from "./gold-choice";
import { IntervalFrame, intervalHeight, intervalMarks, intervalWidth, scaleAround, type IntervalRow } from "./interval-rows";
import { usePort, type Opening } from "./opening";
import type { Both } from "./pairs";
import { Part } from "./part";
import { Comparison } from "./part-shapes";
import { Plot } from "./plot";
import type { TabContext } from "./tabs";

interface Two { readonly a: Both; readonly b: Both; readonly found: Comparison }

const outcomes = ["both_right", "only_a_wrong", "only_b_wrong", "both_wrong"] as const;
const classes = ["misbehavior", "benign"] as const;
const titles = { both_right: plot.bothRight, only_a_wrong: plot.onlyA, only_b_wrong: plot.onlyB, both_wrong: plot.bothWrong } as const;

const openingOf = ({ a, b }: Two, wrong: (typeof outcomes)[number], gold: (typeof classes)[number]): Opening => ({
  title: fill(plot.withinTitle, { title: fill(plot.compareQueues[wrong], { a: a.name, b: b.name }), within: words.sampleWords[gold] }), selection: { runId: a.id, against: { runId: b.id, wrong }, gold },
});

const discordantOf = ({ a, b, found }: Two): Opening => ({ title: fill(plot.discordantTitle, { a: a.name, b: b.name }), ids: [...found.discordant], runId: a.id });

function differenceOf({ found }: Two, gold: (typeof classes)[number]) {
  return gold === "misbehavior" ? found.difference.miss_rate : found.difference.false_alarm_rate;
}

/** Why a difference is not told although both runs judged samples of the class. */
function withheldReason(two: Two, gold: (typeof classes)[number]): string | undefined {
  const { value, reason } = differenceOf(two, gold);
  return value === null && outcomes.some((outcome) => two.found[gold][outcome] > 0) ? reason : undefined;
}

function tableOf(two: Two, title: string): TableData {
  return {
    title, first: plot.goldClass,
    columns: [...outcomes.map((outcome) => ({ title: titles[outcome], csv: [outcome] })), { title: plot.mcnemar, csv: ["p"] }, intervalColumn(plot.difference, "difference")],
    rows: classes.map((gold) => {
      const difference = differenceOf(two, gold);
      const { p } = two.found[gold];
      return {
        key: gold, name: { text: words.sampleWords[gold] },
        cells: [
          ...outcomes.map((outcome) => countCell(two.found[gold][outcome], openingOf(two, outcome, gold))), difference.value === null ? { text: words.noValue, csv: [undefined] } : { text: pValue(p), csv: [p] },
          intervalCell(difference, difference.at_most === undefined ? difference.reason : fill(plot.atMost, { value: difference.at_most.toFixed(2) })),
        ],
      };
    }),
  };
}

function Drawn({ two, context, controls }: { readonly two: Two; readonly context: TabContext; readonly controls: preact.ComponentChildren }) {
  const port = usePort();
  const { a, b, found } = two;
  const rows = classes.map((gold): IntervalRow => {
    const difference = differenceOf(two, gold);
    const rate = gold === "misbehavior" ? words.missRate : words.falseAlarmRate;
    return { key: gold, name: rate, value: difference.value, low: difference.low, high: difference.high, open: found.discordant.length === 0 ? undefined : discordantOf(two), words: fill(plot.differenceWords, { rate, value: rateWords(difference) }) };
  });
  const scale = scaleAround(rows.flatMap(({ value, low, high }) => [value, low, high]));
  const title = fill(plot.compareTitle, { a: a.name, b: b.name, n: found.n });
  return (
    <Plot
      name="compare" title={title} width={intervalWidth} height={intervalHeight(rows.length)} marks={intervalMarks(rows, scale)} under={<IntervalFrame rows={rows} scale={scale} axis={plot.difference} />} table={tableOf(two, title)}
      controls={<>{controls}<GoldChoice gold={context.gold} onGold={context.showGold} />{found.discordant.length === 0 ? null : <button type="button" class="text-button" onClick={() => port.open(discordantOf(two))}>{fill(plot.discordant, { n: found.discordant.length })}</button>}</>}
      note={<>{title}. {fill(plot.excluded, found.excluded as never)}{[...new Set(classes.flatMap((gold) => withheldReason(two, gold) ?? [])), ...(found.warnings ?? [])].map((text) => <Fragment key={text}> {text}</Fragment>)}</>}
    />
  );
}

export function CompareTab({ context }: { readonly context: TabContext }) {
  const { rows, run, against, compareWith } = context;
  const others = rows.filter(({ id }) => id !== run.run_id);
  const a = rows.find(({ id }) => id === run.run_id);
  const b = others.find(({ id }) => id === against) ?? others[0];
  if (!a || !b) return <p class="dim tab-content">{plot.compareNeeds}</p>;
  const controls = <><span>{fill(plot.compareWith, { run: a.name })}</span><Select label={plot.runB} value={b.id} onValue={compareWith} options={others.map(({ id, name }) => ({ value: id, label: name }))} /></>;
  return (
    <Part part="comparison" title={plot.compare} gold={context.gold} runs={[a.id, b.id]} shape={Comparison}>
      {(found) => <Drawn two={{ a, b, found }} context={context} controls={controls} />}
    </Part>
  );
}
