/** Which warnings mean that recorded content could not be read, as against guesses, repairs and oddities. */
import type { Warning } from "./model";

const codes = new Set([
  "damaged-line", "changed-line", "damaged-json", "truncated-json", "invalid-utf-8", "damaged-archive", "damaged-entry", "reader-failed", "too-large", "empty-file",
  "no-talk", "bad-record", "outside-root", "missing-file",
]);

/** True when something was lost: such a file makes `show` and `convert` end with exit code 1. */
export function isDamage(warning: Warning): boolean {
  return codes.has(warning.code);
}
