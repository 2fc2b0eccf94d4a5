/** What one sample of an Inspect log is as a trajectory, whether it came from a JSON log or from an `.eval` container. */
import { arrayMember, isObject, member } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Outcome, Trajectory } from "../model";
import { draftTrajectory } from "./drafts";
import { idOf, listOf, oneLine, row, stringOf, titleFrom, wordOf } from "./fields";
import { Attachments } from "./inspect-attachments";
import { subAgents, type SubAgent } from "./inspect-agents";
import { eventFacts, rebuiltMessages } from "./inspect-events";
import { headerRows, modelOfHeader } from "./inspect-header";
import { addMessage } from "./inspect-messages";
import { scoreRows, successOf } from "./inspect-scores";
import type { InspectSample } from "./inspect-sample";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

/** Reads a sample; `header` is the log's own object (run, status). */
export function readSample(sample: InspectSample, header: Json | undefined): Trajectory {
  const list = new StepList();
  const attachments = new Attachments(sample.attachments, list);
  const facts = eventFacts(sample);
  let messages = sample.messages;
  if (messages.length === 0) {
    messages = rebuiltMessages(sample);
    if (messages.length > 0) list.warn("rebuilt-from-events", "The sample holds no messages; they were taken from its last model event.", messages[0]?.place);
  }
  for (const message of messages) addMessage(list, message, attachments, facts);
  pairResults(list);
  warnOfEvents(list, sample);
  const root = sample.root;
  const task = inputText(root["input"], attachments) ?? taskOf(list.steps);
  return draftTrajectory(list, {
    title: titleFrom(task), task, model: modelOfSample(root) ?? modelOfHeader(header), uuid: wordOf(root["uuid"]),
    outcome: outcomeOf(sample, header, attachments),
    metadata: [...sampleRows(sample, attachments), ...headerRows(header)],
  });
}

/** Reads the talk of a sub-agent as a child of `parent`, its sample's trajectory. */
export function readSubAgent(agent: SubAgent, sample: InspectSample, parent: Trajectory): Trajectory {
  const list = new StepList();
  const attachments = new Attachments(sample.attachments, list);
  const facts = eventFacts(sample);
  for (const message of agent.talk) addMessage(list, message, attachments, facts);
  pairResults(list);
  const link = parent.steps.find((step) => step.parts.some((part) => part.kind === "tool_call" && part.callId !== undefined && part.callId === agent.callId));
  return draftTrajectory(list, { title: agentTitle(agent), task: taskOf(list.steps), agent: agent.name, model: parent.model, linkStep: link?.index, metadata: [] });
}

export function agentTitle(agent: SubAgent): string {
  return `Sub-agent ${agent.name}`;
}

/** Id of a sample in its log: `ID/EPOCH`. Undefined where the id is missing. */
export function sampleIdOf(value: Json | undefined): string | undefined {
  const id = idOf(member(value, "id"));
  return id === undefined ? undefined : `${id}/${idOf(member(value, "epoch")) ?? "1"}`;
}

/** Title of a sample from its input, without resolving attachments. */
export function sampleTitle(value: Json | undefined): string | undefined {
  return titleFrom(inputText(member(value, "input")));
}

/** The input's text: as it is, or that of its last user message. */
function inputText(input: Json | undefined, attachments?: Attachments): string | undefined {
  const resolve = (text: string | undefined): string | undefined => (text === undefined ? undefined : (attachments?.resolve(text) ?? text));
  if (typeof input === "string") return resolve(input);
  const user = listOf(input).filter((message) => member(message, "role") === "user").at(-1);
  const content = member(user, "content");
  return resolve(stringOf(content) ?? listOf(content).map((part) => stringOf(member(part, "text"))).find((text) => text !== undefined));
}

function modelOfSample(root: JsonObject): string | undefined {
  return wordOf(member(root["output"], "model"));
}

function warnOfEvents(list: StepList, sample: InspectSample): void {
  const names = sample.events().map((event) => stringOf(member(event.value, "event")));
  const compactions = names.filter((name) => name === "compaction").length;
  if (compactions > 0) list.warn("compacted", `The messages were compacted ${compactions} times; the events of the sample hold more than is shown.`);
  const agents = subAgents(sample);
  if (agents.length > 0 && !sample.listsAgents) {
    list.warn("sub-agents-not-listed", `Sub-agents with talks of their own are recorded in the events only: ${agents.map((agent) => agent.name).join(", ")}.`);
  }
}

function outcomeOf(sample: InspectSample, header: Json | undefined, attachments: Attachments): Outcome {
  const root = sample.root;
  const outcome: Outcome = {};
  const error = member(root["error"], "message");
  const limit = root["limit"];
  const limitText = isObject(limit) ? `limit: ${wordOf(limit["type"]) ?? "?"}` : wordOf(limit);
  const status = root["error"] !== null && root["error"] !== undefined ? "error" : (limitText ?? wordOf(member(header, "status")));
  if (status) outcome.status = status;
  const success = successOf(root["scores"] ?? root["score"]);
  if (success !== undefined) outcome.success = success;
  const errorText = stringOf(error) ?? stringOf(root["error"]);
  if (errorText) outcome.error = attachments.resolve(errorText);
  const details = [
    ...scoreRows(root["scores"] ?? root["score"], sample.document, attachments),
    ...(isObject(limit) ? row("limit", idOf(limit["limit"])) : []),
    ...row("retries after errors", listOf(root["error_retries"]).length || undefined),
    ...row("stop reason", wordOf(member(arrayMember(root["output"], "choices")?.at(-1), "stop_reason"))),
  ];
  if (details.length > 0) outcome.details = details;
  return outcome;
}

function sampleRows(sample: InspectSample, attachments: Attachments): Trajectory["metadata"] {
  const { root, document } = sample;
  const text = (value: Json | undefined): string => (typeof value === "object" ? oneLine(attachments.textOf(document, value ?? undefined)) : attachments.textOf(document, value));
  const metadata = root["metadata"];
  return [
    ...row("sample", idOf(root["id"])),
    ...row("epoch", idOf(root["epoch"])),
    ...row("target", text(root["target"])),
    ...row("choices", Array.isArray(root["choices"]) ? text(root["choices"]) : undefined),
    ...(isObject(metadata) ? Object.entries(metadata).flatMap(([key, value]) => row(`metadata: ${key}`, text(value))) : []),
    ...row("model usage", isObject(root["model_usage"]) && Object.keys(root["model_usage"]).length > 0 ? text(root["model_usage"]) : undefined),
    ...row("started", wordOf(root["started_at"])),
    ...row("total time in s", idOf(root["total_time"])),
  ];
}
