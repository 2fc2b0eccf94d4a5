/** Writes a trajectory as ATIF, so that it comes back with the same parts, the same hash and, written again, the same bytes. */
import { OrderedJson, RawJson, writeJson, type Writable } from "#core/json/write";
import { parseJson } from "#core/json/text-document";
import { extraVersion, reasoningJoint, sourceRows, type ExtraPart } from "#core/trajectory/formats/atif-extra";
import { taskOf } from "#core/trajectory/formats/step-text";
import { toolCallText, type Part, type Step, type Trajectory } from "#core/trajectory/model";

/** The version that is written: the first with lists of content parts. */
export const atifVersion = "ATIF-v1.6";

/** The file's text: two blanks of indentation, one line end at the end. Deterministic: no times, no random ids. */
export function writeAtif(trajectory: Trajectory): string {
  const rows = trajectory.metadata;
  const rowValue = (name: string) => rows.find((one) => one.name === name)?.value;
  const own = new Set<string>(Object.values(sourceRows));
  const metadata = rows.filter((one) => !own.has(one.name));
  const task = trajectory.task === taskOf(trajectory.steps) ? undefined : trajectory.task;
  const agent = trajectory.agent;
  return `${writeJson({
    schema_version: atifVersion,
    session_id: trajectory.uuid ?? trajectory.id,
    agent: { name: agent ?? "unknown", version: rowValue("agent version") ?? "unknown", model_name: trajectory.model },
    steps: groups(trajectory.steps).map((group, i) => atifStep(group, i + 1)),
    extra: {
      tracemark: {
        version: extraVersion,
        source: { id: rowValue(sourceRows.id) ?? trajectory.id, format: rowValue(sourceRows.format) ?? trajectory.format, parent: rowValue(sourceRows.parent) ?? trajectory.parentId },
        title: trajectory.title, task, agent, label: trajectory.label, label_meaning: trajectory.labelMeaning,
        outcome: trajectory.outcome as Writable | undefined, metadata: metadata.length > 0 ? metadata : undefined,
      },
    },
  }, 2)}\n`;
}

/** A step of ATIF: one leading step and the tool steps behind it. Tool steps that follow a user have no lead. */
interface Group {
  readonly lead: Step | undefined;
  readonly tools: Step[];
}

function groups(steps: readonly Step[]): Group[] {
  const found: Group[] = [];
  for (const step of steps) {
    const last = found.at(-1);
    if (step.role !== "tool") found.push({ lead: step, tools: [] });
    else if (last && last.lead?.role !== "user") last.tools.push(step);
    else found.push({ lead: undefined, tools: [step] });
  }
  return found;
}

function atifStep({ lead, tools }: Group, number: number): Writable {
  const isAgent = lead?.role === "assistant";
  const written = lead && leadFields(lead, number);
  const callIds = new Set(lead?.parts.flatMap((part) => (part.kind === "tool_call" && part.callId !== undefined ? [part.callId] : [])));
  const results = tools.map((tool) => toolFields(tool, callIds));
  return {
    step_id: number,
    timestamp: lead?.time,
    source: isAgent ? "agent" : lead?.role === "user" ? "user" : "system",
    model_name: isAgent ? lead.model : undefined,
    message: written?.message ?? "",
    reasoning_content: written?.reasoning,
    tool_calls: written && written.calls.length > 0 ? written.calls : undefined,
    observation: results.length > 0 ? { results: results.map((result) => result.result) } : undefined,
    metrics: isAgent ? metricsOf(lead) : undefined,
    is_copied_context: lead?.flags?.includes("copied_context") ? true : undefined,
    extra: { tracemark: { lead: written?.extra, tools: results.length > 0 ? results.map((result) => result.extra) : undefined } },
  };
}

interface LeadFields {
  message: Writable;
  reasoning: string | undefined;
  calls: Writable[];
  extra: Writable;
}

function leadFields(step: Step, number: number): LeadFields {
  const isAgent = step.role === "assistant";
  const texts: string[] = [];
  const reasonings: string[] = [];
  const calls: Writable[] = [];
  const parts = step.parts.map((part): Writable => {
    if (part.kind === "text" && isBare(part)) texts.push(part.text);
    else if (part.kind === "reasoning" && isAgent && isBare(part)) reasonings.push(part.text);
    else if (part.kind === "tool_call" && isAgent) return callFields(part, calls, number);
    else return inlinePart(part);
    return part.kind;
  });
  return {
    message: texts.length === 1 ? texts[0]! : texts.length === 0 ? "" : texts.map((text) => ({ type: "text", text })),
    reasoning: reasonings.length > 0 ? reasonings.join(reasoningJoint) : undefined,
    calls,
    extra: {
      parts, role: step.role === "tool" ? "tool" : undefined, reasoning_lengths: reasonings.length > 1 ? reasonings.map((text) => text.length) : undefined,
      ...besides(step), ...(isAgent ? {} : amounts(step)),
    },
  };
}

