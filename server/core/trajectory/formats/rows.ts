/** Rows for people out of whatever a record holds beside its talk: short values by their path, verdicts apart. */
import { isObject, scalarText } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Trajectory } from "../model";
import { row } from "./fields";

type Rows = Trajectory["metadata"];

export interface FoundRows {
  /** What describes the record. */
  readonly facts: Rows;
  /** What says how good or bad it is: hidden where labels are given blind. */
  readonly verdicts: Rows;
}

const verdictName = /score|reward|label|grade|correct|rating|verdict|judg|safe|misbehav|reject|prefer|chosen|passed|success|resolved|target|expected|answer_key/i;
const deepest = 3;
const mostRows = 40;
const longestValue = 500;

/** Rows for the members of `record` except those named in `skip`; lists of more than scalars, and long texts, are left out. */
export function rowsOf(record: JsonObject, skip: ReadonlySet<string>): FoundRows {
  const facts: Rows = [];
  const verdicts: Rows = [];
  const visit = (value: Json, path: string, depth: number) => {
    if (facts.length + verdicts.length >= mostRows) return;
    const target = verdictName.test(path) ? verdicts : facts;
    const text = Array.isArray(value) ? listText(value) : scalarText(value);
    if (text !== undefined) {
      if (text.length <= longestValue) target.push(...row(path, text));
    } else if (isObject(value) && depth < deepest) {
      for (const key of Object.keys(value)) visit(value[key]!, `${path}.${key}`, depth + 1);
    }
  };
  for (const key of Object.keys(record)) if (!skip.has(key)) visit(record[key]!, key, 0);
  return { facts, verdicts };
}

function listText(list: readonly Json[]): string | undefined {
  const texts = list.map(scalarText);
  return list.length > 0 && list.length <= 20 && texts.every((text) => text !== undefined) ? texts.join(", ") : undefined;
}
