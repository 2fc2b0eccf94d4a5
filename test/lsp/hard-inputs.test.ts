/** The twelve inputs that trip readers up: each answers every request, with what is expected of it. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { DocumentRef } from "#protocol/lsp";
import type { Step } from "#core/trajectory/model";
import { sharedFile } from "../support/shared";
import { fileRef, LanguageClient } from "./language-client";

let client: LanguageClient;
before(async () => {
  client = await LanguageClient.start();
});
after(() => client.close());

const stepsOf = async (document: DocumentRef, index = 0): Promise<Step[]> => (await client.request("tracemark/steps", { document, index, from: 0, to: 200 })).steps;
const texts = (steps: readonly Step[]): string[] => steps.flatMap((step) => step.parts.map((part) => part.text));

/** A test on the one of the twelve whose name starts with `number`. */
function hard(number: string, what: string, work: (document: DocumentRef) => Promise<void>): void {
  test(`${number}: ${what}`, async (t) => {
    const folder = sharedFile(t, "trajectories/hard");
    if (!folder) return;
    const name = readdirSync(folder).find((entry) => entry.startsWith(`${number}-`));
    await work(fileRef(join(folder, name ?? "missing")));
  });
}

test("all twelve open with a trajectory, or are refused with a sentence that names them", async (t) => {
  const folder = sharedFile(t, "trajectories/hard");
  if (!folder) return;
  const names = readdirSync(folder).sort();
  assert.equal(names.length, 12);
  for (const name of names) {
    const document = fileRef(join(folder, name));
    const opened = await client.request("tracemark/open", document).catch((error: Error) => {
      assert.ok(error.message.startsWith(`${name}: `), error.message);
      return undefined;
    });
    for (const item of opened?.items ?? []) {
      if (item.problem) continue;
      const { stepCount } = await client.request("tracemark/header", { document, index: item.index });
      const { outline } = await client.request("tracemark/outline", { document, index: item.index });
      assert.deepEqual([(await stepsOf(document, item.index)).length, outline.length], [stepCount, stepCount]);
      assert.deepEqual((await client.request("tracemark/verdicts", { document, index: item.index })).verdicts, []);
      const { verdict } = await client.request("tracemark/runMonitor", { document, index: item.index, monitor: "rules" });
      assert.notEqual(verdict.outcome, "invalid");
      for (let step = 0; step < stepCount; step++) assert.equal(typeof (await client.request("tracemark/place", { document, index: item.index, step })).line, "number");
    }
  }
});

hard("01", "two records, and a note on the torn third line", async (document) => {
  const { warnings } = await client.request("tracemark/header", { document, index: 0 });
  assert.deepEqual(warnings.map(({ code, line }) => [code, line]), [["damaged-line", 3]]);
  assert.equal((await stepsOf(document)).length, 2);
});

hard("02", "four good records around a damaged line", async (document) => {
  const { warnings } = await client.request("tracemark/header", { document, index: 0 });
  assert.deepEqual(warnings.map(({ code, line }) => [code, line]), [["damaged-line", 3]]);
  const steps = await stepsOf(document);
  assert.equal(steps.length, 4);
  // The lines after the damage keep their numbers: the blank one counts too.
  const places = await Promise.all(steps.map((_, step) => client.request("tracemark/place", { document, index: 0, step })));
  assert.deepEqual(places.map((place) => place.line), [0, 1, 4, 5]);
});

hard("03", "line separators inside a string do not cut it", async (document) => {
  const steps = await stepsOf(document);
  assert.equal(steps.length, 2);
  assert.match(texts(steps).join(""), /\u2028/);
});

hard("04", "one reply over many lines is one step, its tokens counted once", async (document) => {
  const steps = await stepsOf(document);
  const replies = steps.filter((step) => step.role === "assistant");
  assert.deepEqual(replies.map((step) => step.parts.map((part) => part.kind)), [["reasoning", "tool_call", "tool_call", "text"]]);
  assert.equal((await client.request("tracemark/header", { document, index: 0 })).totals.outputTokens, 212);
});

hard("05", "lone surrogates come over the wire as they are, proper pairs as one character", async (document) => {
  const all = texts(await stepsOf(document)).join("\n");
  assert.match(all, /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  assert.match(all, /[\ud800-\udbff][\udc00-\udfff]/);
});

hard("06", "NaN and Infinity stay what they are, in numbers and in words", async (document) => {
  const header = JSON.stringify(await client.request("tracemark/header", { document, index: 0 }));
  assert.match(header, /NaN/);
  assert.match(header, /-Infinity/);
});

hard("07", "of three records the one without messages is marked and the others are read", async (document) => {
  const { items } = await client.request("tracemark/open", document);
  assert.deepEqual(items.map((item) => [item.problem?.code, item.problem?.line]), [[undefined, undefined], [undefined, undefined], ["bad-record", 3]]);
  assert.equal((await stepsOf(document, 0)).length, 7);
});

hard("08", "a byte order mark and CRLF lines lose nothing, and CRLF inside a string stays", async (document) => {
  const { items } = await client.request("tracemark/open", document);
  assert.equal(items.length, 2);
  assert.match([...texts(await stepsOf(document, 0)), ...texts(await stepsOf(document, 1))].join(""), /\r\n/);
});

hard("09", "twin records give four turns, and the context is not the user's", async (document) => {
  const steps = (await stepsOf(document)).filter((step) => !step.flags?.includes("meta"));
  assert.deepEqual(steps.map((step) => [step.role, step.parts[0]?.text]), [["user", "hi"], ["assistant", "Hello. What shall I do?"], ["user", "hi"], ["assistant", "Hello again."]]);
});

hard("10", "a quote behind emoji is found in UTF-16 units", async (document) => {
  const steps = await stepsOf(document);
  const part = steps.flatMap((step) => step.parts.map((value, at) => ({ step: step.index, at, text: value.text }))).find(({ text }) => /[\ud800-\udbff]/.test(text));
  assert.ok(part);
  const quote = part.text.slice(-12);
  const { quotes } = await client.request("tracemark/locate", { document, index: 0, categories: [{ category: "c", description: "", evidence: [quote] }] });
  const piece = quotes[0]?.places[0]?.pieces[0];
  assert.deepEqual([quotes[0]?.status, piece?.step, piece?.end], ["exact", part.step, part.text.length]);
});

hard("11", "terminal control bytes stay in the data", async (document) => {
  const all = texts(await stepsOf(document)).join("");
  for (const byte of ["\u001b", "\u0000", "\r", "\u202e"]) assert.ok(all.includes(byte), JSON.stringify(byte));
});

hard("12", "spans as they are dumped: ids in two encodings join, large integers keep their digits", async (document) => {
  const { format, warnings } = await client.request("tracemark/open", document);
  assert.deepEqual([format, warnings], ["otel", []]);
  assert.match(JSON.stringify(await stepsOf(document)), /9007199254740993/);
});
