/** Real judges' quotes with their true places: how many are found, by kind, against the targets. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { matchQuote } from "#core/evidence/match-quote";
import type { QuoteMatch } from "#core/evidence/quote-match";
import { sharedFile } from "../../support/shared";

interface Place {
  readonly start: number;
  readonly end: number;
}

interface QuoteRecord {
  readonly id: string;
  readonly text: string;
  readonly quote: string;
  readonly kind: string;
  readonly expected: Place | null;
  readonly pieces?: readonly Place[];
  readonly alternatives?: readonly Place[];
  readonly near?: Place;
}

const PLAIN = ["exact", "whitespace", "punctuation", "case", "markdown", "ellipsis", "escape"];

/** Intersection over union of two sets of ranges, neither overlapping itself. */
function overlap(a: readonly Place[], b: readonly Place[]): number {
  const length = (places: readonly Place[]): number => places.reduce((sum, place) => sum + place.end - place.start, 0);
  let shared = 0;
  for (const one of a) for (const other of b) shared += Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
  return shared / (length(a) + length(b) - shared);
}

/** How well the current place fits the true one, or an equally good one. */
function fit(record: QuoteRecord, found: QuoteMatch): number {
  const place = found.places[found.current];
  if (place === undefined || record.expected === null) return 0;
  const truths = [record.pieces ?? [record.expected], ...(record.alternatives ?? []).map((other) => [other])];
  return Math.max(...truths.map((truth) => overlap(place.pieces, truth)));
}

function isHit(record: QuoteRecord, found: QuoteMatch): boolean {
  if (PLAIN.includes(record.kind)) return fit(record, found) >= 0.9;
  if (record.kind === "paraphrase") return found.status === "near" && fit(record, found) >= 0.7;
  if (record.near === undefined) return found.status === "absent";
  return found.status === "absent" || (found.status === "near" && found.places[0]!.difference!.some((piece) => piece.kind !== "same"));
}

test("quotes of real judges are found where they stand", (t) => {
  const path = sharedFile(t, "benchmarks/quotes-dev.jsonl");
  if (path === undefined) return;
  const records = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line) as QuoteRecord);
  assert.equal(records.length, 205);
  const table = new Map<string, { n: number; hits: number }>();
  const missed: string[] = [];
  for (const record of records) {
    const found = matchQuote([{ text: record.text, kind: "text" }], record.quote);
    const kind = record.near === undefined ? record.kind : "one value changed";
    const row = table.get(kind) ?? { n: 0, hits: 0 };
    table.set(kind, row);
    row.n += 1;
    if (isHit(record, found)) row.hits += 1;
    else missed.push(`${record.kind} ${record.id}: ${found.status} ${JSON.stringify(record.quote)}`);
  }
  for (const [kind, { n, hits }] of table) t.diagnostic(`${kind}: ${hits} of ${n}`);
  for (const line of missed) t.diagnostic(line);
  const share = (kinds: readonly string[]): number => {
    const rows = kinds.map((kind) => table.get(kind)!);
    return rows.reduce((sum, row) => sum + row.hits, 0) / rows.reduce((sum, row) => sum + row.n, 0);
  };
  assert.ok(share(PLAIN) >= 0.98, "plain kinds");
  assert.ok(share(["paraphrase"]) >= 0.75, "paraphrases");
  assert.equal(share(["absent"]), 1);
  assert.equal(share(["one value changed"]), 1);
});