/** Has the part nothing but its text? */
function isBare(part: Part): boolean {
  return part.toolName === undefined && part.callId === undefined && part.isError === undefined && part.args === undefined;
}

/** A call in ATIF's field; what the field cannot say is returned for the list of parts. */
function callFields(part: Part, calls: Writable[], number: number): Writable {
  const args = writtenArguments(part);
  calls.push({ tool_call_id: part.callId ?? `call_${number}_${calls.length + 1}`, function_name: part.toolName ?? "unknown", arguments: args ?? {} });
  const long: Exclude<ExtraPart, string> = {
    kind: "tool_call", ...(args ? {} : { text: part.text }), ...(args || !part.args ? {} : { args: part.args }), ...(part.toolName === undefined ? { no_name: true } : {}),
    ...(part.callId === undefined ? { no_id: true } : {}), ...(part.isError === undefined ? {} : { is_error: part.isError }),
  };
  return Object.keys(long).length > 1 ? (long as Writable) : "tool_call";
}

/** The arguments as recorded: keys in order, numbers as they were written; undefined where an object cannot say them. */
function writtenArguments(part: Part): OrderedJson | undefined {
  const { args } = part;
  if (!args || toolCallText(args) !== part.text || new Set(args.map((arg) => arg.key)).size !== args.length) return undefined;
  // Recorded text that JSON itself does not know (NaN, for one) would make the file unreadable for others.
  if (args.some((arg) => arg.raw !== undefined && !isJson(arg.raw))) return undefined;
  if (args.some((arg) => arg.text === undefined && arg.raw === undefined)) return undefined;
  return new OrderedJson(args.map((arg) => [arg.key, arg.text === undefined ? new RawJson(arg.raw!) : arg.text]));
}

/** Valid JSON that is no string: a string would come back decoded. */
function isJson(raw: string): boolean {
  try {
    JSON.parse(raw);
  } catch {
    return false;
  }
  const read = parseJson(raw).document;
  return read !== undefined && typeof read.value !== "string" && raw === raw.trim();
}

function inlinePart(part: Part): Writable {
  return { kind: part.kind, inline: true, text: part.text, tool_name: part.toolName, call_id: part.callId, is_error: part.isError, args: part.args as Writable | undefined };
}

function toolFields(step: Step, callIds: ReadonlySet<string>): { result: Writable; extra: Writable } {
  const results = step.parts.filter((part) => part.kind === "tool_result" && part.args === undefined);
  const first = results[0]?.callId;
  const known = first !== undefined && callIds.has(first) && results.every((part) => part.callId === first) ? first : undefined;
  const content: Writable = results.length === 1 ? results[0]!.text : results.map((part) => ({ type: "text", text: part.text }));
  const parts = step.parts.map((part): Writable => {
    if (!results.includes(part)) return inlinePart(part);
    const long: Exclude<ExtraPart, string> = {
      kind: "tool_result", ...(part.toolName === undefined ? {} : { tool_name: part.toolName }), ...(part.callId === undefined || known !== undefined ? {} : { call_id: part.callId }),
      ...(part.isError === undefined ? {} : { is_error: part.isError }),
    };
    return Object.keys(long).length > 1 ? (long as Writable) : "tool_result";
  });
  return {
    result: { source_call_id: known, content: results.length === 0 ? "" : content },
    extra: { parts, time: step.time, ...besides(step), ...amounts(step), flags: step.flags },
  };
}

/** Members without a field in ATIF. */
function besides(step: Step) {
  const flags = step.flags?.filter((flag) => flag !== "copied_context");
  return { name: step.name, flags: flags && flags.length > 0 ? flags : undefined, extras: step.extras as Writable | undefined, reasoning_hidden: step.reasoningHidden };
}

/** Model and counts, which ATIF allows on agent steps only. */
function amounts(step: Step) {
  return { model: step.model, tokens: step.tokens as Writable | undefined, cost_usd: step.costUsd };
}

function metricsOf(step: Step): Writable | undefined {
  const { tokens, costUsd } = step;
  if (!tokens && costUsd === undefined) return undefined;
  return {
    prompt_tokens: tokens?.input, completion_tokens: tokens?.output, cached_tokens: tokens?.cachedInput, cost_usd: costUsd,
    extra: tokens?.reasoning === undefined ? undefined : { reasoning_tokens: tokens.reasoning },
  };
}
