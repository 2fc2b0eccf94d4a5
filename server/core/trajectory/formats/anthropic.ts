/** Anthropic messages: replies, conversations, requests with their replies, recorded streams, event logs of hosted agents, old prompts. */
import { isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { conversationOf, isLoneMessage, isReply, readConversation, readMessageLines } from "./anthropic-conversation";
import { isEventLine, readEventLog } from "./anthropic-events";
import { isOldPrompt, readOldPrompt } from "./anthropic-prompt";
import { sniffRecord } from "./anthropic-sniff";
import { assembleReplies, isStreamEvent, noDocument, streamEvents } from "./anthropic-stream";
import { listOf, stringOf, titleFrom } from "./fields";
import { stepText, taskOf } from "./step-text";
import { mostRecords, placeIn, recordIdOf, recordsOf, type FileRecord } from "./records";
import { draftTrajectory, emptyTrajectory, type TrajectoryFacts } from "./drafts";
import type { StepList } from "./step-list";

export const anthropic = defineFormat({
  id: "anthropic",
  title: "Anthropic messages",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "System prompt, text, thinking, tool calls and results of client, hosted and MCP tools, tokens, stop reason, citations as folded blocks.",
  drops: "Signatures and encrypted thinking (said to be hidden), tool definitions beyond their names.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind === "text") return streamEvents(document, 200) ? 0.9 : 0;
  if (document.kind === "jsonl") {
    const values = document.firstLines(20).flatMap((line) => (line.json ? [line.json.value] : []));
    if (values.length === 0) return 0;
    if (values.filter(isEventLine).length * 2 > values.length) return 0.95;
    if (values.filter(isStreamEvent).length * 2 > values.length) return 0.95;
    return Math.max(sniffRecord(values), ...values.map(sniffRecord));
  }
  if (document.kind !== "json") return 0;
  const value = document.json().value;
  return Array.isArray(value) ? Math.max(sniffRecord(value.slice(0, 200)), ...value.slice(0, 20).map(sniffRecord)) : sniffRecord(value);
}

function open(document: SourceDocument): OpenedFile {
  const events = streamEvents(document);
  if (events) return oneFile(() => readStream(events));
  if (document.kind === "jsonl" && mostRecords(document, isEventLine, 20)) return oneFile(() => readEventLog(document.lines()));
  if (document.kind === "jsonl" && mostRecords(document, isLoneMessage, 20)) return oneFile(() => readMessageLines(allOf(document)));
  // A list whose items have roles is one conversation; other lists, and lines, are records of their own.
  const value = document.kind === "json" ? document.json().value : undefined;
  if (Array.isArray(value) && value.some((item) => isObject(item) && "role" in item && !isReply(item))) {
    const whole: FileRecord = { index: 0, document: document.json(), value, line: undefined, pointer: "", problem: undefined };
    return { heads: [headOf(whole, 0, false)], warnings: [], load: () => loadRecord(whole, undefined) };
  }
  const records = recordsOf(document);
  const heads: TrajectoryHead[] = [];
  for (let index = 0; index < records.count; index++) heads.push(headOf(records.at(index), index, records.container));
  return { heads, warnings: [], load: (index) => loadRecord(records.at(index), heads[index]) };
}

function allOf(document: SourceDocument): FileRecord[] {
  const records = recordsOf(document);
  return Array.from({ length: records.count }, (_item, index) => records.at(index)).filter((record) => record !== undefined);
}

function headOf(record: FileRecord | undefined, index: number, isMany: boolean): TrajectoryHead {
  const value = record?.value;
  return {
    recordId: isMany ? recordIdOf(value, index) : undefined, title: headTitle(value), line: record?.line,
    problem: record?.problem ?? (!record || isReadable(value) ? undefined : { ...placeIn(record), code: "no-talk", message: "The record holds no list of messages and no reply." }),
  };
}

function headTitle(value: Json | undefined): string | undefined {
  const messages = conversationOf(value)?.messages ?? [];
  const user = messages.find((message) => member(message, "role") === "user");
  const content = member(user, "content");
  return titleFrom(stringOf(content) ?? listOf(content).map((block) => stringOf(member(block, "text"))).find((text) => text !== undefined));
}

function isReadable(value: Json | undefined): boolean {
  return conversationOf(value) !== undefined || isOldPrompt(stringOf(member(value, "prompt")));
}

function loadRecord(record: FileRecord | undefined, head: TrajectoryHead | undefined): Trajectory {
  if (!record?.document || head?.problem) return emptyTrajectory(...(head?.problem ? [head.problem] : []));
  const { value, document } = record;
  const conversation = conversationOf(value);
  if (!conversation) return trajectoryOf(readOldPrompt(stringOf(member(value, "prompt")) ?? "", stringOf(member(value, "completion")), placeIn(record), "/prompt"), {});
  const { list, rest } = readConversation(conversation, document, placeIn(record));
  return trajectoryOf(list, rest);
}

function oneFile(read: () => { list: StepList; rest: TrajectoryFacts }): OpenedFile {
  return {
    heads: [{}], warnings: [],
    load: () => {
      const { list, rest } = read();
      return trajectoryOf(list, rest);
    },
  };
}

function readStream(events: NonNullable<ReturnType<typeof streamEvents>>): { list: StepList; rest: TrajectoryFacts } {
  const replies = assembleReplies(events);
  const messages = replies.map(({ reply }) => reply);
  const read = readConversation({ messages, messagesPointer: "", requestPointer: "" }, noDocument, {});
  // Places inside the put-together messages mean nothing in the file; a step stands where its reply begins.
  for (const step of read.list.steps) step.places = step.places.map((place) => replies[Number(place.pointer?.split("/")[1] ?? 0)]?.place ?? {});
  for (const { isComplete, place } of replies) if (!isComplete) read.list.warn("stream-cut", "The stream ends before its message does.", place);
  return read;
}

function trajectoryOf(list: StepList, rest: TrajectoryFacts): Trajectory {
  const task = taskOf(list.steps);
  const title = rest.title ?? titleFrom(task ?? stepText(list.steps.find((step) => step.role === "assistant")));
  return draftTrajectory(list, { ...rest, title, task });
}
