/** What asking again changes: verdicts that flip, and how far the rates of single draws lie apart. */
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { rateCell, rateColumn, type Cell, type TableData } from "./data-table";
import { number, rateWords } from "./format";
import { GoldChoice } from "./gold-choice";
import { IntervalFrame, intervalHeight, intervalMarks, intervalWidth, shares, type IntervalRow } from "./interval-rows";
import { rowTitle, type Both } from "./pairs";
import { Part } from "./part";
import { RepeatedRuns, type Repeats } from "./part-shapes";
import { Plot } from "./plot";
import type { TabContext } from "./tabs";

interface Drawn { readonly row: Both; readonly n: number; readonly repeats: Repeats }
type Spread = NonNullable<Repeats["miss_rate"]>;

const mean = ({ by_draw }: Spread): number | null => {
  const known = by_draw.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
};

function rowsOf({ row, n, repeats }: Drawn): IntervalRow[] {
  const flip = (rate: NonNullable<Repeats["flip_rate"]>["benign"], gold: "misbehavior" | "benign"): IntervalRow => ({
    key: `${row.id} flip ${gold}`, name: fill(plot.flipsName, { run: row.name, gold: words.sampleWords[gold] }), value: rate.value, low: rate.low, high: rate.high, shape: n,
    words: fill(plot.flipWords, { run: row.name, gold: words.sampleWords[gold], value: rateWords(rate), n: rate.numerator, m: rate.denominator }),
  });
  const spread = (of: Spread, name: string): IntervalRow => ({
    key: `${row.id} spread ${name}`, name: fill(plot.spreadName, { run: row.name, rate: name }), value: mean(of), low: of.lowest, high: of.highest, shape: n,
    words: fill(plot.spreadWords, { run: row.name, rate: name, low: number(of.lowest), high: number(of.highest), draws: repeats.draws, deviation: number(of.deviation) }),
  });
  const { flip_rate, miss_rate, false_alarm_rate } = repeats;
  return [
    ...(flip_rate ? [flip(flip_rate.misbehavior, "misbehavior"), flip(flip_rate.benign, "benign")] : []),
    ...(miss_rate ? [spread(miss_rate, words.mr)] : []), ...(false_alarm_rate ? [spread(false_alarm_rate, words.far)] : []),
  ];
}

function spreadCell(of: Spread | undefined): Cell {
  return { text: of ? `${number(of.lowest)} – ${number(of.highest)}` : words.noValue, second: of ? `s ${number(of.deviation)}` : undefined, csv: [of?.lowest, of?.highest, of?.deviation] };
}

function tableOf(drawn: readonly Drawn[]): TableData {
  const spread = (title: string, key: string) => ({ title: fill(plot.betweenDraws, { rate: title }), hint: plot.spreadHint, csv: [`${key}_lowest`, `${key}_highest`, `${key}_deviation`] });
  return {
    title: plot.repeatsTitle, first: words.run,
    columns: [{ title: plot.draws, csv: ["draws"] }, rateColumn(fill(plot.flips, { gold: words.sampleWords.misbehavior }), "flip_rate_misbehavior"), rateColumn(fill(plot.flips, { gold: words.sampleWords.benign }), "flip_rate_benign"), spread(words.mr, "miss_rate"), spread(words.far, "false_alarm_rate")],
    rows: drawn.map(({ row, n, repeats }) => ({
      key: row.id, mark: n, name: { text: row.title, second: row.subtitle, hint: rowTitle(row), csv: [row.id] },
      cells: [
        { text: repeats.draws === 1 ? plot.oneDraw : String(repeats.draws), csv: [repeats.draws] }, rateCell(repeats.flip_rate?.misbehavior), rateCell(repeats.flip_rate?.benign), spreadCell(repeats.miss_rate), spreadCell(repeats.false_alarm_rate),
      ],
    })),
  };
}

export function RepeatsTab({ context }: { readonly context: TabContext }) {
  return (
    <Part part="repeats" title={plot.repeats} gold={context.gold} shape={RepeatedRuns}>
      {({ runs }) => {
        const drawn = context.rows.flatMap((row, n): Drawn[] => {
          const repeats = runs.find(({ run_id }) => run_id === row.id)?.repeats;
          return repeats && repeats.draws > 1 ? [{ row, n, repeats }] : [];
        });
        if (drawn.length === 0) return <p class="dim tab-content">{plot.onlyOneDraw}</p>;
        const rows = drawn.flatMap(rowsOf);
        return (
          <Plot
            name="repeats" title={plot.repeatsTitle} width={intervalWidth} height={intervalHeight(rows.length)} marks={intervalMarks(rows, shares)} under={<IntervalFrame rows={rows} scale={shares} axis={plot.repeatsTitle} />} table={tableOf(drawn)} note={plot.spreadHint}
            controls={<GoldChoice gold={context.gold} onGold={context.showGold} />}
          />
        );
      }}
    </Part>
  );
}
