/** Tells the label records that are plainly in order, many times faster than the schema, which has the last word on all others. */
import type { LabelRecord } from "#core/workspace/schemas";

const labels = new Set<unknown>(["misbehavior", "benign", "unsure", "cannot_judge", null]);
const reveals = new Set<unknown>(["verdict", "evidence", "original", "others", "gold"]);
const actions = new Set<unknown>(["confirm", "decide", "relabel"]);
const parts = new Set<unknown>(["text", "reasoning", "tool_call", "tool_result"]);

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);

/** The keys of a record that the quick way knows. Any key that is in the schema and not here sends the record the slow way. */
const known: Readonly<Record<string, Check>> = {
  id: isText, sample_id: isText, content_sha256: isText, file_sha256: isText, annotator: isText, created_at: isText,
  label: (value) => labels.has(value), categories: isTexts, spans: (value) => Array.isArray(value) && value.every(isPlainSpan),
  note: isText, blind: isFlag, seen: (value) => Array.isArray(value) && value.every((one) => reveals.has(one)), run_id: isText,
  action: (value) => actions.has(value), plan_id: isText, guideline_sha256: isText, supersedes: isText, retracted: isFlag,
  adjudicates: isTexts, seconds: isNumber, quick: isFlag, skipped: isFlag,
};

/**
 * Whether a value is a label record that the schema would take as it is: every key is one of the common ones and holds what it
 * should. False says nothing: the schema decides.
 */
export function isPlainRecord(value: unknown): value is LabelRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const check = known[key];
    if (check === undefined || !check(record[key])) return false;
  }
  return record["id"] !== undefined && record["sample_id"] !== undefined && record["annotator"] !== undefined && record["created_at"] !== undefined &&
    record["label"] !== undefined && record["blind"] !== undefined && record["seen"] !== undefined;
}

function isPlainSpan(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const span = value as Record<string, unknown>;
  let seen = 0;
  for (const key in span) {
    const own = span[key];
    switch (key) {
      case "step": case "part_index": case "start": case "end":
        if (!Number.isSafeInteger(own)) return false;
        seen++;
        break;
      case "part":
        if (!parts.has(own)) return false;
        seen++;
        break;
      case "exact": case "prefix": case "suffix":
        if (typeof own !== "string") return false;
        seen++;
        break;
      case "category": case "note":
        if (typeof own !== "string") return false;
        break;
      case "origin":
        if (own !== "own" && own !== "adopted") return false;
        break;
      default: return false;
    }
  }
  return seen === 8;
}
