/** GitHub Copilot CLI: the events of a session (`events.jsonl`), sub-agents by the call that started them. */
import { isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { damagedLine } from "../source-document";
import { CopilotSteps, type CopilotEvent } from "./copilot-steps";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { numberOf, row, stringOf, titleFrom, wordOf } from "./fields";
import { taskOf } from "./step-text";

export const copilotCli = defineFormat({
  id: "copilot-cli",
  title: "GitHub Copilot CLI",
  version: 1,
  extensions: [".jsonl"],
  keeps: "System prompt, messages with the text that was really sent, reasoning, calls and results, errors, model, output tokens, compactions; sub-agents as child trajectories.",
  drops: "Starts of calls that a message asked for, what the terminal showed of a result, encrypted reasoning (marked as hidden), telemetry; other events are counted.",
  sniff,
  open,
});

const known = /^(?:session|system|user|assistant|tool|subagent|hook|skill|permission|command|abort)\b/;

function isEvent(value: Json | undefined): boolean {
  return isObject(value) && known.test(stringOf(value["type"]) ?? "") && isObject(value["data"]) && wordOf(value["id"]) !== undefined && "parentId" in value;
}

function sniff(document: SourceDocument): number {
  if (document.kind !== "jsonl") return 0;
  const values = document.firstLines(12).flatMap((line) => (line.json ? [line.json.value] : []));
  const events = values.filter(isEvent).length;
  return events > 0 && events * 2 >= values.length ? 0.95 : 0;
}

interface Thread { callId?: string | undefined; events: CopilotEvent[] }

function open(document: SourceDocument): OpenedFile {
  const warnings: Warning[] = [];
  const events: CopilotEvent[] = [];
  for (const line of document.lines()) {
    const value = line.json?.value;
    const data = member(value, "data");
    const type = stringOf(member(value, "type"));
    if (!line.json) warnings.push(damagedLine(line));
    else if (type === undefined || !isObject(data)) warnings.push({ line: line.line, code: "bad-record", message: `Line ${line.line} is no event with a type and data; it gives no step.` });
    else events.push({ type, data, document: line.json, place: { line: line.line }, time: stringOf(member(value, "timestamp")) });
  }
  const threads = threadsOf(events);
  const heads = threads.map((thread, index): TrajectoryHead => {
    const line = thread.events[0]?.place.line;
    if (index === 0) return { title: titleFrom(firstTyped(thread.events)), line, uuid: sessionOf(events) };
    return { recordId: thread.callId, title: `Sub-agent ${agentName(events, thread.callId) ?? thread.callId ?? ""}`, line, parent: 0 };
  });
  let main: Trajectory | undefined;
  const loadMain = () => (main ??= loadThread(threads[0]!, heads[0], events, warnings));
  const load = (index: number): Trajectory => {
    const thread = threads[index];
    if (index === 0 || !thread) return thread ? loadMain() : emptyTrajectory();
    const trajectory = loadThread(thread, heads[index], events, []);
    const at = loadMain().steps.find((step) => step.parts.some((part) => part.kind === "tool_call" && part.callId === thread.callId));
    return at ? { ...trajectory, linkStep: at.index } : trajectory;
  };
  return { heads, warnings: [], load };
}

/** The session's own events, then those of each sub-agent: they name the call that started it. */
function threadsOf(events: readonly CopilotEvent[]): Thread[] {
  const main: Thread = { events: [] };
  const agents = new Map<string, Thread>();
  for (const event of events) {
    const callId = wordOf(event.data["parentToolCallId"]);
    if (callId === undefined) {
      main.events.push(event);
      continue;
    }
    const thread = agents.get(callId) ?? { callId, events: [] };
    agents.set(callId, thread);
    thread.events.push(event);
  }
  return [main, ...agents.values()];
}

function firstTyped(events: readonly CopilotEvent[]): string | undefined {
  return events.filter((event) => event.type === "user.message").map((event) => wordOf(event.data["content"])).find((text) => text !== undefined);
}

function sessionOf(events: readonly CopilotEvent[]): string | undefined {
  return wordOf(events.find((event) => event.type === "session.start")?.data["sessionId"]);
}

function agentName(events: readonly CopilotEvent[], callId: string | undefined): string | undefined {
  const started = events.find((event) => event.type === "subagent.started" && event.data["toolCallId"] === callId)?.data;
  return wordOf(started?.["agentDisplayName"]) ?? wordOf(started?.["agentName"]);
}

function loadThread(thread: Thread, head: TrajectoryHead | undefined, all: readonly CopilotEvent[], warnings: readonly Warning[]): Trajectory {
  const steps = new CopilotSteps(thread.callId === undefined ? [] : ["sidechain"]);
  for (const event of thread.events) steps.read(event);
  const { list, outcome, dropped } = steps.finish();
  list.warnings.unshift(...warnings);
  const task = taskOf(list.steps);
  const counted = [...dropped].map(([type, count]) => `${type} × ${count}`).join(", ");
  const models = [...new Set(list.steps.flatMap((step) => step.model ?? []))];
  return draftTrajectory(list, {
    title: head?.title ?? titleFrom(task), task, agent: "GitHub Copilot CLI", model: models.join(", ") || undefined, uuid: head?.uuid,
    outcome: Object.keys(outcome).length > 0 ? outcome : undefined,
    metadata: [...(thread.callId === undefined ? sessionRows(all) : []), ...row("events without steps", counted)],
  });
}

function sessionRows(events: readonly CopilotEvent[]): Trajectory["metadata"] {
  const start = events.find((event) => event.type === "session.start")?.data;
  const end = events.find((event) => event.type === "session.shutdown")?.data;
  const context = start?.["context"];
  const usage = Object.entries(isObject(end?.["modelMetrics"]) ? end["modelMetrics"] : {}).map(([model, metrics]) => {
    const count = (name: string) => numberOf(member(member(metrics, "usage"), name)) ?? 0;
    return `${model}: ${count("inputTokens")} in (${count("cacheReadTokens")} cached), ${count("outputTokens")} out`;
  });
  return [
    ...row("session", wordOf(start?.["sessionId"])), ...row("Copilot version", wordOf(start?.["copilotVersion"])), ...row("started", wordOf(start?.["startTime"])),
    ...row("folder", wordOf(member(context, "cwd"))), ...row("repository", wordOf(member(context, "repository"))), ...row("git branch", wordOf(member(context, "branch"))),
    ...row("git commit", wordOf(member(context, "headCommit"))), ...row("tokens of the session", usage.join("; ")), ...row("premium requests", numberOf(end?.["totalPremiumRequests"])),
    ...row("ended", wordOf(end?.["shutdownType"])),
  ];
}
