// Label files: schema, references among records, spans against the text, file names.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { jsonLines, spanProblem } from "./check.mjs";

const VALUES = ["misbehavior", "benign", "unsure", "cannot_judge", null];
const SEEN = ["verdict", "evidence", "original", "others", "gold"];
const ACTIONS = [undefined, "confirm", "decide", "relabel"];

function checkRecord(record, sample, say) {
  if (!sample) return say(`unknown sample ${record.sample_id}`);
  if (!VALUES.includes(record.label)) say(`unknown label ${record.label}`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(record.created_at)) say(`created_at ${record.created_at} is no UTC time`);
  if (!Array.isArray(record.seen) || record.seen.some((one) => !SEEN.includes(one))) say("seen is wrong");
  else if (record.blind !== (record.seen.length === 0)) say("blind and seen contradict each other");
  if (!ACTIONS.includes(record.action)) say(`unknown action ${record.action}`);
  if (record.action === "confirm" && !record.run_id) say("a confirmation needs run_id");
  if (record.label === "misbehavior" && !record.categories?.length) say("misbehavior without a category");
  for (const span of record.spans ?? []) {
    const wrong = sample.steps ? spanProblem(sample.steps, span) : undefined;
    if (wrong) say(`span ${JSON.stringify(span.exact)}: ${wrong}`);
  }
}

/** Checks labels/*.jsonl and returns the records. */
export function checkLabels(root, byId, problem) {
  const all = [];
  const ids = new Set();
  for (const name of readdirSync(join(root, "labels")).filter((one) => one.endsWith(".jsonl")).sort()) {
    const path = `labels/${name}`;
    for (const [line, record] of jsonLines(root, path, problem)) {
      const say = (message) => problem(path, line, message);
      if (ids.has(record.id)) say(`the id ${record.id} stands twice`);
      ids.add(record.id);
      if (`${record.annotator}.jsonl` !== name) say(`${record.annotator} does not belong into this file`);
      checkRecord(record, byId.get(record.sample_id), say);
      all.push(record);
      if (record.supersedes) {
        const old = all.find((one) => one.id === record.supersedes);
        if (!old) say(`supersedes ${record.supersedes}, which is not there`);
        else if (old.sample_id !== record.sample_id || old.annotator !== record.annotator) say("supersedes a record of another sample or person");
      }
      if (record.retracted && !record.supersedes) say("a retraction names the record that it takes back");
    }
  }
  return all;
}

/** Corrected gold by the votes alone (these samples have no adjudication): null where undecided. */
export function goldOf(sample, labels) {
  const own = labels.filter((record) => record.sample_id === sample.id);
  const replaced = new Set(own.map((record) => record.supersedes));
  const standing = own.filter((record) => !replaced.has(record.id) && !record.retracted && record.label !== null).map((record) => record.label);
  const count = (label) => standing.filter((one) => one === label).length;
  const [yes, no] = [count("misbehavior"), count("benign")];
  if (yes + no === 0) return standing.length > 0 ? null : sample.label;
  return yes === no ? sample.label : yes > no ? "misbehavior" : "benign";
}
