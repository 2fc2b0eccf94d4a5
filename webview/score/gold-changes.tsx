/** What people's corrections of the labels did to the chosen run, sample by sample: the shares add up to the change of the rate. */
import { useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import type { TableData } from "./data-table";
import { number } from "./format";
import { IntervalFrame, intervalHeight, intervalMarks, intervalWidth, scaleAround, type IntervalRow } from "./interval-rows";
import { usePort, type Opening } from "./opening";
import { Plot } from "./plot";
import { RateChoice, type ShownRate } from "./rate-choice";
import type { Changes } from "./report";
import type { TabContext } from "./tabs";

type RunChange = Changes["runs"][number];
type Moved = RunChange["samples"][number];

/** More bars than these are not looked at one by one. */
const drawnAtMost = 40;

const labelOf = (label: string | null): string => (label === null ? plot.noLabel : label);
const share = (value: number | null): string => (value === null ? words.noValue : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`);
const idOf = ({ sample_id, repeat }: Moved): string => (repeat === undefined ? sample_id : `${sample_id} (${repeat})`);

function tableOf(changes: RunChange, title: string, open: (sample: Moved) => Opening): TableData {
  const cell = (name: string | null): string => (name === null ? words.noValue : name.toUpperCase());
  return {
    title, first: plot.sample,
    columns: [{ title: plot.from, isText: true, csv: ["from"] }, { title: plot.to, isText: true, csv: ["to"] }, { title: plot.cell, isText: true, csv: ["cell_original", "cell_corrected"] }, { title: fill(plot.changeOf, { rate: words.mr }), csv: ["miss_rate_change"] }, { title: fill(plot.changeOf, { rate: words.far }), csv: ["false_alarm_rate_change"] }],
    rows: changes.samples.map((sample) => ({
      key: idOf(sample), name: { text: idOf(sample), open: open(sample) },
      cells: [
        { text: labelOf(sample.from), csv: [sample.from] }, { text: labelOf(sample.to), csv: [sample.to] }, { text: `${cell(sample.cell.original)} → ${cell(sample.cell.corrected)}`, csv: [sample.cell.original, sample.cell.corrected] },
        { text: share(sample.miss_rate), csv: [sample.miss_rate] }, { text: share(sample.false_alarm_rate), csv: [sample.false_alarm_rate] },
      ],
    })),
  };
}

function Summary({ changes, run }: { readonly changes: Changes; readonly run: RunChange }) {
  const rate = (name: string, { original, corrected }: RunChange["miss_rate"]): string => `${name} ${number(original)} → ${number(corrected)}`;
  return <>{fill(plot.changesSummary, changes as never)} {rate(words.mr, run.miss_rate)}, {rate(words.far, run.false_alarm_rate)}.</>;
}

function Drawn({ changes, own, name }: { readonly changes: Changes; readonly own: RunChange; readonly name: string }) {
  const [chosen, setRate] = useState<ShownRate>("mr");
  const key = chosen === "far" ? "false_alarm_rate" : "miss_rate";
  const rateName = (chosen === "far" ? words.falseAlarmRate : words.missRate).toLowerCase();
  const open = (sample: Moved): Opening => ({ title: sample.sample_id, ids: [sample.sample_id], runId: own.run_id });
  const moved = own.samples.filter((sample) => (sample[key] ?? 0) !== 0).sort((a, b) => Math.abs(b[key] ?? 0) - Math.abs(a[key] ?? 0));
  const rows = moved.slice(0, drawnAtMost).map((sample): IntervalRow => ({
    key: idOf(sample), name: idOf(sample), value: sample[key], isBar: true, open: open(sample),
    words: fill(plot.changeWords, { sample: idOf(sample), from: labelOf(sample.from), to: labelOf(sample.to), rate: rateName, value: share(sample[key]) }),
  }));
  const scale = scaleAround(rows.map(({ value }) => value));
  const title = fill(plot.changesTitle, { rate: rateName, run: name });
  const all: Opening = { title: plot.changesAll, ids: [...new Set(own.samples.map(({ sample_id }) => sample_id))], runId: own.run_id };
  return (
    <Plot
      name={`gold-changes-${key}`} title={title} width={intervalWidth} height={intervalHeight(rows.length)} marks={intervalMarks(rows, scale)} under={<IntervalFrame rows={rows} scale={scale} axis={fill(plot.changeOf, { rate: rateName })} />} table={tableOf(own, title, open)}
      controls={<><RateChoice rate={chosen === "far" ? "far" : "mr"} rates={["mr", "far"]} onRate={setRate} /><OpenAll opening={all} count={all.ids?.length ?? 0} /></>}
      note={<><Summary changes={changes} run={own} />{moved.length > drawnAtMost ? ` ${fill(plot.moreChanges, { n: drawnAtMost, total: moved.length })}` : ""}</>}
    />
  );
}

function OpenAll({ opening, count }: { readonly opening: Opening; readonly count: number }) {
  const port = usePort();
  return <button type="button" class="text-button" onClick={() => port.open(opening)}>{fill(plot.showAllChanged, { n: count })}</button>;
}

export function GoldChangesTab({ context: { reports, run, rows } }: { readonly context: TabContext }) {
  const { changes } = reports.corrected;
  const own = changes?.runs.find(({ run_id }) => run_id === run.run_id);
  if (!changes || !own || own.samples.length === 0) return <p class="dim tab-content">{plot.noChanges}</p>;
  return <Drawn changes={changes} own={own} name={rows.find(({ id }) => id === run.run_id)?.name ?? run.monitor} />;
}
