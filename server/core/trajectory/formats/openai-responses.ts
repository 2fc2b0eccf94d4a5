/** OpenAI Responses: response objects, requests with their input, lists of items, batches, and streams. */
import { isObject, member, memberAt, pointerTo } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Outcome, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { chatTokens } from "./chat-usage";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { listOf, row, stringOf, textOf, timeOf, titleFrom, wordOf } from "./fields";
import { mostRecords, placeIn, problemHead, recordIdOf, recordsFrom, recordsOf, type FileRecord, type FileRecords } from "./records";
import { isItem, isItemMessage, ItemReader } from "./responses-items";
import { assembleResponses, responseEvents } from "./responses-stream";
import { StepList } from "./step-list";
import { stepText, taskOf } from "./step-text";

export const openaiResponses = defineFormat({
  id: "openai-responses",
  title: "OpenAI Responses",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "Instructions, input and output items, reasoning summaries, calls of functions, custom and hosted tools, results by call_id or out of the call, annotations, status, tokens.",
  drops: "Encrypted reasoning (marked as hidden), log probabilities, settings of the request; the declarations of tools but for their names.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json" && document.kind !== "jsonl" && document.kind !== "text") return 0;
  if (responseEvents(document, 20)) return 0.95;
  if (document.kind === "text") return 0;
  if (mostRecords(document, (value) => exchangeOf(value)?.response !== undefined)) return 0.95;
  if (isOneTalk(document)) return 0.98;
  return mostRecords(document, (value) => exchangeOf(value) !== undefined) ? 0.9 : 0;
}

/** A list, or lines, of items and messages that together are one talk. */
function isOneTalk(document: SourceDocument): boolean {
  const values = document.kind === "jsonl" ? document.firstLines(40).map((line) => line.json?.value) : listOf(document.json().value).slice(0, 200);
  return values.some(isItem) && values.every((value) => value === undefined || isItem(value) || isItemMessage(value) || (isObject(value) && typeof value["type"] === "string" && !("output" in value && "object" in value)));
}

/** A request, its response, or both, as a record holds them; pointers lead to them inside the record. */
interface Exchange {
  readonly request?: JsonObject | undefined;
  readonly requestAt: string;
  readonly response?: JsonObject | undefined;
  readonly responseAt: string;
}

function isResponse(value: Json | undefined): value is JsonObject {
  return isObject(value) && Array.isArray(value["output"]) && (value["object"] === "response" || value["output"].some((item) => isItem(item) || (isItemMessage(item) && item["type"] === "message")));
}

function isRequest(value: Json | undefined): value is JsonObject {
  return isObject(value) && !("messages" in value) && (listOf(value["input"]).some(isItem) || (listOf(value["input"]).some(isItemMessage) && ("instructions" in value || "model" in value)));
}

function exchangeOf(value: Json | undefined): Exchange | undefined {
  if (isResponse(value)) return { response: value, responseAt: "", requestAt: "", request: "input" in value ? value : undefined };
  const places = [["response"], ["response", "body"], ["body"], ["output"]];
  const at = places.find((keys) => isResponse(memberAt(value, ...keys)));
  const asked = [["request"], ["body"], ["input"]].find((keys) => isRequest(memberAt(value, ...keys)) || (at && isObject(memberAt(value, ...keys)) && member(memberAt(value, ...keys), "input") !== undefined));
  const request = asked ? (memberAt(value, ...asked) as JsonObject) : isRequest(value) ? value : undefined;
  if (!at && !request) return undefined;
  return { response: at && (memberAt(value, ...at) as JsonObject), responseAt: at ? pointerTo("", ...at) : "", request, requestAt: asked ? pointerTo("", ...asked) : "" };
}

function open(document: SourceDocument): OpenedFile {
  const events = responseEvents(document, 20) && responseEvents(document);
  if (events) {
    const streamed = assembleResponses(events);
    const records = recordsFrom(parseJson("null").document!, streamed.map(({ response }) => response), () => "");
    return fromRecords({ ...records, container: streamed.length > 1 }, (index) => (streamed[index]?.cut ? [{ code: "stream-cut", message: "The stream ends before the response was complete; what had come is shown." }] : []));
  }
  if (!mostRecords(document, (value) => exchangeOf(value) !== undefined) && isOneTalk(document)) return oneTalk(document);
  return fromRecords(recordsOf(document));
}

function oneTalk(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const load = (): Trajectory => {
    const list = new StepList();
    const reader = new ItemReader(list, parseJson("null").document!);
    for (let n = 0; n < records.count; n++) {
      const record = records.at(n)!;
      if (record.document && record.value !== undefined) reader.readFrom(record.document, record.value, placeIn(record));
      else if (record.problem) list.warnings.push(record.problem);
    }
    reader.finish(list.steps.at(-1)?.role === "assistant");
    return draftTrajectory(list, { title: titleFrom(taskOf(list.steps)), task: taskOf(list.steps) });
  };
  return { heads: [{}], warnings: [], load };
}

