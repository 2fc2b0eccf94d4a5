/** A table that is drawn and saved from the same data: beneath every plot stands one. */
import type { ComponentChildren } from "preact";
import { plotStrings as words } from "#protocol/strings-plots";
import { interval, number } from "./format";
import { Mark } from "./mark";
import { usePort, type Opening } from "./opening";
import type { Rate } from "./report";

/** What goes into the file; nothing for a number that is not there. */
export type CsvValue = string | number | null | undefined;

export interface Column {
  readonly title: string;
  readonly hint?: string | undefined;
  /** Names in the file; as many as the cells below have values. Default: the title. */
  readonly csv?: readonly string[];
  readonly isText?: boolean;
}

export interface Cell {
  readonly text: string;
  readonly second?: string | undefined;
  readonly hint?: string | undefined;
  readonly csv?: readonly CsvValue[] | undefined;
  readonly open?: Opening | undefined;
}

export interface Row {
  readonly key: string;
  readonly name: Cell;
  /** Shape of the mark in the plot. */
  readonly mark?: number | undefined;
  readonly cells: readonly Cell[];
  readonly isCurrent?: boolean;
  readonly onSelect?: (() => void) | undefined;
}

export interface TableData {
  readonly title: string;
  readonly first: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A rate with its interval; five values in the file. */
export function rateCell(rate: Partial<Rate> | null | undefined, open?: Opening): Cell {
  const shown = rate && { low: rate.low ?? null, high: rate.high ?? null };
  const fraction = rate?.denominator === undefined ? undefined : `${rate.numerator} / ${rate.denominator}`;
  return { text: number(rate?.value), second: interval(shown ?? undefined), hint: fraction, csv: [rate?.value, rate?.low, rate?.high, rate?.numerator, rate?.denominator], open };
}

export function rateColumn(title: string, key: string, hint?: string): Column {
  return { title, hint, csv: [key, `${key}_low`, `${key}_high`, `${key}_numerator`, `${key}_denominator`] };
}

/** A value with an interval and no fraction; three values in the file. */
export function intervalCell(value: { readonly value: number | null; readonly low: number | null; readonly high: number | null } | null | undefined, hint?: string): Cell {
  return { text: number(value?.value), second: interval(value ?? undefined), hint, csv: [value?.value, value?.low, value?.high] };
}

export function intervalColumn(title: string, key: string, hint?: string): Column {
  return { title, hint, csv: [key, `${key}_low`, `${key}_high`] };
}

export function countCell(count: number, open?: Opening): Cell {
  return { text: String(count), csv: [count], open: count === 0 ? undefined : open };
}

function Inside({ cell }: { readonly cell: Cell }) {
  const port = usePort();
  const { open } = cell;
  const content: ComponentChildren = <>{cell.text}{cell.second ? <span class="second">{cell.second}</span> : null}</>;
  if (!open) return <>{content}</>;
  return <button type="button" class="cell-button" title={[cell.hint, words.openCount].filter(Boolean).join(". ")} onClick={(event) => { event.stopPropagation(); port.open(open); }}>{content}</button>;
}

function NameCell({ row }: { readonly row: Row }) {
  const { name, mark, onSelect } = row;
  const box = (
    <span class="name-box">
      <span class="name-title">{mark === undefined ? null : <><svg class="name-mark plot-colours" width="14" height="14" aria-hidden="true"><Mark shape={mark} x={7} y={7} /></svg> </>}{name.text}</span>
      {name.second ? <span class="second">{name.second}</span> : null}
    </span>
  );
  return (
    <th scope="row" class="row-name" title={name.hint}>
      {onSelect ? <button type="button" class="row-button" aria-pressed={row.isCurrent === true}>{box}</button> : name.open ? <Inside cell={name} /> : box}
    </th>
  );
}

export function DataTable({ table }: { readonly table: TableData }) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={table.title}>
      <table class="score-table data-table">
        <thead>
          <tr>
            <th scope="col" class="row-name">{table.first}</th>
            {table.columns.map((column) => <th key={column.title} scope="col" class={column.isText ? "is-text" : undefined} title={column.hint}>{column.title}</th>)}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row.key} class={`${row.onSelect ? "can-select" : ""}${row.isCurrent ? " is-current" : ""}`} onClick={row.onSelect}>
              <NameCell row={row} />
              {row.cells.map((cell, n) => <td key={n} class={table.columns[n]?.isText ? "is-text" : undefined} title={cell.open ? undefined : cell.hint}><Inside cell={cell} /></td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Comma-separated values (RFC 4180) with the numbers in full. What a spreadsheet would take for a formula is kept from it by an apostrophe. */
export function csvOf(table: TableData): string {
  const lines = [
    [table.first, ...table.columns.flatMap(({ title, csv }) => csv ?? [title])],
    ...table.rows.map(({ name, cells }) => [...(name.csv ?? [name.text]), ...cells.flatMap(({ text, csv }) => csv ?? [text])]),
  ];
  return lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join("");
}

function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
