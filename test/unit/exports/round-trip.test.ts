/** Labels leave in each format and come back the same; each format is held against what the other side reads. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import * as z from "zod";
import { labelFormats } from "#core/exports/labels/index";
import type { ExportSample, LabelExport, LabelFormat, ReadContext } from "#core/exports/labels/define";
import { resolveGold } from "#core/labels/gold";
import { spanFromUtf16 } from "#core/evidence/span";
import { partIndexOf, type Step } from "#core/trajectory/model";
import { LabelRecord } from "#core/workspace/schemas";
import { sha256 } from "#node/sha256";
import { awkwardText, pick, seeded } from "../evidence/random";

const formatOf = (id: string): LabelFormat => {
  const format = labelFormats.find((one) => one.id === id);
  assert.ok(format);
  return format;
};
const context: ReadContext = { file: "in", sha256 };

/** Records with everything that a record may carry, over texts that have given trouble. */
function awkwardRecords(seed: number): { records: LabelRecord[]; samples: Map<string, ExportSample> } {
  const random = seeded(seed);
  const samples = new Map<string, ExportSample>();
  const records: LabelRecord[] = [];
  for (let n = 0; n < 12; n++) {
    const id = `log ${n}.eval#q,${n}/1`;
    const steps: Step[] = [0, 1].map((index) => ({ index, role: index === 0 ? "user" : "assistant", places: [], parts: [{ kind: "text", text: `x${awkwardText(random, 20)}` }, { kind: "reasoning", text: `y${awkwardText(random, 5)}` }, { kind: "text", text: `z${awkwardText(random, 9)}` }] }));
    const spans = steps.flatMap((step) => step.parts.map((part, at) => spanFromUtf16(part.text, { start: 0, end: 1 + pick(random, part.text.length) }, { step: step.index, part: part.kind, part_index: partIndexOf(step, at) })));
    const record: LabelRecord = {
      id: `r${n}`, sample_id: id, annotator: ["Ada", "=Bob", "Ève, \"E\""][n % 3] ?? "", created_at: `2026-01-${String(n + 1).padStart(2, "0")}T10:00:00+02:00`,
      label: (["misbehavior", "benign", "unsure", "cannot_judge", null] as const)[n % 5] ?? null, blind: n % 2 === 0, seen: n % 2 === 0 ? [] : ["verdict", "evidence"],
      categories: n % 4 === 0 ? ["a", "b, c"] : [], spans: n % 3 === 0 ? spans.map((span) => ({ ...span, category: "a", origin: "own" as const })) : [], note: awkwardText(random, n), seconds: n / 2,
      fields: { severity: 3, "why so": "'=1+1", sure: true }, own_key: { deep: [n] }, ...(n === 5 ? { supersedes: "r2", retracted: true } : {}), ...(n === 6 ? { adjudicates: ["r0", "r1"], guideline_quote: "So, it is." } : {}),
      ...(n === 7 ? { check: "repeat" as const, skipped: false, quick: true } : {}),
    };
    records.push(LabelRecord.parse(record));
    samples.set(id, { id, file: `log ${n}.eval`, split: n % 2 === 0 ? "train" : undefined, gold: resolveGold({ records: [record], original: "benign" }), decidedAt: record.created_at, inspect: { uuid: `uuid-${n}`, id: `q,${n}`, epoch: 1 }, steps });
  }
  return { records, samples };
}

const exportOf = ({ records, samples }: ReturnType<typeof awkwardRecords>): LabelExport => ({ records: records.map((record) => ({ record })), samples, withText: true });
/** JSON has no lone surrogates in UTF-8 text, but keeps them as escapes; so does every format here. */
const same = (a: unknown, b: unknown): void => assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));

test("every format of the folder is in the list", () => {
  const besides = new Set(["define", "index", "csv-table", "publish-list", "without-text"]);
  const files = readdirSync("server/core/exports/labels").map((name) => name.replace(/\.ts$/, ""));
  assert.deepEqual(files.filter((name) => !besides.has(name)).sort(), labelFormats.map(({ id }) => id).sort());
});

