/** Reads JSON of no known format by its most likely talk, so that a readable file is never refused; says what it guessed. */
import { isObject } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { readContent } from "./chat-content";
import { addMessages } from "./chat-messages";
import { isMessage } from "./chat-talks";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { timeOf, titleFrom, textOf, wordOf } from "./fields";
import { placeIn, problemHead, recordIdOf, recordsOf, type FileRecord } from "./records";
import { pairResults, StepList, type StepDraft } from "./step-list";
import { findEvents, findTalk, isEvent, roleOf, speakerOf, talkItem } from "./talk-list";

const guessed: Warning = {
  code: "fallback-reader",
  message: "No known format: the longest list of messages was taken as the talk, and roles were guessed from its names.",
};

const asRecorded: Warning = {
  code: "fallback-reader",
  message: "No known format, and no list of messages: the longest list of events is shown as recorded, one step each.",
};

export const fallback = defineFormat({
  id: "fallback",
  title: "Other JSON (best guess)",
  version: 1,
  extensions: [],
  keeps: "The longest list of objects that say who speaks and what.",
  drops: "Everything outside that list; what the parts of an item mean.",
  sniff: (document) => (document.kind === "json" || document.kind === "jsonl" ? 0.01 : 0),
  open,
});

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const all = Array.from({ length: records.count }, (_, i) => records.at(i)!);
  const items = all.filter((record) => talkItem(record.value) || isEvent(record.value)).length;
  if (records.container && items > 0 && items * 2 >= all.length) return single(all);
  const heads: TrajectoryHead[] = [];
  const loads: (() => Trajectory)[] = [];
  for (const record of all) {
    const talk = record.value === undefined ? undefined : findTalk(record.value);
    if (!talk) {
      if (!records.container) continue;
      const problem = record.problem ?? { code: "no-talk", message: "The record holds no list of messages.", ...(record.line === undefined ? {} : { line: record.line }) };
      heads.push(problemHead(record, problem));
      loads.push(() => emptyTrajectory(problem));
      continue;
    }
    heads.push(records.container ? { recordId: recordIdOf(record.value, record.index), line: record.line } : {});
    loads.push(() => talkTrajectory(talk.items.map((item, i) => ({ ...record, value: item, pointer: `${record.pointer}${talk.pointer}/${i}` }))));
  }
  if (heads.every((head) => head.problem)) return eventsOf(document) ?? none();
  return { heads, warnings: [guessed], load: (index) => loads[index]!() };
}

/** The whole file is one talk: its lines or elements are the messages or events. */
function single(all: readonly FileRecord[]): OpenedFile {
  return { heads: [{}], warnings: [guessed], load: () => talkTrajectory(all) };
}

/** The events of a JSON file that holds no talk. */
function eventsOf(document: SourceDocument): OpenedFile | undefined {
  if (document.kind !== "json") return undefined;
  const json = document.json();
  const events = findEvents(json.value);
  if (!events) return undefined;
  const items = events.items.map((value, index): FileRecord => ({ index, document: json, value, line: undefined, pointer: `${events.pointer}/${index}`, problem: undefined }));
  return { heads: [{}], warnings: [asRecorded], load: () => talkTrajectory(items) };
}

function none(): OpenedFile {
  return {
    heads: [], load: () => emptyTrajectory(),
    warnings: [{ code: "no-trajectory", message: "The file is readable JSON, but no list of messages was found in it." }],
  };
}

function talkTrajectory(items: readonly FileRecord[]): Trajectory {
  const list = new StepList();
  const unknown = new Set<string>();
  for (const item of items) {
    if (item.problem) list.warnings.push(item.problem);
    else addItem(list, item, unknown);
  }
  if (list.steps.some((step) => step.parts.some((part) => part.kind === "tool_call"))) pairResults(list);
  if (unknown.size > 0) list.warn("unknown-role", `Roles that are not known, shown by their names: ${[...unknown].slice(0, 20).join(", ")}.`);
  const first = list.steps.find((step) => step.role === "user")?.parts.find((part) => part.kind === "text")?.text;
  return draftTrajectory(list, { title: titleFrom(first), task: first });
}

function addItem(list: StepList, record: FileRecord, unknown: Set<string>): void {
  const { document, value } = record;
  if (!document || value === undefined) return;
  if (isMessage(value) && roleOf(String(value["role"]))) return addMessages(list, { document, messages: [value], place: () => placeIn(record) });
  const talk = talkItem(value);
  const speaker = talk?.speaker ?? (isObject(value) ? speakerOf(value) ?? wordOf(value["name"]) : undefined);
  const role = speaker === undefined || !talk && !isEvent(value) ? undefined : roleOf(speaker);
  if (talk && speaker !== undefined && !role) unknown.add(speaker);
  const time = isObject(value) ? timeOf(value["timestamp"] ?? value["time"] ?? value["created_at"]) : undefined;
  const common: Omit<StepDraft, "parts"> = { role: role ?? "system", time, name: role === speaker ? undefined : speaker, places: [placeIn(record)] };
  if (!talk) {
    list.add({ ...common, parts: [], extras: [rawBlock(record, value, speaker)] });
    return;
  }
  const read = readContent(document, talk.content, { result: role === "tool" ? {} : undefined, thinking: role === "assistant" });
  list.add({ ...common, parts: read.parts, extras: read.extras, reasoningHidden: read.reasoningHidden });
}

function rawBlock(record: FileRecord, value: Json, speaker: string | undefined) {
  return { type: speaker ?? "item", raw: textOf(record.document!, value) };
}
