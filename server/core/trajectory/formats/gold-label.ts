/** Original labels: only what a data set says absolutely of one sample is a label; preferences between two are not. */
import type { Json, JsonObject } from "#core/json/document";
import type { GoldLabel } from "../model";
import { scalarText } from "#core/json/access";

export interface RecordedLabel {
  readonly label: GoldLabel;
  /** What stands in the record, for people. */
  readonly meaning: string;
}

const words: Record<string, GoldLabel> = {
  misbehavior: "misbehavior", misbehaviour: "misbehavior", misbehaving: "misbehavior", unsafe: "misbehavior", benign: "benign", safe: "benign",
};

/** The label a record carries under one of the usual names, or undefined where there is none or its meaning is not certain. */
export function labelOf(record: JsonObject): RecordedLabel | undefined {
  for (const key of ["label", "gold", "gold_label"]) {
    const word = typeof record[key] === "string" ? record[key].toLowerCase().trim() : "";
    if (Object.hasOwn(words, word)) return { label: words[word]!, meaning: `${key}: ${String(record[key])}` };
  }
  for (const [key, positive] of [["is_misbehavior", "misbehavior"], ["misbehavior", "misbehavior"], ["safe", "benign"], ["is_safe", "benign"]] as const) {
    const truth = truthOf(record[key]);
    if (truth === undefined) continue;
    const other: GoldLabel = positive === "benign" ? "misbehavior" : "benign";
    return { label: truth ? positive : other, meaning: `${key}: ${scalarText(record[key])}` };
  }
  return undefined;
}

/** True or false where it is recorded as a boolean, as text, or as 0 and 1. */
function truthOf(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === 0 || value === 1) return value === 1;
  const word = typeof value === "string" ? value.toLowerCase().trim() : "";
  return word === "true" || word === "yes" ? true : word === "false" || word === "no" ? false : undefined;
}
