/** Labels as W3C Web Annotations (Recommendation of 23 February 2017), gathered in one AnnotationPage of JSON-LD. */
import { instantOf } from "#core/labels/instant";
import { describeIssues, type FileProblem } from "#core/workspace/file-problem";
import { LabelRecord, type Span } from "#core/workspace/schemas";
import { defineLabelFormat, parsedJson } from "./define";

const context = "http://www.w3.org/ns/anno.jsonld";

export const w3cFormat = defineLabelFormat({
  id: "w3c", title: "W3C Web Annotation", extension: "jsonld", carriesTrajectories: false,
  write: ({ records }) => ({
    text: `${JSON.stringify({ "@context": [context, { tracemark: "urn:tracemark:" }], id: "urn:tracemark:labels", type: "AnnotationPage", startIndex: 0, items: records.map(({ record }) => annotation(record)) }, null, 1)}\n`,
    leftOut: [],
  }),
  read(text, { file }) {
    const read = parsedJson(text, file);
    if ("problem" in read) return { records: [], problems: [read.problem] };
    const page = read.value as { items?: unknown };
    const items = Array.isArray(read.value) ? read.value : Array.isArray(page?.items) ? page.items : [read.value];
    const records: { record: LabelRecord }[] = [];
    const problems: FileProblem[] = [];
    for (const [at, item] of items.entries()) {
      const inside = (item as Record<string, unknown> | null)?.["tracemark:record"];
      const parsed = LabelRecord.safeParse(inside);
      if (parsed.success) records.push({ record: parsed.data });
      else problems.push({ file, code: "bad-record", message: `Annotation ${at} is not used: ${inside === undefined ? "it carries no record of Tracemark, so neither step nor label can be told" : describeIssues(parsed.error.issues, inside)}.` });
    }
    return { records, problems };
  },
});

function annotation(record: LabelRecord): Record<string, unknown> {
  const time = instantOf(record.created_at);
  const body = (purpose: string, value: string): Record<string, unknown> => ({ type: "TextualBody", value, format: "text/plain", purpose });
  const bodies = [
    ...(record.label === null || record.retracted === true ? [] : [body("classifying", record.label)]),
    ...(record.categories ?? []).map((category) => body("tagging", category)),
    ...(record.note ? [body("commenting", record.note)] : []),
  ];
  const source = `urn:tracemark:sample:${encodeURIComponent(wellFormed(record.sample_id))}`;
  const targets = (record.spans ?? []).map((span) => target(source, span));
  return {
    id: `urn:tracemark:label:${encodeURIComponent(wellFormed(record.id))}`, type: "Annotation",
    motivation: record.adjudicates ? ["assessing", "classifying"] : "classifying",
    creator: { type: "Person", name: record.annotator },
    ...(time === undefined ? {} : { created: new Date(time).toISOString() }),
    ...(bodies.length > 0 ? { body: bodies } : {}),
    target: targets.length > 0 ? targets : source,
    "tracemark:record": record,
  };
}

/** The part of the step is the source; positions count its Unicode code points, as the Recommendation has it. */
function target(source: string, span: Span): Record<string, unknown> {
  const position = { type: "TextPositionSelector", start: span.start, end: span.end };
  const quote = { type: "TextQuoteSelector", exact: span.exact, prefix: span.prefix, suffix: span.suffix };
  return { type: "SpecificResource", source: `${source}/step/${span.step}/${span.part}/${span.part_index}`, selector: span.exact === "" ? position : [quote, position] };
}

/** Half a surrogate pair cannot stand in an IRI. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
