/** Which samples a run was asked for: its header names their count and a hash of their ids. */
import type { RunHeader } from "./schemas";

/** The string whose SHA-256 (UTF-8) stands in a run header's `samples.sha256`: the sorted ids as JSON. */
export function sampleIdsCanonical(ids: Iterable<string>): string {
  return JSON.stringify([...new Set(ids)].sort());
}

export interface KnownSample {
  readonly id: string;
  readonly split?: string | undefined;
}

/**
 * The ids that a run was asked for. `all` when the header does not say. Tried against the count and hash in the header: all
 * samples, those of each split, the first of either (a limit), and the samples with a verdict; `unknown` when none fits, as
 * when samples were added or removed since. `selected` are the ids that the header's filter selects today, where someone has
 * applied it. `sha256` hashes the UTF-8 of a text to lower-case hexadecimal.
 */
export function askedSamples(
  header: RunHeader, samples: readonly KnownSample[], answered: Iterable<string>, sha256: (text: string) => string,
  selected: readonly string[] = [],
): ReadonlySet<string> | "all" | "unknown" {
  const named = header.samples;
  if (!named) return "all";
  const everything = samples.map(({ id }) => id);
  const splits = [...new Set(samples.map(({ split }) => split))].filter((split) => split !== undefined);
  const sets = [everything, ...splits.map((split) => samples.filter((sample) => sample.split === split).map(({ id }) => id)), [...new Set(answered)], selected];
  for (const ids of sets) {
    // A run may have stopped at a limit, in the order of the samples.
    if (ids.length < named.count) continue;
    const some = ids.slice(0, named.count);
    if (sha256(sampleIdsCanonical(some)) === named.sha256) return new Set(some);
  }
  return "unknown";
}
