/** Ids of records: 26 characters that sort by time (the layout of ULID), made from a clock and random bytes that are passed in. */

// Crockford's base 32: no I, L, O, U.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 48 bits of milliseconds since 1970, then 80 bits from `random` (10 bytes). */
export function recordId(ms: number, random: Uint8Array): string {
  let value = BigInt(Math.max(0, Math.floor(ms))) & 0xffff_ffff_ffffn;
  for (let i = 0; i < 10; i++) value = (value << 8n) | BigInt(random[i] ?? 0);
  let id = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) id += digits[Number((value >> shift) & 31n)];
  return id;
}

export interface IdSource {
  /** A new id, greater than every id this source gave before. */
  next(): string;
}

/**
 * Ids that keep rising within one process even when the clock stands still or runs back: then the random part of the last id
 * is counted up. `now` gives milliseconds since 1970, `randomBytes` that many random bytes.
 */
export function createIdSource(now: () => number, randomBytes: (length: number) => Uint8Array): IdSource {
  let lastMs = -1;
  let random = new Uint8Array(10);
  return {
    next() {
      const ms = Math.floor(now());
      if (ms > lastMs) {
        lastMs = ms;
        random = Uint8Array.from(randomBytes(10));
        // Room to count up within a millisecond.
        random[0] = (random[0] ?? 0) & 0x7f;
      } else {
        for (let i = 9; i >= 0; i--) {
          const byte = ((random[i] ?? 0) + 1) & 0xff;
          random[i] = byte;
          if (byte !== 0) break;
        }
      }
      return recordId(lastMs, random);
    },
  };
}
