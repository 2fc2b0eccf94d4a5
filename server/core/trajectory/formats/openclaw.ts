/** OpenClaw telemetry: flat events of sessions; the history that a run starts with is the best record of what was said before. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { damagedLine } from "../source-document";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { listOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { addHistory, EventSteps } from "./openclaw-steps";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

/** One event. */
export interface ClawEvent {
  readonly type: string;
  readonly value: JsonObject;
  readonly document: JsonDocument;
  readonly place: Place;
}

export const openClaw = defineFormat({
  id: "openclaw",
  title: "OpenClaw telemetry",
  version: 1,
  extensions: [".jsonl"],
  keeps: "The longest history that a run started with (messages, calls, results, tokens), then the prompts, calls and messages of later events; conversations of sub-agents as child trajectories.",
  drops: "The second of each pair of doubled events, events that the history holds already, durations. Telemetry records no text of results.",
  sniff,
  open,
});

const flat = /^(?:message\.(?:in|out|sending)|agent\.(?:start|end)|tool\.(?:start|end)|(?:llm|model|session|gateway|compaction)\.\w+)$/;

function isEvent(value: Json | undefined): boolean {
  if (!isObject(value) || !flat.test(stringOf(value["type"]) ?? "") || isObject(value["data"]) || isObject(value["payload"])) return false;
  return "sessionKey" in value || "agentId" in value || ("channel" in value && "content" in value);
}

function sniff(document: SourceDocument): number {
  if (document.kind !== "jsonl") return 0;
  const values = document.firstLines(12).flatMap((line) => (line.json ? [line.json.value] : []));
  const events = values.filter(isEvent).length;
  return events > 0 && events * 2 >= values.length ? 0.94 : 0;
}

interface Thread { key: string | undefined; events: ClawEvent[] }

function open(document: SourceDocument): OpenedFile {
  const warnings: Warning[] = [];
  const events: ClawEvent[] = [];
  for (const line of document.lines()) {
    const value = line.json?.value;
    const type = stringOf(member(value, "type"));
    if (!line.json) warnings.push(damagedLine(line));
    else if (!isObject(value) || type === undefined) warnings.push({ line: line.line, code: "bad-record", message: `Line ${line.line} is no event with a type; it gives no step.` });
    else events.push({ type, value, document: line.json, place: { line: line.line } });
  }
  const threads = threadsOf(events);
  const heads = threads.map((thread, index): TrajectoryHead => {
    const prompt = thread.events.map((event) => wordOf(event.value["prompt"]) ?? wordOf(event.value["content"])).find((text) => text !== undefined);
    const task = prompt?.split("[Subagent Task]").at(-1);
    return index === 0 ? { title: titleFrom(prompt), line: thread.events[0]?.place.line } : { recordId: thread.key, title: titleFrom(`Sub-agent: ${task?.trim() ?? ""}`), line: thread.events[0]?.place.line, parent: 0 };
  });
  let main: Trajectory | undefined;
  const loadMain = () => (main ??= loadThread(threads[0]!, heads[0], warnings));
  const load = (index: number): Trajectory => {
    const thread = threads[index];
    if (index === 0 || !thread) return thread ? loadMain() : emptyTrajectory();
    const trajectory = loadThread(thread, heads[index], []);
    const at = spawnStep(loadMain(), thread.key ?? "");
    return at === undefined ? trajectory : { ...trajectory, linkStep: at };
  };
  return { heads, warnings: [], load };
}

/** The main session, whatever channel its events name, and each sub-agent's. */
function threadsOf(events: readonly ClawEvent[]): Thread[] {
  const main: Thread = { key: undefined, events: [] };
  const agents = new Map<string, Thread>();
  for (const event of events) {
    const key = /:subagent:(.+)$/.exec(stringOf(event.value["sessionKey"]) ?? "")?.[1];
    if (key === undefined) {
      main.events.push(event);
      continue;
    }
    const thread = agents.get(key) ?? { key, events: [] };
    agents.set(key, thread);
    thread.events.push(event);
  }
  return [main, ...agents.values()];
}

/** The step with the call whose result names the sub-agent's session. */
function spawnStep(parent: Trajectory, key: string): number | undefined {
  const result = parent.steps.flatMap((step) => step.parts).find((part) => part.kind === "tool_result" && key !== "" && part.text.includes(key));
  return parent.steps.find((step) => step.parts.some((part) => part.kind === "tool_call" && part.callId !== undefined && part.callId === result?.callId))?.index;
}

function loadThread(thread: Thread, head: TrajectoryHead | undefined, warnings: readonly Warning[]): Trajectory {
  const list = new StepList();
  list.warnings.push(...warnings);
  const events = withoutTwins(thread.events);
  const longest = events.reduce((best, event) => Math.max(best, listOf(event.value["messages"]).length), 0);
  const from = longest === 0 ? 0 : events.findIndex((event) => listOf(event.value["messages"]).length === longest);
  const history = events[from];
  if (longest > 0 && history) {
    addHistory(list, history);
    reportUncovered(list, events.slice(0, from), history);
  }
  const rest = new EventSteps(list, thread.key === undefined ? [] : ["sidechain"]);
  events.slice(from).forEach((event, index, all) => rest.read(event, all[index + 1]));
  rest.finish();
  pairResults(list);
  const task = taskOf(list.steps);
  const first = thread.events.find((event) => event.type === "message.in")?.value;
  const models = [...new Set(list.steps.flatMap((step) => step.model ?? []))];
  const counted = [...rest.dropped].map(([type, count]) => `${type} × ${count}`).join(", ");
  return draftTrajectory(list, {
    title: head?.title, task, agent: "OpenClaw", model: models.join(", ") || undefined,
    metadata: [...row("agent", wordOf(thread.events[0]?.value["agentId"])), ...row("channel", wordOf(first?.["channel"])), ...row("session", thread.key), ...row("events", thread.events.length), ...row("events without steps", counted)],
  });
}

/** A run's start stands twice, without its history and with it; a message twice, before and after it was sent. */
function withoutTwins(events: readonly ClawEvent[]): ClawEvent[] {
  return events.filter((event, index) => {
    const next = events[index + 1];
    const isTwin = event.type === "agent.start" && next?.type === "agent.start" && !("messages" in event.value) && "messages" in next.value && next.value["prompt"] === event.value["prompt"];
    return !isTwin && !(event.type === "message.sending" && next?.type === "message.out" && next.value["content"] === event.value["content"]);
  });
}

/** Calls of earlier events that the history does not hold: they are lost with the events that it stands for. */
function reportUncovered(list: StepList, earlier: readonly ClawEvent[], history: ClawEvent): void {
  const calls = listOf(history.value["messages"]).flatMap((message) => listOf(member(message, "content"))).filter((block) => member(block, "type") === "toolCall");
  const known = new Map<string, number>();
  for (const call of calls) {
    const key = `${stringOf(member(call, "name"))} ${textOf(history.document, member(call, "arguments"))}`;
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  for (const event of earlier) {
    if (event.type !== "tool.start") continue;
    const key = `${stringOf(event.value["toolName"])} ${textOf(event.document, event.value["params"])}`;
    const left = known.get(key) ?? 0;
    if (left > 0) known.set(key, left - 1);
    else list.warn("event-not-in-history", `A call of ${stringOf(event.value["toolName"]) ?? "a tool"} is recorded as an event, but not in the history that stands for it.`, event.place);
  }
}
