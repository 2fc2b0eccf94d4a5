/** Builds the talk out of a trace: each model call repeats the history, so only what is new in it makes steps. */
import type { Json } from "#core/json/document";
import type { Step } from "../model";
import { addMessages } from "./chat-messages";
import { textOf } from "./fields";
import { withError } from "./result-error";
import { addFlag, StepList, type StepDraft } from "./step-list";
import { callPart } from "./tool-args";
import type { TracedTalk, TraceNode } from "./trace-nodes";

/** A talk that grows with each call that repeats it: keys of its messages, the last `answers` of them what the last call gave. */
interface Thread {
  keys: string[];
  answers: number;
}

/** Shorter answers may be said again by chance. */
const shortestCopy = 40;
/** Answers are handed on soon after they were given; looking for all of them would take too long in a long trace. */
const keptAnswers = 50;

/** What a message says, without where it stands; equal for a message and its repetition in a later call, which leaves reasoning out. */
function keyOf(step: StepDraft): string {
  return JSON.stringify([step.role, ...step.parts.filter((part) => part.kind !== "reasoning").map((part) => [part.kind, part.kind === "tool_result" ? "" : (part.toolName ?? ""), part.text.trim()])]);
}

/** Reads the nodes of one talk in their order. `stepOf` says which step a node made first. */
export class TraceTalk {
  readonly list = new StepList();
  readonly stepOf = new Map<TraceNode, number>();
  readonly dropped = new Map<string, number>();
  private readonly threads: Thread[] = [];
  /** Results out of tools' own records, by call id: a later history may repeat them. */
  private readonly results = new Map<string, Step>();
  private readonly said: string[] = [];
  private readonly openCalls: { id: string | undefined; name: string | undefined; answered: boolean }[] = [];

  read(node: TraceNode): void {
    this.stepOf.set(node, this.list.steps.length);
    if (node.kind === "llm") this.readCall(node);
    else if (node.kind === "tool" && node.tool) this.readTool(node);
    else this.drop(node);
  }

  drop(node: TraceNode): void {
    this.dropped.set(node.kindName, (this.dropped.get(node.kindName) ?? 0) + 1);
  }

  /** Shows a node by what went in and came out, for traces that hold no messages. */
  readPlain(node: TraceNode): void {
    this.stepOf.set(node, this.list.steps.length);
    const steps = [...this.scratch(node.input, node), ...this.scratch(node.output, node)];
    for (const step of steps) this.list.add({ ...step, name: node.name, time: node.time });
    if (steps.length === 0) this.list.add({ role: "system", parts: [], name: node.name, time: node.time, places: [node.place], extras: [{ type: node.kindName, raw: node.raw() }] });
  }

  private scratch(talk: TracedTalk | undefined, node: TraceNode): Step[] {
    const list = new StepList();
    if (talk) addMessages(list, { document: talk.document, messages: talk.messages, place: () => node.place });
    this.list.warnings.push(...list.warnings.filter((warning) => !this.list.warnings.some((known) => known.code === warning.code && known.message === warning.message)));
    return list.steps;
  }

  private readCall(node: TraceNode): void {
    const input = this.scratch(node.input, node);
    const output = this.scratch(node.output, node);
    const keys = input.map(keyOf);
    const known = this.threadFor(input, keys);
    const thread = known ?? { keys: [], answers: 0 };
    if (!known) this.threads.push(thread);
    let at = 0;
    // Answers that the history does not repeat as they were given: it tells each in other words, or leaves it out.
    let retold = thread.answers;
    input.forEach((step, i) => {
      const repeated = thread.keys.indexOf(keys[i]!, at);
      if (repeated >= 0) {
        at = repeated + 1;
        if (repeated >= thread.keys.length - thread.answers) retold--;
      } else if (!this.confirmed(step)) {
        this.append(step, step.role === "assistant" && (retold > 0 || this.repeats(step)));
        if (step.role === "assistant") retold--;
      }
    });
    for (const step of output) {
      // What a model answers is the assistant's, whatever name it goes by.
      if (step.role !== "tool") step.role = "assistant";
      this.append(Object.assign(step, definedOnly({ time: node.time })), false);
      for (const part of step.parts) if (part.kind === "text" && part.text.trim().length >= shortestCopy) this.said.push(part.text.trim());
      if (this.said.length > keptAnswers) this.said.splice(0, this.said.length - keptAnswers);
    }
    const first = this.list.steps.at(-Math.max(1, output.length));
    if (output.length > 0 && first) Object.assign(first, definedOnly({ tokens: node.tokens, model: node.model }));
    if (output.length === 0) this.unanswered(node);
    thread.keys = [...keys, ...output.map(keyOf)];
    thread.answers = output.length;
  }

