/** Gemini CLI: chats as one JSON object or as JSONL with patches, checkpoints, the log of prompts, and replies of the API. */
import { isObject, member, pointerTo } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Tokens, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { damagedLine } from "../source-document";
import { draftTrajectory } from "./drafts";
import { idOf, listOf, numberOf, row, stringOf, titleFrom, wordOf } from "./fields";
import { addChatMessage, type ChatMessage } from "./gemini-messages";
import { readParts } from "./gemini-parts";
import { addFlag, pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

export const geminiCli = defineFormat({
  id: "gemini-cli",
  title: "Gemini CLI and Gemini API replies",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "Messages in their last version, thoughts, calls and the responses that the model was sent, tokens, times, what a slash command showed; messages that were taken back as child trajectories.",
  drops: "What the terminal showed of a result (diffs, whole files), earlier versions of a message, patches of the header.",
  sniff,
  open,
});

const isHeader = (value: Json | undefined): boolean => wordOf(member(value, "sessionId")) !== undefined && wordOf(member(value, "projectHash")) !== undefined;
const isChatLine = (value: Json | undefined): boolean => isObject(value) && /^(?:user|gemini|info|warning|error)$/.test(stringOf(value["type"]) ?? "") && idOf(value["id"]) !== undefined && "content" in value && "timestamp" in value && !("uuid" in value);
const isPatch = (value: Json | undefined): boolean => isObject(member(value, "$set")) || member(value, "$rewindTo") !== undefined;
const isTurn = (value: Json | undefined): boolean => (member(value, "role") === "user" || member(value, "role") === "model") && Array.isArray(member(value, "parts"));
const isPrompt = (value: Json | undefined): boolean => isObject(value) && wordOf(value["sessionId"]) !== undefined && "messageId" in value && typeof value["message"] === "string";

function sniff(document: SourceDocument): number {
  if (document.kind === "jsonl") {
    const values = document.firstLines(20).map((line) => line.json?.value);
    if (isHeader(values[0]) && !("type" in (values[0] as JsonObject))) return 0.97;
    // The header may be damaged: messages and patches are enough.
    return values.some(isPatch) && values.some(isChatLine) ? 0.9 : values.some((value) => stringOf(member(value, "type")) === "gemini" && isChatLine(value)) ? 0.85 : 0;
  }
  if (document.kind !== "json") return 0;
  const value = document.json().value;
  if (isHeader(value) && Array.isArray(member(value, "messages"))) return 0.97;
  if (listOf(member(value, "candidates")).some((candidate) => isObject(member(candidate, "content")) || member(candidate, "finishReason") !== undefined)) return 0.95;
  if (!Array.isArray(value) || value.length === 0) return 0;
  return value.every(isTurn) ? 0.93 : value.every(isPrompt) ? 0.9 : 0;
}

function open(document: SourceDocument): OpenedFile {
  if (document.kind !== "jsonl") return { heads: [{}], warnings: [], load: () => load(document) };
  const read = readLines(document);
  const heads: TrajectoryHead[] = [{ uuid: wordOf(read.header["sessionId"]) }, ...read.rewound.map((cut, index) => ({ recordId: `rewound-${index + 1}`, title: "Taken back", line: cut.messages[0]?.place.line, parent: 0 }))];
  let main: Trajectory | undefined;
  const loadThread = (index: number): Trajectory => {
    main ??= chat(read);
    return index === 0 ? main : takenBack(read, index - 1, main);
  };
  return { heads, warnings: [], load: loadThread };
}

/** Messages from which the chat went back: a child of what stood, linked to the last step that both share. */
function takenBack(read: ChatRead, index: number, main: Trajectory): Trajectory {
  const cut = read.rewound[index]!;
  const trajectory = chat({ ...read, messages: cut.messages, warnings: [], replaced: 0 });
  for (const step of trajectory.steps) addFlag(step, "abandoned");
  const last = cut.after?.place.line;
  const shared = last === undefined ? undefined : main.steps.findLast((step) => (step.places[0]?.line ?? Infinity) <= last)?.index;
  return { ...trajectory, title: "Taken back", ...(shared === undefined ? {} : { linkStep: shared }) };
}

function load(document: SourceDocument): Trajectory {
  const json = document.json();
  const root = json.value;
  if (isObject(root) && Array.isArray(root["candidates"])) return apiReply(json, root);
  const items = Array.isArray(root) ? root : listOf(member(root, "messages"));
  const pointer = Array.isArray(root) ? "" : "/messages";
  if (Array.isArray(root) && root.every(isTurn)) return turns(json, root);
  const warnings: Warning[] = [];
  const messages = items.flatMap((value, index): ChatMessage[] => {
    const place = { pointer: `${pointer}/${index}` };
    if (!isObject(value)) {
      if (value !== null) warnings.push({ ...place, code: "bad-record", message: `Message ${index} is no object; it gives no step.` });
      return [];
    }
    // The log of prompts holds a message's text under a name of its own.
    return [{ value: typeof value["message"] === "string" && !("content" in value) ? { ...value, content: value["message"] } : value, document: json, place }];
  });
  return chat({ header: isObject(root) ? root : {}, messages, warnings, replaced: 0, rewound: [] });
}

interface ChatRead {
  header: JsonObject;
  messages: ChatMessage[];
  warnings: Warning[];
  replaced: number;
  /** What was taken back, and the message before it. */
  rewound: { messages: ChatMessage[]; after: ChatMessage | undefined }[];
}

/** Lines in order: a message whose id was seen before takes the earlier one's place; patches change the header. */
function readLines(document: SourceDocument): ChatRead {
  const read: ChatRead = { header: {}, messages: [], warnings: [], replaced: 0, rewound: [] };
  const at = new Map<string, number>();
  let isFirst = true;
  for (const line of document.lines()) {
    const value = line.json?.value;
    const place = { line: line.line };
    if (!line.json) read.warnings.push(damagedLine(line));
    else if (!isObject(value)) read.warnings.push({ ...place, code: "bad-record", message: `Line ${line.line} is no object; it gives no step.` });
    else if (isPatch(value)) {
      const { messages, ...rest } = isObject(value["$set"]) ? value["$set"] : {};
      read.header = { ...read.header, ...rest };
      addHistory(read, at, messages, line.json, line.line);
      const target = idOf(value["$rewindTo"]);
      if (target !== undefined) rewind(read, at, target, place);
    } else if (isHeader(value) && (isFirst || !("type" in value))) read.header = { ...read.header, ...value };
    else {
      const message: ChatMessage = { value, document: line.json, place };
      const id = idOf(value["id"]);
      const known = id === undefined ? undefined : at.get(id);
      // What was taken back is found no more: another message stands in its place.
      if (known === undefined || idOf(read.messages[known]?.value["id"]) !== id) {
        if (id !== undefined) at.set(id, read.messages.length);
        read.messages.push(message);
      } else {
        read.messages[known] = message;
        read.replaced++;
      }
    }
    isFirst = false;
  }
  if (Array.isArray(read.header["messages"])) {
    const listed = read.header["messages"].filter(isObject).map((value): ChatMessage => ({ value, document: document.firstLines(1)[0]!.json!, place: { line: 1 } }));
    if (read.messages.length === 0) read.messages.push(...listed);
  }
  return read;
}

/** A history that was written down as a whole: what stands in the file as a message stays as it was, the rest is added. */
function addHistory(read: ChatRead, at: Map<string, number>, messages: Json | undefined, document: JsonDocument, line: number): void {
  listOf(messages).forEach((value, index) => {
    const id = idOf(member(value, "id"));
    const known = id === undefined ? undefined : at.get(id);
    if (!isObject(value) || (known !== undefined && idOf(read.messages[known]?.value["id"]) === id)) return;
    if (id !== undefined) at.set(id, read.messages.length);
    read.messages.push({ value, document, place: { line, pointer: pointerTo("", "$set", "messages", index) }, synthetic: true });
  });
}

/** Goes back to a message: those from it on no longer stand. */
function rewind(read: ChatRead, at: ReadonlyMap<string, number>, target: string, place: { line: number }): void {
  const from = at.get(target);
  const isKnown = from !== undefined && idOf(read.messages[from]?.value["id"]) === target;
  if (!isKnown) {
    read.warnings.push({ ...place, code: "unknown-target", message: `The chat goes back to the message ${target.slice(0, 60)}, which is not in the file: all before it is taken back, as the program does.` });
  }
  const messages = read.messages.splice(isKnown ? from : 0);
  if (messages.length === 0) return;
  read.rewound.push({ messages, after: read.messages.at(-1) });
}

function chat({ header, messages, warnings, replaced }: ChatRead): Trajectory {
  const list = new StepList();
  list.warnings.push(...warnings);
  const answered = new Set<string>();
  for (const message of messages) addChatMessage(list, message, answered);
  pairResults(list);
  const task = taskOf(list.steps);
  const shown = messages.find((message) => message.value["type"] === "user")?.value["displayContent"];
  const models = [...new Set(list.steps.flatMap((step) => step.model ?? []))];
  return draftTrajectory(list, {
    title: titleFrom(stringOf(member(listOf(shown)[0], "text")) ?? task), task, agent: "Gemini CLI", model: models.join(", ") || undefined, uuid: wordOf(header["sessionId"]),
    metadata: [
      ...row("session", wordOf(header["sessionId"])), ...row("project", wordOf(header["projectHash"])), ...row("started", wordOf(header["startTime"])), ...row("last updated", wordOf(header["lastUpdated"])),
      ...row("kind", wordOf(header["kind"])), ...row("summary", wordOf(header["summary"])), ...row("earlier versions of messages", replaced > 0 ? replaced : undefined),
    ],
  });
}

/** A checkpoint: turns of the API, results inside user turns. */
function turns(document: JsonDocument, items: readonly Json[]): Trajectory {
  const list = new StepList();
  items.forEach((turn, index) => {
    const place = { pointer: `/${index}` };
    const read = readParts(document, member(turn, "parts"));
    if (member(turn, "role") === "model") {
      list.add({ role: "assistant", parts: read.parts, extras: read.extras, reasoningHidden: read.reasoningHidden, places: [place] });
      return;
    }
    for (const part of read.parts) if (part.kind === "tool_result") list.add({ role: "tool", parts: [part], places: [place] });
    const texts = read.parts.filter((part) => part.kind !== "tool_result");
    if (texts.length > 0 || read.extras.length > 0) list.add({ role: "user", parts: texts, extras: read.extras, places: [place] });
  });
  pairResults(list);
  const task = taskOf(list.steps);
  return draftTrajectory(list, { title: titleFrom(task), task, agent: "Gemini CLI" });
}

/** One reply of the API; what was asked is not part of it. Several candidates are alternatives. */
function apiReply(document: JsonDocument, root: JsonObject): Trajectory {
  const list = new StepList();
  const outcome: Outcome = {};
  const usage = root["usageMetadata"];
  const tokens: Tokens = {};
  for (const [key, name] of [["input", "promptTokenCount"], ["cachedInput", "cachedContentTokenCount"], ["output", "candidatesTokenCount"], ["reasoning", "thoughtsTokenCount"]] as const) {
    const count = numberOf(member(usage, name));
    if (count !== undefined) tokens[key] = count;
  }
  const model = wordOf(root["modelVersion"]);
  listOf(root["candidates"]).forEach((candidate, index) => {
    const read = readParts(document, member(member(candidate, "content"), "parts"));
    const place = { pointer: `/candidates/${index}` };
    const hidden = !read.parts.some((part) => part.kind === "reasoning") && (read.reasoningHidden || (tokens.reasoning ?? 0) > 0);
    list.add({ role: "assistant", parts: read.parts, extras: read.extras, model, tokens: index === 0 ? tokens : undefined, reasoningHidden: hidden, places: [place], flags: index === 0 ? [] : ["abandoned"] });
    if (index === 0) outcome.status = wordOf(member(candidate, "finishReason")) ?? "";
  });
  if (!outcome.status) delete outcome.status;
  // The reply ends with its calls: results come with the next request.
  pairResults(list, () => true);
  return draftTrajectory(list, {
    model, outcome: Object.keys(outcome).length > 0 ? outcome : undefined, uuid: wordOf(root["responseId"]),
    metadata: [...row("finish message", wordOf(member(listOf(root["candidates"])[0], "finishMessage")))],
  });
}
