/** Manifests (`*.samples.jsonl`): samples whose trajectories stand in the line itself or in another file of the workspace. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { GoldLabel, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type ReaderTools, type SourceDocument, type TrajectoryHead } from "../reader";
import { isAtif, loadAtif } from "./atif";
import { isMessageList } from "./chat-talks";
import { emptyTrajectory } from "./drafts";
import { idOf, numberOf, stringOf, titleFrom, wordOf } from "./fields";
import { loadTalk } from "./openai-chat";
import { mostRecords, placeIn, recordsOf, type FileRecord } from "./records";

export const manifest = defineFormat({
  id: "manifest",
  title: "Tracemark manifest of samples",
  version: 1,
  extensions: [".samples.jsonl"],
  keeps: "Every sample with its fields, the trajectory read from where it stands.",
  drops: "Nothing.",
  sniff,
  open,
});

/** Members that only a manifest's lines have. */
const ownKeys = ["pair_id", "group", "split", "label_origin", "authored", "status", "category", "task"];

function sniff(document: SourceDocument): number {
  if (document.kind !== "jsonl") return 0;
  const named = document.source.path.endsWith(".samples.jsonl");
  let sure = false;
  const found = mostRecords(document, (value) => {
    if (!isObject(value) || idOf(value["id"]) === undefined) return false;
    const path = wordOf(value["path"]) !== undefined;
    const inline = isAtif(value["trajectory"]) || isMessageList(value["messages"]);
    sure ||= (path || isAtif(value["trajectory"])) && ownKeys.some((key) => key in value);
    return path || inline;
  }, 20);
  return !found ? 0 : named ? 0.99 : sure ? 0.6 : 0;
}

function open(document: SourceDocument, tools: ReaderTools): OpenedFile {
  const records = recordsOf(document);
  const files = new SampleFiles(document, tools);
  return {
    heads: Array.from({ length: records.count }, (_, i) => headOf(records.at(i)!)), warnings: [],
    load: (index) => {
      const record = records.at(index);
      return record ? load(record, files) : emptyTrajectory();
    },
  };
}

function headOf(record: FileRecord): TrajectoryHead {
  const { value, line } = record;
  const problem = problemOf(record);
  if (problem || !isObject(value)) return { recordId: idOf(member(value, "id")) ?? String(record.index), line, problem };
  const { messages, trajectory, ...sample } = value;
  const first = isMessageList(messages) ? messages.find((message) => member(message, "role") === "user") : undefined;
  return { recordId: idOf(value["id"])!, line, sample, label: goldOf(value), title: titleFrom(stringOf(member(first, "content"))) ?? titleOf(trajectory) ?? pathOf(value) };
}

function titleOf(trajectory: Json | undefined): string | undefined {
  const steps = member(trajectory, "steps");
  return Array.isArray(steps) ? titleFrom(stringOf(member(steps.find((step) => member(step, "source") === "user"), "message"))) : undefined;
}

function pathOf(value: JsonObject): string | undefined {
  const record = idOf(value["record"]);
  const path = wordOf(value["path"]);
  return path === undefined ? undefined : record === undefined ? path : `${path}#${record}`;
}

/** Why a line gives no sample, if it gives none. */
function problemOf(record: FileRecord): Warning | undefined {
  if (record.problem) return record.problem;
  const at = record.line === undefined ? {} : { line: record.line };
  const { value } = record;
  if (!isObject(value) || idOf(value["id"]) === undefined) return { code: "bad-record", message: "The line has no id; it is no sample.", ...at };
  const given = ["path", "messages", "trajectory"].filter((key) => value[key] !== undefined && value[key] !== null);
  if (given.length !== 1) return { code: "bad-record", message: `The sample ${idOf(value["id"])} has to have one of path, messages and trajectory, but has ${given.length === 0 ? "none" : given.join(" and ")}.`, ...at };
  return undefined;
}

function goldOf(value: JsonObject): GoldLabel | undefined {
  const label = value["label"];
  return label === "misbehavior" || label === "benign" ? label : undefined;
}

