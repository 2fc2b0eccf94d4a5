/** Runs (or parts of one) as a table: both rates on both golds side by side, counts, what was reviewed, and what is not counted. */
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import { change, pickRate, rateNames, rateTitle, type RateName } from "./compare";
import { interval, number } from "./format";
import { openCell, usePort, type Opening } from "./opening";
import { plotStrings } from "#protocol/strings-plots";
import { rowTitle, type Both } from "./pairs";
import type { Metrics, Rate } from "./report";

const cellNames = ["tp", "fn", "fp", "tn"] as const;
const evidenceNames = ["exact", "near", "ambiguous", "absent"] as const;

function RateCell({ rate, name, before, isFirst }: { readonly rate: Rate | undefined; readonly name: RateName; readonly before?: Rate | undefined; readonly isFirst?: boolean }) {
  const moved = change(before?.value, rate?.value);
  return (
    <td class={`rate${isFirst ? " is-group" : ""}`} title={rateTitle(rate, name)}>
      <span class="rate-value">{number(rate?.value)}{moved ? <span class="change"> {moved}</span> : null}</span>
      <span class="second">{interval(rate)}</span>
    </td>
  );
}

/** A number that leads to what it counts. */
function Count({ count, open }: { readonly count: number; readonly open: Opening | undefined }) {
  const port = usePort();
  if (!open || count === 0) return <>{count}</>;
  return <button type="button" class="cell-button" title={plotStrings.openCount} onClick={(event) => { event.stopPropagation(); port.open(open); }}>{count}</button>;
}

/** A count with what it was on the original labels, where that differs. */
function CountCell({ now, before, isFirst, title, open }: { readonly now: number; readonly before?: number | undefined; readonly isFirst?: boolean; readonly title?: string; readonly open?: Opening | undefined }) {
  return (
    <td class={isFirst ? "is-group" : undefined} title={title}>
      <Count count={now} open={open} />
      {before !== undefined && before !== now ? <span class="second">{fill(words.was, { value: before })}</span> : null}
    </td>
  );
}

function EvidenceCells({ metrics, row }: { readonly metrics: Metrics; readonly row: Both }) {
  const { evidence } = metrics;
  const isEmpty = !evidence || evidence.quotes === 0;
  return <>{evidenceNames.map((name, n) => <td key={name} class={n === 0 ? "is-group" : undefined} title={isEmpty ? words.noQuotes : undefined}>{isEmpty ? words.noValue : <Count count={evidence[name]} open={{ title: fill(plotStrings.quotesTitle[name], { run: row.name }), gold: "corrected", selection: { runId: row.id, quotes: name } }} />}</td>)}</>;
}

function Head({ first, hasEvidence }: { readonly first: string; readonly hasEvidence: boolean }) {
  return (
    <thead>
      <tr>
        <th rowSpan={2} scope="col" class="row-name">{first}</th>
        <th colSpan={2} scope="colgroup" class="is-group">{words.missRate}</th>
        <th colSpan={2} scope="colgroup" class="is-group">{words.falseAlarmRate}</th>
        <th rowSpan={2} scope="col" class="is-group" title={words.nTitle}>{words.n}</th>
        <th colSpan={4} scope="colgroup" class="is-group">{words.counts}</th>
        <th colSpan={4} scope="colgroup" class="is-group">{words.reviewedCounts}</th>
        <th colSpan={3} scope="colgroup" class="is-group">{words.notCounted}</th>
        {hasEvidence ? <th colSpan={4} scope="colgroup" class="is-group">{words.evidence}</th> : null}
      </tr>
      <tr>
        {rateNames.flatMap((name) => [<th key={`${name}o`} scope="col" class="is-group">{words.original}</th>, <th key={`${name}c`} scope="col">{words.corrected}</th>])}
        {["counts", "reviewed"].flatMap((group) => cellNames.map((name, n) => <th key={group + name} scope="col" class={n === 0 ? "is-group" : undefined} title={words.cells[name][1]}>{words.cells[name][0]}</th>))}
        <th scope="col" class="is-group">{words.invalid}</th>
        <th scope="col" title={words.missingTitle}>{words.missing}</th>
        <th scope="col" title={words.staleTitle}>{words.stale}</th>
        {hasEvidence ? evidenceNames.map((name, n) => <th key={name} scope="col" class={n === 0 ? "is-group" : undefined}>{words.evidenceStates[name]}</th>) : null}
      </tr>
    </thead>
  );
}

function Name({ row, isCurrent, onSelect }: { readonly row: Both; readonly isCurrent: boolean; readonly onSelect: ((id: string) => void) | undefined }) {
  const name = <span class="name-box"><span class="name-title">{row.title}</span>{row.subtitle ? <span class="second">{row.subtitle}</span> : null}</span>;
  return (
    <th scope="row" class="row-name" title={rowTitle(row)}>
      {/* A press reaches the row, which chooses. */ onSelect ? <button type="button" class="row-button" aria-pressed={isCurrent}>{name}</button> : name}
    </th>
  );
}

function reviewedOpening(row: Both, cell: (typeof cellNames)[number]): Opening {
  const title = fill(plotStrings.cellTitle[cell], { run: row.name });
  return { title: fill(plotStrings.reviewedTitle, { title }), gold: "corrected", selection: { runId: row.id, cells: [cell], reviewed: true } };
}

export interface ScoreTableProps {
  readonly first: string;
  readonly rows: readonly Both[];
  readonly selected?: string | undefined;
  readonly onSelect?: ((id: string) => void) | undefined;
  readonly hasEvidence: boolean;
}

export function ScoreTable({ first, rows, selected, onSelect, hasEvidence }: ScoreTableProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={fill(words.tableOf, { first })}>
      <table class="score-table">
        <Head first={first} hasEvidence={hasEvidence} />
        <tbody>
          {rows.map((row) => {
            const { id, original, corrected } = row;
            return (
              <tr key={id} class={`${id === selected ? "is-current" : ""}${onSelect ? " can-select" : ""}`} onClick={onSelect && (() => onSelect(id))}>
                <Name row={row} isCurrent={id === selected} onSelect={onSelect} />
                {rateNames.flatMap((name) => [
                  <RateCell key={`${name}o`} name={name} rate={original && pickRate(original, name)} isFirst />,
                  <RateCell key={`${name}c`} name={name} rate={pickRate(corrected, name)} before={original && pickRate(original, name)} />,
                ])}
                <CountCell now={corrected.n} before={original?.n} isFirst />
                {cellNames.map((name, n) => <CountCell key={name} now={corrected[name]} before={original?.[name]} isFirst={n === 0} open={openCell(row, name, corrected[name], undefined, "corrected")} />)}
                {cellNames.map((name, n) => <CountCell key={`r${name}`} now={corrected.reviewed?.[name] ?? 0} isFirst={n === 0} open={reviewedOpening(row, name)} />)}
                <CountCell now={corrected.invalid.misbehavior + corrected.invalid.benign} isFirst title={fill(words.invalidTitle, { misbehavior: corrected.invalid.misbehavior, benign: corrected.invalid.benign })} open={openCell(row, "invalid", 1, undefined, "corrected")} />
                <CountCell now={corrected.missing} open={openCell(row, "missing", 1, undefined, "corrected")} />
                <CountCell now={corrected.stale} open={openCell(row, "stale", 1, undefined, "corrected")} />
                {hasEvidence ? <EvidenceCells metrics={corrected} row={row} /> : null}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
