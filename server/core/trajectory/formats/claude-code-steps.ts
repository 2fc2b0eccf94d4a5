/** Records of one Claude Code thread as steps: one for each model reply, results as tool steps, the program's own texts as meta. */
import { isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { LineDocuments } from "../light-text";
import type { Place, Step, StepFlag } from "../model";
import { readBlocks, splitLeadingThinking, tokensOf, type BlocksRead } from "./anthropic-blocks";
import { wholeRecord } from "./claude-code-light";
import { bookkeepingTypes, messageIdOf, messageOf, type LogRecord } from "./claude-code-records";
import { stringOf, textOf, timeOf, wordOf } from "./fields";
import { changedLine, isChanged } from "./light-records";
import { addFlag, pairResults, StepList, type StepDraft } from "./step-list";

export interface ThreadSteps {
  list: StepList;
  /** Bookkeeping records by type (system ones as `system/SUBTYPE`): they make no steps. */
  dropped: Map<string, number>;
}

/** Texts with which the program itself speaks in the user's place. */
const metaStart = /^\s*(?:<command-(?:name|message|args)>|<local-command-(?:stdout|stderr|caveat)>|<bash-(?:input|stdout|stderr)>|<system-reminder>|Caveat: )/;

/** Builds the steps of one thread. `flags` are set on every step; `light` is that of the document. */
export function threadSteps(records: Iterable<LogRecord>, flags: readonly StepFlag[] = [], light?: LineDocuments): ThreadSteps {
  const builder = new ThreadBuilder(flags, light);
  for (const record of records) builder.read(record);
  builder.finish();
  return { list: builder.list, dropped: builder.dropped };
}

class ThreadBuilder {
  readonly list: StepList;
  readonly dropped = new Map<string, number>();
  private readonly replies = new Map<string, Step>();
  private readonly unknown = new Set<string>();
  /** Assistant records by their ids; of a record that can be read again its line alone. */
  private readonly seen = new Map<string, LogRecord | number>();
  /** The reply that goes on as long as only assistant records without an id follow. */
  private nameless: Step | undefined;
  private joined = 0;

  constructor(private readonly flags: readonly StepFlag[], private readonly light: LineDocuments | undefined) {
    this.list = new StepList(light);
  }

  read(given: LogRecord): void {
    if (given.type === "assistant" && this.isRepeated(given)) return;
    const record = wholeRecord(given, this.light);
    if (isChanged(record)) this.list.warn(...changedLine(record), record.place);
    if (record.type === "assistant") this.readAssistant(record);
    else if (record.type === "user") this.readUser(record);
    else if (record.type === "system" && typeof record.value["content"] === "string" && record.value["content"] !== "") this.readSystem(record, record.value["content"]);
    else this.drop(record);
  }

  finish(): void {
    if (this.joined > 0) {
      this.list.warn("reply-without-id", `${this.joined} assistant records without a message id were joined to the record before them, as one reply.`);
    }
    pairResults(this.list);
  }

  private drop(record: LogRecord): void {
    const subtype = wordOf(record.value["subtype"]);
    const name = record.type === "system" && subtype ? `system/${subtype}` : record.type;
    this.dropped.set(name, (this.dropped.get(name) ?? 0) + 1);
    if (record.type === "system" || bookkeepingTypes.has(record.type) || this.unknown.has(record.type)) return;
    this.unknown.add(record.type);
    this.list.warn("unknown-record-type", `Records of type "${record.type.slice(0, 60)}" are not known and make no steps.`, record.place);
  }

  private readAssistant(record: LogRecord): void {
    const read = this.readContent(record);
    const id = messageIdOf(record);
    const known = id !== undefined ? this.replies.get(id) : this.nameless;
    if (known && id === undefined) this.joined++;
    const step = known ?? this.list.add(this.draft(record, "assistant", record.place));
    if (id !== undefined) this.replies.set(id, step);
    this.nameless = id === undefined ? step : undefined;
    if (known) step.places.push(record.place);
    step.parts.push(...(step.parts.length === 0 ? splitLeadingThinking(read.parts) : read.parts));
    if (read.extras.length > 0) step.extras = [...(step.extras ?? []), ...read.extras];
    if (read.reasoningHidden) step.reasoningHidden = true;
    // Early records of a reply carry partial counts; the last one is final.
    const tokens = tokensOf(member(messageOf(record), "usage"));
    if (tokens) step.tokens = tokens;
    const model = wordOf(member(messageOf(record), "model"));
    if (model && model !== "<synthetic>") step.model = model;
    if (model === "<synthetic>" || record.value["isApiErrorMessage"] === true) addFlag(step, "synthetic");
    for (const flag of read.flags) addFlag(step, flag);
    for (const result of read.results) this.list.add(this.withFlags({ ...result, time: timeOf(record.value["timestamp"]) }, record.sidechain));
  }

  private readUser(record: LogRecord): void {
    this.nameless = undefined;
    const read = this.readContent(record);
    for (const result of read.results) this.list.add(this.withFlags({ ...result, time: timeOf(record.value["timestamp"]) }, record.sidechain));
    if (read.results.length > 0 && read.parts.length === 0 && read.extras.length === 0) return;
    const draft = this.draft(record, "user", record.place);
    const texts = read.parts.filter((part) => part.kind === "text");
    if (record.value["isMeta"] === true || (texts.length > 0 && texts.every((part) => metaStart.test(part.text)))) draft.flags?.push("meta");
    if (record.value["isCompactSummary"] === true) draft.flags?.push("compaction");
    draft.flags?.push(...read.flags);
    this.list.add({ ...draft, parts: read.parts, extras: read.extras });
  }

  private readSystem(record: LogRecord, text: string): void {
    const draft = this.draft(record, "system", record.place);
    draft.flags?.push("meta");
    if (record.value["subtype"] === "compact_boundary") draft.flags?.push("compaction");
    this.list.add({ ...draft, parts: [{ kind: "text", text }] });
  }

  /** Content of the record's message; what cannot be read as content is kept as a raw block, with a warning. */
  private readContent(record: LogRecord): BlocksRead {
    const message = messageOf(record);
    const content: Json | undefined = isObject(message) ? message["content"] : (message ?? record.value["content"]);
    const pointer = isObject(message) ? "/message/content" : "/message";
    const read = readBlocks(content, { document: record.document, place: record.place, pointer });
    for (const { code, message: problem } of read.problems) this.list.warn(code, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, record.place);
    if (typeof message === "string") this.list.warn("odd-message", "The message of a record is a text instead of an object; the text is shown.", record.place);
    if (content === undefined) {
      if (message !== undefined) read.extras.push({ type: "message", raw: textOf(record.document, message) });
      this.list.warn("no-content", `The message of a record has no content${isObject(message) ? `; its keys are ${Object.keys(message).slice(0, 8).join(", ")}` : ""}.`, record.place);
    }
    return read;
  }

  /** An assistant record that stands in the file twice says nothing new the second time. */
  private isRepeated(record: LogRecord): boolean {
    if (record.uuid === undefined) return false;
    const before = this.seen.get(record.uuid);
    this.seen.set(record.uuid, (this.light && record.place.line) ?? record);
    if (before === undefined) return false;
    const [raw, earlier] = [record, before].map((one) => {
      const document = typeof one === "number" ? this.light?.lineJson(one) : wholeRecord(one, this.light).document;
      return document?.rawOf(typeof one === "number" ? document.value : wholeRecord(one, this.light).value) ?? "";
    });
    if (raw === "" || raw !== earlier) return false;
    this.list.warn("repeated-record", `The record ${record.uuid} stands in the file twice; it is shown once.`, record.place);
    return true;
  }

  private draft(record: LogRecord, role: "user" | "assistant" | "system", place: Place): StepDraft {
    return this.withFlags({ role, parts: [], time: timeOf(record.value["timestamp"]), places: [place], flags: [] }, record.sidechain);
  }

  private withFlags(draft: StepDraft, sidechain: boolean): StepDraft {
    const own: StepFlag[] = sidechain && !this.flags.includes("sidechain") ? ["sidechain"] : [];
    return { ...draft, flags: [...this.flags, ...own, ...(draft.flags ?? [])] };
  }
}

/** Subtype, cost and errors that the SDK's stream states at its end. */
export function resultRecord(records: readonly LogRecord[]): LogRecord | undefined {
  return records.filter((record) => record.type === "result" && stringOf(record.value["subtype"]) !== undefined).at(-1);
}
