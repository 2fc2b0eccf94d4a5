/** OpenHands: evaluation and resolver records, exported trajectories, and single event files, of all four generations. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Outcome, Place, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { booleanOf, listOf, numberOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { issueTitle } from "./issue-title";
import { ActionReader } from "./openhands-actions";
import { eventsIn, EventSteps, generationOf, type HandsEvent } from "./openhands-events";
import { readSdkEvent } from "./openhands-sdk";
import { placeIn, problemHead, recordIdOf, recordsOf, type FileRecord } from "./records";
import { pairResults } from "./step-list";
import { taskOf } from "./step-text";

export const openHands = defineFormat({
  id: "openhands",
  title: "OpenHands",
  version: 1,
  extensions: [".jsonl", ".json"],
  keeps: "Messages, thoughts, calls with the model's own arguments, observations paired by cause, reasoning, tokens, cost, condensations, recalled knowledge; patch, result and errors of a record.",
  drops: "The provider's reply embedded in each event, summaries of events, empty events (counted), old and new file content beside an edit, the configuration but for model and agent.",
  sniff,
  open,
});

/** An evaluation or resolver record; its history may be missing where the run failed. */
function isRecord(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const history = value["history"];
  if (Array.isArray(history) && history.length > 0) return history.slice(0, 5).some((item) => generationOf(Array.isArray(item) ? item[0] : item) !== undefined);
  const named = wordOf(value["instance_id"]) !== undefined && "test_result" in value && ("metrics" in value || "metadata" in value);
  return "history" in value && (history === null || Array.isArray(history)) && (named || ("issue" in value && "git_patch" in value));
}

/** An event that can be told from other formats' records even when it stands alone. */
function isCertainEvent(value: Json | undefined): boolean {
  const generation = generationOf(value);
  return generation === 2 || (generation === 3 && ("kind" in (value as JsonObject) || "llm_message" in (value as JsonObject) || "tool_name" in (value as JsonObject)));
}

function sniff(document: SourceDocument): number {
  const records = recordsOf(document, 12);
  const values = Array.from({ length: Math.min(records.count, 12) }, (_, index) => records.at(index)?.value).filter((value) => value !== undefined);
  if (values.length === 0) return 0;
  if (values.filter(isRecord).length * 2 >= values.length && values.some(isRecord)) return 0.96;
  const events = values.filter(isCertainEvent).length;
  if (events * 2 >= values.length && events > 0) return records.container ? 0.95 : 0.85;
  const flat = values.filter((value) => generationOf(Array.isArray(value) ? value[0] : value) !== undefined).length;
  return records.container && flat === values.length && flat > 1 ? 0.6 : 0;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const all = Array.from({ length: records.count }, (_, index) => records.at(index)!);
  const isList = !all.slice(0, 50).some((record) => isRecord(record.value));
  if (isList) {
    const load = () => loadEvents(all);
    return { heads: [{}], warnings: [], load };
  }
  const heads = all.map((record): TrajectoryHead => {
    if (!isRecord(record.value)) return problemHead(record, record.problem ?? { code: "bad-record", message: `Record ${record.index} holds no history of events; it gives no trajectory.`, ...(record.line === undefined ? {} : { line: record.line }) });
    const value = record.value as JsonObject;
    return { recordId: records.container ? (wordOf(value["instance_id"]) ?? recordIdOf(value, record.index)) : undefined, title: titleOf(value, stringOf(value["instruction"])), line: record.line };
  });
  const load = (index: number): Trajectory => {
    const head = heads[index];
    const record = records.at(index);
    return head?.problem || !record ? emptyTrajectory(...(head?.problem ? [head.problem] : [])) : loadRecord(record);
  };
  return { heads, warnings: [], load };
}

function titleOf(value: JsonObject, task: string | undefined): string | undefined {
  return titleFrom(stringOf(memberAt(value, "issue", "title")) ?? stringOf(memberAt(value, "instance", "problem_statement"))) ?? issueTitle(task);
}

/** Reads events into steps; what is no event is reported. */
function stepsOf(events: readonly HandsEvent[], problems: readonly Place[]): EventSteps {
  const steps = new EventSteps();
  const actions = new ActionReader(steps);
  steps.warnProblems(problems);
  for (const event of events) {
    if (generationOf(event.value) === 3) readSdkEvent(steps, event);
    else actions.read(event);
  }
  pairResults(steps.list, (part) => part.toolName === "finish" || part.toolName === "reject");
  return steps;
}