function fromRecords(records: FileRecords, more: (index: number) => readonly Warning[] = () => []): OpenedFile {
  const heads: TrajectoryHead[] = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    const found = exchangeOf(record.value);
    if (found) heads.push({ recordId: records.container ? recordIdOf(record.value, n) : undefined, line: record.line, title: titleFrom(firstWords(found)) });
    else {
      const problem = record.problem ?? { code: "bad-record", message: `Record ${n} holds neither a response nor a request.`, ...(record.line === undefined ? {} : { line: record.line }) };
      heads.push(records.container ? problemHead(record, problem) : { problem });
    }
  }
  const load = (index: number): Trajectory => {
    const problem = heads[index]?.problem;
    const record = records.at(index);
    const found = record && exchangeOf(record.value);
    return problem || !record?.document || !found ? emptyTrajectory(...(problem ? [problem] : [])) : loadExchange(record, found, more(index));
  };
  return { heads, warnings: [], load };
}

function firstWords({ request, response }: Exchange): string | undefined {
  const input = request?.["input"];
  const asked = stringOf(input) ?? messageText(listOf(input).find((item) => member(item, "role") === "user"));
  return asked ?? messageText(listOf(response?.["output"]).find((item) => member(item, "type") === "message"));
}

function messageText(message: Json | undefined): string | undefined {
  const content = member(message, "content");
  return stringOf(content) ?? stringOf(member(listOf(content).find((block) => stringOf(member(block, "text")) !== undefined), "text"));
}

function loadExchange(record: FileRecord, { request, requestAt, response, responseAt }: Exchange, warnings: readonly Warning[]): Trajectory {
  const list = new StepList();
  list.warnings.push(...warnings);
  const document = record.document!;
  const reader = new ItemReader(list, document);
  const readAny = (value: Json | undefined, role: "system" | "user", pointer: string): void => {
    if (typeof value === "string") reader.text(role, value, placeIn(record, pointer));
    else reader.read(listOf(value), (i) => placeIn(record, `${pointer}/${i}`));
  };
  const instructed = response?.["instructions"] ? { value: response["instructions"], pointer: `${responseAt}/instructions` } : { value: request?.["instructions"], pointer: `${requestAt}/instructions` };
  readAny(instructed.value, "system", instructed.pointer);
  readAny(request?.["input"], "user", `${requestAt}/input`);
  const from = list.steps.length;
  const reply = response ? reader.read(listOf(response["output"]), (i) => placeIn(record, `${responseAt}/output/${i}`)) : undefined;
  reader.finish(true);
  const answered = reply ?? list.steps.slice(from).find((step) => step.role === "assistant");
  if (answered && response) Object.assign(answered, definedOnly({ tokens: chatTokens(response["usage"]), model: wordOf(response["model"]), time: timeOf(response["created_at"]) }));
  const before = wordOf(response?.["previous_response_id"]) ?? wordOf(request?.["previous_response_id"]);
  if (before !== undefined) list.warn("earlier-turns-elsewhere", `The talk goes on from ${before}, which is not part of this record: what was said before is missing.`, placeIn(record));
  const asked = taskOf(list.steps);
  const tools = listOf(response?.["tools"] ?? request?.["tools"]).map((tool) => wordOf(member(tool, "name")) ?? wordOf(member(tool, "server_label")) ?? wordOf(member(tool, "type")));
  return draftTrajectory(list, {
    title: titleFrom(asked ?? stepText(answered)), task: asked, model: wordOf(response?.["model"]) ?? wordOf(request?.["model"]), outcome: response && outcomeOf(response, record),
    metadata: [
      ...row("response", wordOf(response?.["id"])), ...row("previous response", before), ...row("reasoning effort", wordOf(memberAt(response, "reasoning", "effort"))),
      ...row("tools", tools.filter((name) => name !== undefined).join(", ")),
    ],
  });
}

function outcomeOf(response: JsonObject, record: FileRecord): Outcome | undefined {
  const status = wordOf(response["status"]);
  const reason = wordOf(memberAt(response, "incomplete_details", "reason"));
  const error = response["error"];
  const outcome: Outcome = {};
  if (status !== undefined) outcome.status = reason === undefined ? status : `${status} (${reason})`;
  if (error !== undefined && error !== null) outcome.error = wordOf(member(error, "message")) ?? textOf(record.document!, error);
  return Object.keys(outcome).length > 0 ? outcome : undefined;
}

function definedOnly<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
