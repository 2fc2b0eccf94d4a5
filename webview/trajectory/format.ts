/** Numbers, sizes and times as short words. */

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

/** The time of day in a recorded time, as recorded: nothing is moved into another zone. Other forms come back whole. */
export function clock(time: string): string {
  return /[T ](\d{2}:\d{2}(?::\d{2})?)/.exec(time)?.[1] ?? time;
}

/** Local hours and minutes of an ISO time. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}
