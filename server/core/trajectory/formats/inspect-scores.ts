/** Scores of an Inspect sample as rows for people. */
import { isObject, member, nameTable } from "#core/json/access";
import type { Json, JsonDocument } from "#core/json/document";
import type { Trajectory } from "../model";
import { row } from "./fields";
import type { Attachments } from "./inspect-attachments";

const meanings = nameTable<string>({ C: "correct", I: "incorrect", P: "partly correct", N: "no answer" });

/** Scores by name; a single unnamed one (older logs) is called `score`. */
function scoresOf(scores: Json | undefined): [string, Json][] {
  if (!isObject(scores)) return [];
  return "value" in scores && !isObject(scores["value"]) ? [["score", scores]] : Object.entries(scores);
}

/** Value, answer and explanation of each score. NaN and infinities are named as such. */
export function scoreRows(scores: Json | undefined, document: JsonDocument, attachments: Attachments): Trajectory["metadata"] {
  return scoresOf(scores).flatMap(([name, score]) => {
    const value = isObject(score) ? score["value"] : score;
    const text = attachments.textOf(document, value);
    const meaning = typeof value === "string" ? meanings[value] : undefined;
    return [
      ...row(`score ${name}`, meaning ? `${text} (${meaning})` : text),
      ...row(`answer ${name}`, attachments.textOf(document, member(score, "answer") ?? undefined)),
      ...row(`explanation ${name}`, attachments.textOf(document, member(score, "explanation") ?? undefined)),
    ];
  });
}

/** True or false where every score says correct or incorrect and all agree; undefined otherwise. */
export function successOf(scores: Json | undefined): boolean | undefined {
  const values = new Set(scoresOf(scores).map(([, score]) => (isObject(score) ? score["value"] : score)));
  if (values.size !== 1) return undefined;
  const [value] = values;
  return value === "C" || value === true ? true : value === "I" || value === false ? false : undefined;
}
