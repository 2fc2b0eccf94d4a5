/** ShareGPT records: talks whose turns say `from` and `value`, with calls and results as turns or as tags in the text. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { listOf, row, stringOf, titleFrom } from "./fields";
import { labelOf } from "./gold-label";
import { addMedia } from "./media-lists";
import { mostRecords, placeIn, problemHead, recordIdOf, recordsOf, type FileRecord } from "./records";
import { rowsOf } from "./rows";
import { addTurn, isTurn } from "./sharegpt-turns";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

export const shareGpt = defineFormat({
  id: "sharegpt",
  title: "ShareGPT",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "Turns in order, calls and results (as turns or as tags in the text), leading think blocks, both answers of a preference, labels.",
  drops: "The declarations of tools but for their names.",
  sniff,
  open,
});

const talkNames = ["conversations", "conversation"];
const answerNames = ["chosen", "rejected"] as const;
const notFacts: ReadonlySet<string> = new Set([...talkNames, ...answerNames, "system", "tools", "images", "videos", "audios", "id"]);

/** The turns of a record and the name that they stand under. */
function turnsOf(value: Json | undefined): { turns: Json[]; name: string } | undefined {
  for (const name of talkNames) {
    const turns = member(value, name);
    if (Array.isArray(turns) && turns.some(isTurn)) return { turns, name };
  }
  return undefined;
}

function sniff(document: SourceDocument): number {
  return mostRecords(document, (value) => turnsOf(value) !== undefined) ? 0.93 : 0;
}

type Answer = (typeof answerNames)[number] | undefined;

/** Two answers where a record prefers one to the other, else one talk. */
function answersOf(value: Json | undefined): Answer[] {
  return answerNames.every((name) => isTurn(member(value, name))) ? [...answerNames] : [undefined];
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const heads: TrajectoryHead[] = [];
  const origins: { record: number; answer: Answer }[] = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    const found = turnsOf(record.value);
    if (!found) {
      const problem = record.problem ?? noTurns(record);
      heads.push(records.container ? problemHead(record, problem) : { problem });
      origins.push({ record: n, answer: undefined });
      continue;
    }
    const own = records.container ? recordIdOf(record.value, n) : undefined;
    const label = isObject(record.value) ? labelOf(record.value)?.label : undefined;
    const title = titleFrom(stringOf(member(found.turns.find((turn) => ["human", "user"].includes(stringOf(member(turn, "from")) ?? "")), "value")));
    for (const answer of answersOf(record.value)) {
      heads.push({ recordId: answer === undefined ? own : own === undefined ? answer : `${own}/${answer}`, title, line: record.line, label });
      origins.push({ record: n, answer });
    }
  }
  const load = (index: number): Trajectory => {
    const problem = heads[index]?.problem;
    const origin = origins[index];
    const record = origin && records.at(origin.record);
    const found = turnsOf(record?.value);
    if (problem || !record || !found) return emptyTrajectory(...(problem ? [problem] : []));
    return loadTalk(record, found.turns, found.name, origin.answer);
  };
  return { heads, warnings: [], load };
}

function noTurns(record: FileRecord): Warning {
  const warning: Warning = { code: "bad-record", message: `Record ${record.index} has no list of turns under \`conversations\`; it gives no trajectory.` };
  return record.line === undefined ? warning : { ...warning, line: record.line };
}

function loadTalk(record: FileRecord, turns: readonly Json[], name: string, answer: Answer): Trajectory {
  const list = new StepList();
  const value = record.value as JsonObject;
  const document = record.document!;
  const system = stringOf(value["system"]);
  if (system) list.add({ role: "system", parts: [{ kind: "text", text: system }], places: [placeIn(record, "/system")] });
  turns.forEach((turn, index) => addTurn(list, document, turn, placeIn(record, `/${name}/${index}`)));
  if (answer !== undefined) addTurn(list, document, value[answer]!, placeIn(record, `/${answer}`));
  addMedia(list, value);
  // A talk may end with a call: that is where the model's part of the example ends.
  pairResults(list, (part) => list.steps.at(-1)?.parts.includes(part) ?? false);
  const rows = rowsOf(value, notFacts);
  const preference = answer === undefined ? [] : row("preference", `${answer} (against the other answer, no verdict on this one)`);
  const details = [...preference, ...rows.verdicts];
  const label = labelOf(value);
  return draftTrajectory(list, {
    title: titleFrom(taskOf(list.steps)), task: taskOf(list.steps), model: stringOf(value["model"]), label: label?.label, labelMeaning: label?.meaning,
    metadata: [...rows.facts, ...row("tools", toolNames(value["tools"]))], outcome: details.length > 0 ? { details } : undefined,
  });
}

/** Names of the tools that were offered, recorded as a list or as JSON in a string. */
function toolNames(recorded: Json | undefined): string {
  const tools = typeof recorded === "string" ? parseJson(recorded).document?.value : recorded;
  const names = listOf(tools).map((tool) => stringOf(member(tool, "name")) ?? stringOf(member(member(tool, "function"), "name")));
  return names.filter((name) => name !== undefined).join(", ");
}