function load(record: FileRecord, files: SampleFiles): Trajectory {
  const problem = problemOf(record);
  if (problem) return emptyTrajectory(problem);
  const value = record.value as JsonObject;
  const read = wordOf(value["path"]) === undefined ? loadInline(record, value) : files.load(record, value);
  const label = goldOf(value);
  if (label === undefined) return read;
  return { ...read, label, labelMeaning: wordOf(value["label_origin"]) ?? "given by the manifest" };
}

function loadInline(record: FileRecord, value: JsonObject): Trajectory {
  const { trajectory, messages } = value;
  if (isObject(trajectory)) return loadAtif(record.document!, trajectory, (pointer) => placeIn(record, `/trajectory${pointer}`));
  if (!Array.isArray(messages)) return emptyTrajectory(badRecord(record, `${messages === undefined ? "trajectory is no object" : "messages are no list"}.`));
  const read = loadTalk(record, { segments: [{ messages, pointer: "/messages" }] });
  // What stands beside the messages are the sample's own fields, not facts about the talk.
  const { outcome: _rows, label: _label, labelMeaning: _meaning, ...rest } = read;
  return { ...rest, metadata: [] };
}

function badRecord(record: FileRecord, what: string): Warning {
  return { code: "bad-record", message: `The sample cannot be read: its ${what}`, ...(record.line === undefined ? {} : { line: record.line }) };
}

const keptFiles = 4;

/** The files that a manifest names; the last few stay open, since samples of one file mostly follow each other. */
class SampleFiles {
  private readonly opened = new Map<string, ReturnType<ReaderTools["openSource"]> & { path: string }>();

  constructor(private readonly document: SourceDocument, private readonly tools: ReaderTools) {}

  load(record: FileRecord, value: JsonObject): Trajectory {
    const path = wordOf(value["path"])!;
    const at = record.line === undefined ? {} : { line: record.line };
    const file = this.open(path);
    if (!file) return emptyTrajectory(missing(path, at));
    const index = indexOf(file.opened.heads, value["record"]);
    if (index === undefined) {
      const why = file.opened.heads.length === 0 ? (file.warnings()[0]?.message ?? "It holds no trajectory.") : `It has no such record; it holds ${file.opened.heads.length}.`;
      return emptyTrajectory({ code: "bad-record", message: `${pathOf(value)}: ${why}`, ...at });
    }
    const read = file.load(index);
    const steps = read.steps.map((step) => ({ ...step, places: step.places.map((place) => ({ ...place, file: place.file ?? file.path })) }));
    const ofFile = file.opened.heads.length === 1 ? file.warnings().filter((one) => !read.warnings.some((known) => known.code === one.code && known.line === one.line)) : [];
    return { ...read, steps, warnings: [...ofFile, ...read.warnings] };
  }

  private open(path: string) {
    const known = this.opened.get(path);
    if (known) return known;
    const source = this.document.source.sibling(path);
    if (!source) return undefined;
    const file = this.tools.openSource(source);
    const entry = { opened: file.opened, load: (index: number) => file.load(index), warnings: () => file.warnings(), path: source.path };
    this.opened.set(path, entry);
    for (const oldest of this.opened.keys()) {
      if (this.opened.size <= keptFiles) break;
      this.opened.delete(oldest);
    }
    return entry;
  }
}

function missing(path: string, at: { line?: number }): Warning {
  const leaves = /^([\\/]|[A-Za-z]:)/.test(path) || /(^|[\\/])\.\.([\\/]|$)/.test(path);
  return leaves
    ? { code: "outside-root", message: `The path ${path} leaves the folder of the workspace, or nothing is there; copy the file into it.`, ...at }
    : { code: "missing-file", message: `The file ${path} is not there; correct the path or copy the file.`, ...at };
}

/** A number is an index from 0, a text the record's own id; without either it is the first. */
function indexOf(heads: readonly TrajectoryHead[], record: Json | undefined): number | undefined {
  if (record === undefined || record === null) return heads.length > 0 ? 0 : undefined;
  const number = numberOf(record);
  if (number !== undefined) return Number.isInteger(number) && number >= 0 && number < heads.length ? number : undefined;
  const at = heads.findIndex((head) => head.recordId === stringOf(record));
  return at < 0 ? undefined : at;
}