for (const id of ["jsonl", "csv", "label-studio", "w3c"]) {
  test(`${id}: importing one's own export gives the same records`, () => {
    for (let seed = 1; seed <= 20; seed++) {
      const made = awkwardRecords(seed);
      const { text } = formatOf(id).write(exportOf(made));
      // Through UTF-8, as on its way to a file.
      const { records, problems } = formatOf(id).read(Buffer.from(text, "utf8").toString("utf8"), context);
      assert.deepEqual(problems, []);
      same(records.map(({ record }) => record).sort((a, b) => (a.created_at < b.created_at ? -1 : 1)), made.records);
    }
  });
}

test("inspect: what stands comes back the same; drafts and retracted labels stay at home", () => {
  const made = awkwardRecords(3);
  const { text, leftOut } = formatOf("inspect").write(exportOf(made));
  assert.deepEqual(leftOut, []);
  const { records, problems } = formatOf("inspect").read(text, context);
  assert.deepEqual(problems, []);
  same(records.map(({ record }) => record), made.records.filter(({ label, retracted, check }) => label !== null && retracted !== true && check === undefined));
  // The fields that Inspect's ScoreEdit and ProvenanceData have, and the arguments of its edit_score.
  const provenance = z.strictObject({ timestamp: z.iso.datetime(), author: z.string(), reason: z.nullable(z.string()), metadata: z.record(z.string(), z.unknown()) });
  const edit = z.strictObject({ value: z.string(), answer: z.literal("UNCHANGED"), explanation: z.string(), metadata: z.record(z.string(), z.unknown()), provenance });
  const line = z.strictObject({ log: z.string(), sample_id: z.string(), epoch: z.int(), uuid: z.optional(z.string()), score_name: z.string(), edit });
  for (const one of text.trim().split("\n")) line.parse(JSON.parse(one));
});

test("scout: the uuid, true and false, no row for unsure or contested; and back", () => {
  const made = awkwardRecords(4);
  const { text, leftOut } = formatOf("scout").write(exportOf(made));
  const rows = text.trim().split("\r\n");
  assert.equal(rows[0], "id,target,split,sample_id,gold_status,decided_at");
  assert.equal(rows[1], "uuid-0,true,train,\"log 0.eval#q,0/1\",single,2026-01-01T10:00:00+02:00");
  const undecided = [...made.samples.values()].filter(({ gold }) => gold.status === "undecided").length;
  assert.ok(undecided > 0);
  assert.equal(rows.length - 1, made.samples.size - undecided);
  assert.deepEqual(leftOut, [`${undecided} samples whose gold is contested or undecided`]);
  const back = formatOf("scout").read(text, { ...context, annotator: "Ada" });
  assert.deepEqual(back.problems, []);
  assert.deepEqual(back.records.map(({ record }) => [record.sample_id, record.label]), [...made.samples.values()].filter(({ gold }) => gold.label !== null).map(({ id, gold }) => [id, gold.label]));
  assert.deepEqual(formatOf("scout").read(text, { ...context, annotator: "Ada" }), back);
  assert.match(formatOf("scout").read(text, context).problems[0]?.message ?? "", /say whose labels these are \(--annotator\)/);
});

test("w3c: what the Recommendation demands of an annotation, its bodies, selectors and page", () => {
  const iri = z.string().check(z.regex(/^[a-z]+:\S+$/));
  const textual = z.looseObject({ type: z.literal("TextualBody"), value: z.string(), purpose: z.enum(["classifying", "tagging", "commenting"]) });
  const position = z.strictObject({ type: z.literal("TextPositionSelector"), start: z.int().check(z.nonnegative()), end: z.int().check(z.nonnegative()) });
  const quote = z.strictObject({ type: z.literal("TextQuoteSelector"), exact: z.string(), prefix: z.string(), suffix: z.string() });
  const resource = z.looseObject({ type: z.literal("SpecificResource"), source: iri, selector: z.union([position, z.tuple([quote, position])]) });
  const annotation = z.looseObject({
    id: iri, type: z.literal("Annotation"), created: z.iso.datetime(), creator: z.looseObject({ type: z.literal("Person"), name: z.string() }),
    body: z.optional(z.array(textual)), target: z.union([iri, z.array(resource)]), motivation: z.union([z.string(), z.array(z.string())]),
  });
  const page = z.looseObject({ "@context": z.array(z.unknown()), id: iri, type: z.literal("AnnotationPage"), items: z.array(annotation) });
  const made = awkwardRecords(5);
  const parsed = page.parse(JSON.parse(formatOf("w3c").write(exportOf(made)).text));
  assert.equal(parsed["@context"][0], "http://www.w3.org/ns/anno.jsonld");
  assert.equal(parsed.items[0]?.created, "2026-01-01T08:00:00.000Z");
});