  /** A call of which no answer is recorded still is a step: with its tokens, its error, or its attributes. */
  private unanswered(node: TraceNode): void {
    const extras = node.error !== undefined ? [{ type: "error", raw: JSON.stringify(node.error) }] : node.input ? [] : [{ type: "attributes", raw: node.raw() }];
    this.list.add({ role: "assistant", parts: [], extras, name: node.name, time: node.time, model: node.model, tokens: node.tokens, places: [node.place] });
    if (node.error === undefined && node.input) this.list.warn("answer-not-recorded", `Step ${this.list.steps.length - 1}: what ${node.name} answered is not recorded.`, node.place);
  }

  /** The thread whose talk goes on in `keys`: it has the same beginning, up to the first words that are not the system's. */
  private threadFor(input: readonly Step[], keys: readonly string[]): Thread | undefined {
    const first = input.findIndex((step) => step.role !== "system");
    const needed = (first < 0 ? input.length : first) + 1;
    let best: { thread: Thread; length: number } | undefined;
    for (const thread of this.threads) {
      let length = 0;
      while (length < keys.length && keys[length] === thread.keys[length]) length++;
      if (keys.length > 0 && length >= Math.min(needed, keys.length) && length >= (best?.length ?? 1)) best = { thread, length };
    }
    return best?.thread;
  }

  /** Is the message a result that the tool's own record has given already? The words that the model saw count. */
  private confirmed(step: Step): boolean {
    const result = step.parts.find((part) => part.kind === "tool_result");
    const earlier = result?.callId === undefined ? undefined : this.results.get(result.callId);
    if (!earlier) return false;
    const before = earlier.parts.map((part) => part.text).join("\n");
    const said = step.parts.map((part) => part.text).join("\n");
    if (before !== said) {
      (earlier.extras ??= []).push({ type: "output of the tool", raw: JSON.stringify(before) });
      earlier.parts = step.parts.map((part) => ({ ...part, ...(part.toolName === undefined && earlier.parts[0]?.toolName !== undefined ? { toolName: earlier.parts[0].toolName } : {}) }));
    }
    this.results.delete(result!.callId!);
    return true;
  }

  /** Does a message hold the words of an earlier answer? Frameworks hand answers on in words of their own around them. */
  private repeats(step: Step): boolean {
    return step.parts.some((part) => this.said.some((text) => part.text.includes(text)));
  }

  private append(step: Step, isCopy: boolean): void {
    const { index: _index, ...draft } = step;
    const made = this.list.add(draft);
    if (isCopy) addFlag(made, "copied_context");
    for (const part of step.parts) {
      if (part.kind === "tool_call" && !isCopy) this.openCalls.push({ id: part.callId, name: part.toolName, answered: false });
      else if (part.kind === "tool_result") this.answer(part.callId, part.toolName);
    }
  }

  private answer(id: string | undefined, name: string | undefined): { id: string | undefined } | undefined {
    const call = this.openCalls.find((one) => !one.answered && (id !== undefined && one.id !== undefined ? one.id === id : name === undefined || one.name === undefined || one.name === name));
    if (call) call.answered = true;
    return call;
  }

  /** A tool's run answers a call of the model by id, else by name; a run that nobody asked for is a call of its own. */
  private readTool(node: TraceNode): void {
    const tool = node.tool!;
    const call = this.answer(tool.callId, tool.name);
    const callId = tool.callId ?? call?.id;
    if (!call) {
      const read = callPart(tool.document, { name: tool.name, id: callId, args: argumentsOf(tool.args) });
      if (read.problem) this.list.warn("unparsed-arguments", `Step ${this.list.steps.length}: call of ${tool.name}: ${read.problem}.`, node.place);
      this.list.add({ role: "assistant", parts: [read.part], name: node.name === tool.name ? undefined : node.name, time: node.time, places: [node.place] });
    }
    const texts = tool.shown && tool.shown.length > 0 ? tool.shown : [textOf(tool.document, tool.result ?? undefined)];
    const parts = texts.map((text) => ({ kind: "tool_result" as const, text, toolName: tool.name, ...(callId === undefined ? {} : { callId }) }));
    const step = this.list.add({ role: "tool", parts: node.error === undefined ? parts : withError(parts, node.error), time: call ? node.time : undefined, places: [node.place] });
    if (callId !== undefined) this.results.set(callId, step);
  }
}

/** Plain words that a tool was given are its only argument. */
function argumentsOf(args: Json | undefined): Json | undefined {
  return typeof args === "string" && !/^\s*\{/.test(args) && args.trim() !== "" ? { input: args } : args;
}

function definedOnly<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
