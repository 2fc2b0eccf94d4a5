/** Claude Code: session files, the web export, and the lines of the SDK's stream. */
import { member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Outcome, Step, StepFlag, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { agentFiles, splitThreads, type AgentFile, type AgentThread } from "./claude-code-agents";
import { blocksOfType, isTalk, looksLikeRecord, readRecords, type LogRecord } from "./claude-code-records";
import { droppedRows, factRows, modelOf, outcomeOf, recordedTitle, titleFromTask } from "./claude-code-rows";
import { splitAtClear, type ClearedPart } from "./claude-code-clear";
import { resultRecord, threadSteps } from "./claude-code-steps";
import { taskOf } from "./step-text";
import { readTree, type AbandonedBranch } from "./claude-code-tree";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { openDocument } from "../source-document";
import { titleFrom, wordOf } from "./fields";

/** One trajectory of the file before its steps are made. `owns` are the ids of the calls in its records. */
interface Thread {
  kind: "main" | "clear" | "branch" | "agent" | "file";
  recordId?: string | undefined;
  title?: string | undefined;
  /** Its own list, which is empty once its steps are made: of a long session the records would stand beside their steps. */
  records: LogRecord[];
  flags: StepFlag[];
  /** Call that started a sub-agent; last shared record of a branch; the command that cleared the conversation. */
  callId?: string | undefined;
  after?: LogRecord | undefined;
  file?: AgentFile | undefined;
  warnings: Warning[];
}

export const claudeCode = defineFormat({
  id: "claude-code",
  title: "Claude Code",
  version: 2,
  extensions: [".jsonl"],
  keeps: "Replies grouped by message id, thinking, tool calls and results, compactions; sub-agents, abandoned branches and what followed a /clear as child trajectories.",
  drops: "Bookkeeping records (counted), the structured copies of tool results, file snapshots.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind === "jsonl") {
    const scores = document.firstLines(20).map((line) => looksLikeRecord(line.json?.value));
    return Math.max(0, ...scores);
  }
  if (document.kind !== "json") return 0;
  const value = document.json().value;
  const loglines = member(value, "loglines");
  if (Array.isArray(loglines)) return 0.97;
  const items = Array.isArray(value) ? value.slice(0, 20) : [value];
  return Math.max(0, ...items.map(looksLikeRecord)) * (Array.isArray(value) ? 0.98 : 1);
}

function open(document: SourceDocument): OpenedFile {
  const { light } = document;
  const read = readRecords(document, light !== undefined);
  if (!read.records.some(isTalk)) return { heads: [], warnings: [...read.warnings, nothingSaid()], load: () => emptyTrajectory(nothingSaid()) };
  const { main, threads } = splitThreads(read.records, light);
  const tree = readTree(main);
  const [kept, ...cleared] = splitAtClear(tree.main);
  const first: Thread = { kind: "main", records: kept!.records, flags: [], warnings: [...read.warnings, ...tree.warnings] };
  const list: Thread[] = [first, ...cleared.map(clearedThread), ...tree.branches.map(branchThread), ...threads.map(agentThread)];
  list.push(...agentFiles(read.records, threads, document.source).flatMap((file) => fileThread(file, first)));
  const heads = headsOf(list, read.records, light);
  const session = { facts: factRows(read.records), outcome: outcomeOf(resultRecord(read.records)) };
  const loaded = new Map<number, Trajectory>();
  /** Why a thread could not be read: its records are gone, and without them it would look empty the next time. */
  const faults = new Map<number, unknown>();
  const load = (index: number): Trajectory => {
    const known = loaded.get(index);
    if (known) return known;
    if (faults.has(index)) throw faults.get(index);
    try {
      return readThread(index);
    } catch (fault) {
      faults.set(index, fault);
      throw fault;
    }
  };
  const readThread = (index: number): Trajectory => {
    const parent = heads[index]?.parent;
    const trajectory = loadThread(list[index] ?? first, heads[index], session, parent === undefined ? undefined : load(parent), light);
    loaded.set(index, trajectory);
    return trajectory;
  };
  return { heads, warnings: [], load };
}

function nothingSaid(): Warning {
  return { code: "no-talk", message: "The log holds no user, assistant or system record." };
}

function clearedThread(part: ClearedPart, index: number): Thread {
  return { kind: "clear", recordId: `after-clear-${part.records[0]?.uuid ?? index + 1}`, records: part.records, flags: [], after: part.after, warnings: [] };
}

function branchThread(branch: AbandonedBranch, index: number): Thread {
  const uuid = branch.records[0]?.uuid ?? String(index + 1);
  return { kind: "branch", recordId: `branch-${uuid}`, records: branch.records, flags: ["abandoned"], after: branch.after, warnings: [] };
}

function agentThread(thread: AgentThread): Thread {
  const warnings: Warning[] = thread.callId === undefined
    ? [{ ...thread.records[0]?.place, code: "agent-without-call", message: `The call that started the sub-agent ${thread.id.slice(0, 60)} was not found.` }]
    : [];
  return { kind: "agent", recordId: thread.id, records: thread.records, flags: ["sidechain"], callId: thread.callId, warnings };
}

/** A sub-agent's file becomes a child; where it is missing, the conversation says so. */
function fileThread(file: AgentFile, main: Thread): Thread[] {
  if (file.source) return [{ kind: "file", recordId: file.id, records: [], flags: ["sidechain"], callId: file.callId, file, warnings: [] }];
  main.warnings.push({ code: "agent-file-missing", message: `The log of the sub-agent ${file.id.slice(0, 60)} (agent-${file.id.slice(0, 60)}.jsonl) is not beside this file.` });
  return [];
}

function headsOf(list: readonly Thread[], records: readonly LogRecord[], light: SourceDocument["light"]): TrajectoryHead[] {
  const ownerOfCall = new Map<string, number>();
  const ownerOfRecord = new Map<LogRecord, number>();
  const inputOfCall = new Map<string, Json | undefined>();
  list.forEach((thread, index) => {
    for (const record of thread.records) {
      ownerOfRecord.set(record, index);
      for (const block of blocksOfType(record, "tool_use")) {
        const callId = wordOf(block["id"]);
        if (callId === undefined || ownerOfCall.has(callId)) continue;
        ownerOfCall.set(callId, index);
        inputOfCall.set(callId, block["input"]);
      }
    }
  });
  return list.map((thread, index): TrajectoryHead => {
    if (index === 0) return { title: recordedTitle(records), line: records[0]?.place.line };
    const owner = (thread.callId !== undefined ? ownerOfCall.get(thread.callId) : thread.after && ownerOfRecord.get(thread.after)) ?? 0;
    if (thread.kind === "clear") return { recordId: thread.recordId, title: titleFromTask(taskOf(threadSteps(thread.records, [], light).list.steps)), line: thread.records[0]?.place.line, parent: 0 };
    const title = thread.kind === "branch" ? "Abandoned branch" : agentTitle(inputOfCall.get(thread.callId ?? ""), thread.recordId);
    // A parent comes before its children, whatever a damaged log says.
    return { recordId: thread.recordId, title, line: thread.records[0]?.place.line, parent: owner >= index ? 0 : owner };
  });
}

function agentTitle(input: Json | undefined, agentId: string | undefined): string {
  const words = [wordOf(member(input, "subagent_type")), wordOf(member(input, "description"))].filter((word) => word !== undefined);
  return titleFrom(`Sub-agent ${words.length > 0 ? words.join(": ") : (agentId ?? "")}`) ?? "Sub-agent";
}

/** What all records together say of the session. */
interface SessionFacts { readonly facts: Trajectory["metadata"]; readonly outcome: Outcome | undefined }

/** Loads a thread, once: its records are gone then. */
function loadThread(thread: Thread, head: TrajectoryHead | undefined, session: SessionFacts, parent: Trajectory | undefined, light: SourceDocument["light"]): Trajectory {
  const warnings = [...thread.warnings];
  const records = thread.file ? fileRecords(thread.file, warnings) : thread.records;
  thread.records = [];
  const model = modelOf(records);
  const isMain = thread.kind === "main";
  const facts = isMain ? session.facts : factRows(records);
  const { list, dropped } = threadSteps(takenFrom(records), thread.flags, thread.file ? undefined : light);
  const task = taskOf(list.steps);
  list.warnings.unshift(...warnings);
  return draftTrajectory(list, {
    title: head?.title ?? titleFromTask(task), task, agent: "Claude Code", model,
    outcome: isMain ? session.outcome : undefined,
    metadata: [...facts, ...droppedRows(dropped)],
    linkStep: parent && linkStep(parent.steps, thread),
  });
}

/** The records one by one, none of which the list holds any more when the next one is asked for. */
function* takenFrom(records: (LogRecord | undefined)[]): Iterable<LogRecord> {
  for (let at = 0; at < records.length; at++) {
    const record = records[at]!;
    records[at] = undefined;
    yield record;
  }
}

/** Step of the parent with the call that started a sub-agent, or the last step that a branch shares. */
function linkStep(steps: readonly Step[], thread: Thread): number | undefined {
  if (thread.callId !== undefined) return steps.find((step) => step.parts.some((part) => part.kind === "tool_call" && part.callId === thread.callId))?.index;
  const { line, pointer } = thread.after?.place ?? {};
  if (line === undefined && pointer === undefined) return undefined;
  const shared = steps.filter((step) => step.places.some((place) => place.line === line && (line !== undefined || `${place.pointer ?? ""}/`.startsWith(`${pointer ?? ""}/`))));
  return shared.at(-1)?.index;
}

/** Records of a sub-agent's own file; their places name that file as `entry`, since the lines are not lines of this one. */
function fileRecords(file: AgentFile, warnings: Warning[]): LogRecord[] {
  if (!file.source) return [];
  const document = openDocument(file.source);
  const read = readRecords(document);
  const tree = readTree(read.records);
  warnings.push(...document.warnings, ...read.warnings, ...tree.warnings);
  return tree.main.map((record) => ({ ...record, place: { ...record.place, entry: file.path } }));
}