test("label studio: regions quote their paragraph by UTF-16 offsets, and what was changed there comes back as a new record", () => {
  const made = awkwardRecords(6);
  const tasks = JSON.parse(formatOf("label-studio").write(exportOf(made)).text) as { data: { dialogue: { text: string }[] }; annotations: { result: { id: string; type: string; from_name: string; value: Record<string, unknown> }[]; completed_by?: unknown; created_at: string }[] }[];
  let regions = 0;
  for (const { data, annotations } of tasks) {
    for (const { type, value } of annotations.flatMap(({ result }) => result)) {
      if (type !== "paragraphlabels") continue;
      regions++;
      assert.equal(data.dialogue[Number(value["start"])]?.text.slice(value["startOffset"] as number, value["endOffset"] as number), value["text"]);
    }
  }
  assert.ok(regions >= 20);
  const task = tasks[0];
  const annotation = task?.annotations[0];
  assert.ok(task && annotation);
  annotation.result = annotation.result.map((one) => (one.from_name === "label" ? { ...one, value: { choices: ["benign"] } } : one));
  task.annotations.push({ result: [{ id: "Xy", type: "choices", from_name: "label", value: { choices: ["unsure"] } }, { id: "Xz", type: "paragraphlabels", from_name: "span", value: { start: "0", end: "0", startOffset: 0, endOffset: 1, paragraphlabels: ["evidence"] } }], completed_by: { email: "cy@example.org" }, created_at: "2026-02-01T00:00:00Z" });
  const { records, problems } = formatOf("label-studio").read(JSON.stringify([task]), context);
  assert.deepEqual(problems, []);
  assert.deepEqual(records.map(({ record }) => [record.annotator, record.label, record.supersedes, record.spans?.length]), [["Ada", "misbehavior", undefined, 6], ["Ada", "benign", "r0", 6], ["cy@example.org", "unsure", undefined, 1]]);
  assert.deepEqual(records[1]?.record.spans?.map(({ exact }) => exact), made.records[0]?.spans?.map(({ exact }) => exact));
  same(formatOf("label-studio").read(JSON.stringify([task]), context).records, records);
});

test("what is not the format is told and nothing of it used", () => {
  for (const [id, text, code] of [["csv", "a,b\r\n1,2\r\n", "no-header"], ["scout", "id\r\n", "no-header"], ["w3c", "{", "bad-json"], ["label-studio", "[{}]", "bad-record"], ["w3c", "[{\"type\": \"Annotation\"}]", "bad-record"], ["inspect", "{\"sample_id\": 1}", "bad-record"], ["csv", "sample_id,label,blind\r\na,benign,tru\r\n", "bad-record"]] as const) {
    const { records, problems } = formatOf(id).read(text, context);
    assert.deepEqual([records, problems.map((problem) => problem.code)], [[], [code]], id);
  }
});

test("cells that a spreadsheet would run are text, and come back as they were", () => {
  const values = ["=1+1", "'=1+1", "+x", "-1", "@a", "\tx", "\r", " lead", "a\"b", "a,b", "a\nb", "'plain", "", "''=x"];
  const { text } = formatOf("csv").write({ records: values.map((note, n) => ({ record: { id: `r${n}`, sample_id: "s", annotator: "a", created_at: "t", label: null, blind: true, seen: [], note } })), samples: new Map(), withText: true });
  assert.ok(!/(^|,)"?[=+@\t]/m.test(text), text);
  assert.deepEqual(formatOf("csv").read(text, context).records.map(({ record }) => record.note), values);
});
