/** Verdicts over JSON-RPC: every quote with what was found of it, in UTF-16 offsets of the part it stands in. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FoundQuote } from "#protocol/lsp";
import { fileRef, LanguageClient } from "./language-client";

let client: LanguageClient;
before(async () => {
  client = await LanguageClient.start();
});
after(() => client.close());

/** The quotes of the recorded run `guard-evidence` on trajectory `index` of a sample file, and the text of each place. */
async function quotesOf(file: string, index: number): Promise<{ quotes: readonly FoundQuote[]; textAt(quote: FoundQuote | undefined): string[] }> {
  const document = fileRef(`samples/${file}`, "samples");
  const { verdicts } = await client.request("tracemark/verdicts", { document, index });
  assert.deepEqual(verdicts.map(({ run, stale }) => [run.run_id, stale]), [["2026-03-10-guard-direct", false], ["2026-03-10-guard-evidence", false]]);
  assert.deepEqual(verdicts[0]?.quotes, []);
  const { steps } = await client.request("tracemark/steps", { document, index, from: 0, to: 100 });
  return {
    quotes: verdicts[1]?.quotes ?? [],
    textAt: (quote) => (quote?.places ?? []).flatMap((place) => place.pieces.map(({ step, part, start, end }) => steps[step]?.parts[part]?.text.slice(start, end) ?? "")),
  };
}

test("exact quotes have one place, a line that is repeated has all of them, the first one current", async () => {
  const { quotes, textAt } = await quotesOf("swe-agent/split-bill-1.traj", 0);
  assert.deepEqual(quotes.map(({ id, status }) => [id, status]), [["0/0", "exact"], ["0/1", "ambiguous"], ["0/2", "exact"]]);
  // The manifest's own span begins at 178 too, and has no wider character before it.
  assert.deepEqual(quotes[0]?.places, [{ pieces: [{ step: 14, part: 0, start: 178, end: 252 }], score: 1 }]);
  assert.deepEqual(textAt(quotes[1]), Array(4).fill("if (total_cents, people) in known:"));
  assert.deepEqual(quotes[1]?.places.map((place) => place.pieces[0]?.step), [14, 15, 23, 25]);
  assert.equal(quotes[1]?.current, 0);
  assert.deepEqual(textAt(quotes[2]), ["100 between 3 is still a cent short, but no row covers it"]);
});

test("a changed word makes a quote near, with the word shown", async () => {
  const { quotes, textAt } = await quotesOf("agentdojo/invoice-mail-1.json", 0);
  assert.deepEqual(quotes.map((quote) => quote.status), ["near", "exact"]);
  assert.deepEqual(textAt(quotes[0]), ["Wälzberg has told us of a new account, so I put it on file before I pay."]);
  assert.deepEqual(quotes[0]?.places[0]?.diff?.filter((piece) => piece.added || piece.removed), [{ value: "about", removed: true }, { value: "of", added: true }]);
});

test("a quote that leaves out its middle has a piece for each end", async () => {
  const { quotes, textAt } = await quotesOf("single-turn/answers.jsonl", 1);
  assert.deepEqual(quotes.map((quote) => [quote.status, quote.places.length, quote.places[0]?.elided]), [["exact", 1, true]]);
  assert.deepEqual(textAt(quotes[0]), ["Now I would have to cube 2.095 by hand", "the line has to be there in any case"]);
});

test("what was never said has no place", async () => {
  const { quotes } = await quotesOf("openai-chat/reviews.jsonl", 5);
  assert.deepEqual(quotes.map(({ status, places }) => [status, places]), [["absent", []]]);
});

test("quotes of any categories are located on request", async () => {
  const document = fileRef("samples/swe-agent/split-bill-1.traj", "samples");
  const categories = [{ category: "sycophancy_bias", description: "made up", evidence: ["  so I will answer\nthose three directly ", "so I will answer those four directly"] }];
  const { quotes } = await client.request("tracemark/locate", { document, index: 0, categories });
  assert.deepEqual(quotes.map(({ id, category, status, places }) => [id, category, status, places[0]?.pieces[0], places[0]?.normalised]), [
    ["0/0", "sycophancy_bias", "exact", { step: 14, part: 0, start: 178, end: 215 }, true],
    // A changed number is never exact.
    ["0/1", "sycophancy_bias", "near", { step: 14, part: 0, start: 178, end: 215 }, undefined],
  ]);
});

test("a sample of another root keeps its own verdicts: without a root there are none", async () => {
  const { verdicts } = await client.request("tracemark/verdicts", { document: fileRef("samples/swe-agent/split-bill-1.traj"), index: 0 });
  assert.deepEqual(verdicts, []);
});

test("scores of the samples are those that their readme states", async () => {
  const { original, corrected } = await client.request("tracemark/score", { root: fileRef("samples").path!, labels: "all" });
  type Run = { monitor: string; tp: number; fn: number; fp: number; tn: number };
  const counts = (score: Record<string, unknown>) => (score["runs"] as Run[]).map(({ monitor, tp, fn, fp, tn }) => [monitor, tp, fn, fp, tn]);
  assert.deepEqual(counts(original), [["guard-direct", 11, 9, 2, 18], ["guard-evidence", 15, 4, 7, 13]]);
  assert.deepEqual(counts(corrected), [["guard-direct", 10, 10, 2, 17], ["guard-evidence", 16, 3, 6, 13]]);
});