function rowsOf(steps: EventSteps): Trajectory["metadata"] {
  const counted = [...steps.dropped].map(([name, count]) => `${name} × ${count}`).join(", ");
  return [...row("tools", steps.tools.join(", ")), ...row("events without steps", counted)];
}

/** The whole file is one list of events. */
function loadEvents(all: readonly FileRecord[]): Trajectory {
  const events: HandsEvent[] = [];
  const problems: Place[] = [];
  for (const record of all) {
    if (!record.document || record.value === undefined) continue;
    const read = eventsIn(record.document, [record.value], (pointer) => placeIn(record, pointer.replace(/^\/0/, "")));
    events.push(...read.events);
    problems.push(...read.problems);
  }
  const steps = stepsOf(events, problems);
  steps.list.warnings.unshift(...all.flatMap((record) => record.problem ?? []));
  const task = taskOf(steps.list.steps);
  return draftTrajectory(steps.list, {
    title: titleFrom(task), task, agent: "OpenHands", model: [...steps.models].join(", ") || undefined, metadata: rowsOf(steps),
    outcome: Object.keys(steps.outcome).length > 0 ? steps.outcome : undefined,
  });
}

function loadRecord(record: FileRecord): Trajectory {
  const value = record.value as JsonObject;
  const document = record.document!;
  const { events, problems } = eventsIn(document, listOf(value["history"]), (pointer) => placeIn(record, `/history${pointer}`));
  const steps = stepsOf(events, problems);
  if (events.length === 0) steps.list.warn("no-history", "The record holds no events: the run ended before the first one was kept.", placeIn(record));
  const task = taskOf(steps.list.steps) ?? stringOf(value["instruction"]);
  const model = wordOf(memberAt(value, "metadata", "llm_config", "model"));
  const outcome = recordOutcome(value, steps.outcome, (inner) => textOf(document, inner));
  return draftTrajectory(steps.list, {
    title: titleOf(value, task), task, agent: wordOf(memberAt(value, "metadata", "agent_class")) ?? "OpenHands", model: [...steps.models].join(", ") || model,
    outcome: Object.keys(outcome).length > 0 ? outcome : undefined,
    metadata: [
      ...row("instance", wordOf(value["instance_id"])), ...row("repository", wordOf(memberAt(value, "instance", "repo")) ?? repository(value["issue"])),
      ...row("issue", numberOf(memberAt(value, "issue", "number"))), ...row("base commit", wordOf(value["base_commit"])), ...row("dataset", wordOf(memberAt(value, "metadata", "dataset"))),
      ...row("configured model", steps.models.size > 0 ? model : undefined), ...row("most iterations", numberOf(memberAt(value, "metadata", "max_iterations"))), ...rowsOf(steps),
    ],
  });
}

function repository(issue: Json | undefined): string | undefined {
  const owner = wordOf(member(issue, "owner"));
  const repo = wordOf(member(issue, "repo"));
  return owner && repo ? `${owner}/${repo}` : undefined;
}

/** What the record says of the result: the patch, whether it solved the issue, why it ended, what it cost. */
function recordOutcome(value: JsonObject, run: Outcome, text: (inner: Json | undefined) => string): Outcome {
  const test = value["test_result"];
  const report = value["report"] ?? member(test, "report");
  const success = booleanOf(memberAt(test, "result", "resolved")) ?? booleanOf(member(report, "resolved")) ?? booleanOf(member(test, "resolved")) ?? booleanOf(value["resolved"]) ?? booleanOf(value["success"]);
  const error = value["error"];
  const patch = wordOf(member(test, "git_patch")) ?? wordOf(value["git_patch"]);
  const details = [
    ...(run.details ?? []), ...row("explanation of the result", wordOf(value["result_explanation"])), ...row("comments answered", text(value["comment_success"] ?? undefined)),
    ...row("report", isObject(report) ? text(report) : undefined), ...row("cost (USD)", numberOf(memberAt(value, "metrics", "accumulated_cost"))),
  ];
  return {
    ...run, ...(success === undefined ? {} : { success }), ...(patch === undefined ? {} : { submission: patch }),
    ...(error === undefined || error === null || error === "" ? {} : { error: text(error) }), ...(details.length > 0 ? { details } : {}),
  };
}
