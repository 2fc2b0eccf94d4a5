/** ATIF trajectories (agent trajectory interchange format), with sub-agents and continuations as children. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import * as z from "zod/mini";
import type { Place, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type Source, type SourceDocument, type TrajectoryHead } from "../reader";
import { findChildren, warnMissing } from "./atif-children";
import { ExtraRoot, sourceRows } from "./atif-extra";
import { addAtifSteps } from "./atif-steps";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { numberOf, row, stringOf, titleFrom, wordOf } from "./fields";
import { mostRecords, placeIn, problemHead, recordIdOf, recordsOf, type FileRecord } from "./records";
import { StepList } from "./step-list";
import { taskOf } from "./step-text";

export const atif = defineFormat({
  id: "atif",
  title: "ATIF",
  version: 1,
  extensions: [".atif.json", ".trajectory.json"],
  keeps: "Messages, reasoning, calls, observations, metrics, sub-agents and continuations beside the file or in it.",
  drops: "Token ids, log probabilities, tool definitions; extras of other programs.",
  sniff,
  open,
});

export function isAtif(value: Json | undefined): value is JsonObject {
  return stringOf(member(value, "schema_version"))?.startsWith("ATIF-v") === true;
}

function sniff(document: SourceDocument): number {
  return mostRecords(document, (value) => isAtif(value)) ? 1 : 0;
}

/** Deepest chain of children, and most children of one file, that are followed. */
const deepest = 6;
const most = 500;

interface Entry {
  readonly head: TrajectoryHead;
  load(): Trajectory;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const entries: Entry[] = [];
  for (let i = 0; i < records.count; i++) {
    const record = records.at(i)!;
    if (!isObject(record.value) || !Array.isArray(record.value["steps"])) {
      const problem = record.problem ?? { code: "bad-record", message: "The record has no list of steps; it gives no trajectory.", ...(record.line === undefined ? {} : { line: record.line }) };
      entries.push({ head: records.container ? problemHead(record, problem) : { problem }, load: () => emptyTrajectory(problem) });
    } else addTree(entries, document.source, record, record.value, records.container);
  }
  return { heads: entries.map((entry) => entry.head), warnings: [], load: (index) => entries[index]?.load() ?? emptyTrajectory() };
}

function addTree(entries: Entry[], source: Source, record: FileRecord, root: JsonObject, container: boolean): void {
  const at = entries.length;
  const seen = new Set<string>([source.path]);
  const missing: string[] = [];
  const head: TrajectoryHead = { ...(container ? { recordId: ownId(record) } : {}), line: record.line, title: titleOf(root), uuid: wordOf(root["session_id"]) };
  entries.push({ head, load: () => loadAtif(record.document!, root, (pointer) => placeIn(record, pointer), missing) });
  addChildren(entries, { document: record.document!, root, source, at, missing }, seen, 1);
}

function ownId(record: FileRecord): string {
  const own = wordOf(member(record.value, "trajectory_id")) ?? wordOf(member(record.value, "session_id"));
  return own ?? recordIdOf(record.value, record.index);
}

interface Parent { document: JsonDocument; root: JsonObject; source: Source | undefined; at: number; missing: string[] }

function addChildren(entries: Entry[], parent: Parent, seen: Set<string>, depth: number): void {
  if (depth > deepest) return;
  const children = findChildren(parent.root, parent.document, parent.source, (reference) => parent.missing.push(reference));
  for (const child of children) {
    if ((child.source && seen.has(child.source.path)) || entries.length > most) continue;
    if (child.source) seen.add(child.source.path);
    const missing: string[] = [];
    const at = entries.length;
    entries.push({
      head: { recordId: child.id, title: titleOf(child.root), uuid: wordOf(child.root["session_id"]), parent: parent.at },
      load: () => ({ ...loadAtif(child.document, child.root, undefined, missing), linkStep: firstStepOf(parent, child.step) }),
    });
    addChildren(entries, { document: child.document, root: child.root, source: child.source, at, missing }, seen, depth + 1);
  }
}

/** Index of the parent's step that came from its ATIF step `step`. */
function firstStepOf(parent: Parent, step: number): number {
  return addAtifSteps(new StepList(), parent.document, parent.root, undefined).get(step) ?? 0;
}

function titleOf(root: JsonObject): string | undefined {
  const own = stringOf(member(member(root["extra"], "tracemark"), "title"));
  const steps = Array.isArray(root["steps"]) ? root["steps"] : [];
  return own ?? titleFrom(stringOf(member(steps.find((step) => member(step, "source") === "user"), "message")));
}

/** Reads one ATIF object. `place` is left out for objects of other files. */
export function loadAtif(document: JsonDocument, root: JsonObject, place: ((pointer: string) => Place) | undefined, missing: readonly string[] = []): Trajectory {
  const list = new StepList();
  addAtifSteps(list, document, root, place);
  warnMissing(list, missing);
  const restored = z.safeParse(ExtraRoot, member(root["extra"], "tracemark"));
  return restored.success ? restoredFacts(list, root, restored.data) : plainFacts(list, root);
}

function plainFacts(list: StepList, root: JsonObject): Trajectory {
  const agent = root["agent"];
  const metrics = root["final_metrics"];
  const totals = [["total_prompt_tokens", "input tokens"], ["total_completion_tokens", "output tokens"], ["total_cached_tokens", "cached tokens"], ["total_cost_usd", "cost (USD)"]] as const;
  const task = taskOf(list.steps);
  return draftTrajectory(list, {
    title: titleFrom(task), task, agent: wordOf(member(agent, "name")), model: wordOf(member(agent, "model_name")), uuid: wordOf(root["session_id"]) ?? wordOf(root["trajectory_id"]),
    metadata: [
      ...row("agent version", wordOf(member(agent, "version"))), ...row("schema", wordOf(root["schema_version"])), ...row("notes", wordOf(root["notes"])),
      ...totals.flatMap(([key, name]) => row(name, numberOf(member(metrics, key)))),
    ],
  });
}

function restoredFacts(list: StepList, root: JsonObject, extra: z.infer<typeof ExtraRoot>): Trajectory {
  const { source } = extra;
  const task = extra.task ?? taskOf(list.steps);
  return draftTrajectory(list, {
    title: extra.title, task, agent: extra.agent, model: wordOf(member(root["agent"], "model_name")), uuid: wordOf(root["session_id"]), label: extra.label, labelMeaning: extra.label_meaning,
    outcome: extra.outcome,
    metadata: [
      ...(source ? [...exactRow(sourceRows.id, source.id), ...exactRow(sourceRows.format, source.format), ...exactRow(sourceRows.parent, source.parent)] : []),
      ...(extra.metadata ?? []),
    ],
  });
}

/** A row that is never cut, since the writer needs it back. */
function exactRow(name: string, value: string | undefined): Trajectory["metadata"] {
  return value === undefined ? [] : [{ name, value }];
}
