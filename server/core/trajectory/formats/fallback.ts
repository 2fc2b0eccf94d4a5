/** Reads JSON of no known format by its most likely talk, so that a readable file is never refused; says what it guessed. */
import { isObject } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { readContent } from "./chat-content";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { timeOf, titleFrom, textOf } from "./fields";
import { placeIn, problemHead, recordIdOf, recordsOf, type FileRecord } from "./records";
import { StepList, type StepDraft } from "./step-list";
import { findTalk, isEvent, roleOf, speakerOf, talkItem } from "./talk-list";

const guessed: Warning = {
  code: "fallback-reader",
  message: "No known format: the longest list of messages was taken as the talk, and roles were guessed from its names.",
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
  if (records.container && all.some((record) => talkItem(record.value) || isEvent(record.value))) return single(all);
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
  if (heads.every((head) => head.problem)) return none();
  return { heads, warnings: [guessed], load: (index) => loads[index]!() };
}

/** The whole file is one talk: its lines or elements are the messages or events. */
function single(all: readonly FileRecord[]): OpenedFile {
  return { heads: [{}], warnings: [guessed], load: () => talkTrajectory(all) };
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
  if (unknown.size > 0) list.warn("unknown-role", `Roles that are not known, shown by their names: ${[...unknown].slice(0, 20).join(", ")}.`);
  const first = list.steps.find((step) => step.role === "user")?.parts.find((part) => part.kind === "text")?.text;
  return draftTrajectory(list, { title: titleFrom(first), task: first });
}

function addItem(list: StepList, record: FileRecord, unknown: Set<string>): void {
  const { document, value } = record;
  if (!document || value === undefined) return;
  const talk = talkItem(value);
  const speaker = talk?.speaker ?? (isObject(value) ? speakerOf(value) : undefined);
  const role = speaker === undefined ? undefined : roleOf(speaker);
  if (speaker !== undefined && !role) unknown.add(speaker);
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
