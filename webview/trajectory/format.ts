/** Numbers, sizes and times as short words. */
import { fill, strings } from "#protocol/strings";

/** 950 → "950", 31,245 → "31k", 2,400,000 → "2.4M". */
export function compactCount(n: number): string {
  if (n < 1000) return String(n);
  const [value, unit] = n < 999_500 ? [n / 1000, "k"] : [n / 1_000_000, "M"];
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** A length in UTF-16 units as an approximate size. */
export function byteSize(n: number): string {
  if (n < 1024) return `${n} B`;
  const [value, unit] = n < 1_048_576 ? [n / 1024, "kB"] : [n / 1_048_576, "MB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** How much a folded text holds, in words: its lines, or where it is one line its size. `length` in UTF-16 units. */
export function amount(lines: number, length: number): string {
  return lines > 1 ? fill(strings.lines, { n: lines }) : byteSize(length);
}

/** What names a record within its file of many: what follows the path in `path#record`; the whole id of any other sample. */
export function recordName(id: string): string {
  return id.slice(id.indexOf("#") + 1);
}

/** The time of day in a recorded time, as recorded: nothing is moved into another zone. Other forms come back whole. */
export function clock(time: string): string {
  return /[T ](\d{2}:\d{2}(?::\d{2})?)/.exec(time)?.[1] ?? time;
}

/** Local hours and minutes of an ISO time. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** What each label is called. */
export const labelTitles = { misbehavior: strings.misbehavior, benign: strings.benign, unsure: strings.unsure, cannot_judge: strings.cannotJudge } as const;

/** The icon of each label. */
export const labelIcons = { misbehavior: "circle-filled", benign: "pass", unsure: "question", cannot_judge: "warning" } as const;
