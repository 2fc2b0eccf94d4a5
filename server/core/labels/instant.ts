/** Times as label and run files write them, made comparable without reading a clock or a time zone. */

const shape = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * Milliseconds since 1970 (UTC) of an ISO 8601 time, with the fraction below a millisecond kept. A time without zone counts
 * as UTC. Undefined when `text` is not such a time.
 */
export function instantOf(text: string): number | undefined {
  const match = shape.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", zone = "Z"] = match;
  const fields = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const utc = Date.UTC(...fields);
  // 31 February rolls over to March in Date.UTC; a time that was never on a clock is not a time.
  if (new Date(utc).getUTCDate() !== fields[2] || fields[1] > 11 || fields[3] > 24 || fields[4] > 59 || fields[5] > 60) return undefined;
  return utc + Number(fraction) * 1000 - zoneOffset(zone);
}

/** Milliseconds that a zone is ahead of UTC. */
function zoneOffset(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}

/** Orders records by `created_at`, then `id` (by UTF-16 units); a `created_at` that is no time comes first. */
export function compareByTime(a: { created_at: string; id: string }, b: { created_at: string; id: string }): number {
  const left = instantOf(a.created_at) ?? -Infinity;
  const right = instantOf(b.created_at) ?? -Infinity;
  if (left !== right) return left < right ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
