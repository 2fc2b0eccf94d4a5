// A second, deliberately simple reader of the sample files, written from the format descriptions alone,
// so that spans and pairs are not checked by the code that they are meant to test.
// A step is {role, parts}, a part {kind, text, name?}; see readSample.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unzip } from "./zip.mjs";

const text = (value) => ({ kind: "text", text: value });
const reasoning = (value) => ({ kind: "reasoning", text: value });
const call = (name, args) => ({ kind: "tool_call", name, text: callText(args) });
const result = (value) => ({ role: "tool", parts: [{ kind: "tool_result", text: value }] });

/** The text of a tool call: a line `key: value` an argument; values that are no strings as JSON. */
export function callText(args) {
  return Object.entries(args).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
}

/** Reasoning in front of an answer, as <think>…</think>; elsewhere the tags are plain text. */
function split(value) {
  const match = /^<think>([\s\S]*?)<\/think>/.exec(value);
  return match ? [reasoning(match[1]), text(value.slice(match[0].length))] : [text(value)];
}

/** Content as a string or as a list of parts of the kinds that the samples use. */
function contentParts(content, role) {
  if (typeof content === "string") return content === "" ? [] : role === "assistant" ? split(content) : [text(content)];
  return (content ?? []).map((part) => part.type === "reasoning" ? reasoning(part.reasoning) : text(part.text ?? part.content));
}

function chat(messages) {
  return messages.filter((m) => m.role !== "exit").map((m) => {
    if (m.role === "tool") return result(m.content);
    const calls = (m.tool_calls ?? []).map((c) => call(c.function.name, JSON.parse(c.function.arguments)));
    const thought = m.reasoning_content ? [reasoning(m.reasoning_content)] : [];
    return { role: m.role, parts: [...thought, ...contentParts(m.content, m.role), ...calls] };
  });
}

function inspect(sample) {
  return sample.messages.map((m) => {
    if (m.role === "tool") return result(m.content);
    return { role: m.role, parts: [...contentParts(m.content, m.role), ...(m.tool_calls ?? []).map((c) => call(c.function, c.arguments))] };
  });
}

function agentDojo(run) {
  return run.messages.map((m) => {
    const parts = contentParts(m.content, "user");
    if (m.role === "tool") return result(parts[0].text);
    return { role: m.role, parts: [...parts, ...(m.tool_calls ?? []).map((c) => call(c.function, c.args))] };
  });
}

function blocks(content) {
  if (typeof content === "string") return [text(content)];
  return content.map((b) => b.type === "thinking" ? reasoning(b.thinking) : b.type === "tool_use" ? call(b.name, b.input) : text(b.text));
}

function anthropic(file) {
  return [{ role: "system", parts: [text(file.system)] }, ...file.messages.map((m) => ({ role: m.role, parts: blocks(m.content) }))];
}

/** One step for all records of a reply (same message id); results stand in user records. */
function claudeCode(records) {
  const steps = [];
  let reply;
  for (const { type, message } of records) {
    if (type !== "user" && type !== "assistant") continue;
    if (type === "user" && Array.isArray(message.content)) {
      for (const block of message.content) steps.push(result(block.content));
    } else if (type === "assistant" && message.id === reply) steps.at(-1).parts.push(...blocks(message.content));
    else steps.push({ role: type, parts: blocks(message.content) });
    if (type === "assistant") reply = message.id;
  }
  return steps;
}

function atif(file) {
  return file.steps.flatMap((s) => {
    const parts = [
      ...(s.reasoning_content ? [reasoning(s.reasoning_content)] : []),
      ...(s.message ? [text(s.message)] : []),
      ...(s.tool_calls ?? []).map((c) => call(c.function_name, c.arguments)),
    ];
    return [{ role: s.source === "agent" ? "assistant" : s.source, parts }, ...(s.observation?.results ?? []).map((r) => result(r.content))];
  });
}

function rJudge(record) {
  const steps = [{ role: "system", parts: [text(record.profile)] }];
  for (const turn of record.contents.flat()) {
    if (turn.role === "user") steps.push({ role: "user", parts: [text(turn.content)] });
    else if (turn.role === "environment") steps.push(result(turn.content));
    else {
      const tool = /^([A-Z]\w+)(\{[\s\S]*\})$/.exec(turn.action);
      const act = tool ? { kind: "tool_call", name: tool[1], text: tool[2], loose: true } : text(turn.action);
      steps.push({ role: "assistant", parts: [...(turn.thought ? [reasoning(turn.thought)] : []), act] });
    }
  }
  return steps;
}

const singleTurn = (row) => [{ role: "user", parts: [text(row.prompt)] }, { role: "assistant", parts: split(row.response) }];

function lines(bytes) {
  return bytes.toString("utf8").split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
}

/** All records of a file, as [record id or undefined, steps]. The folder says the format. */
export function readRecords(root, path) {
  const bytes = readFileSync(join(root, path));
  const folder = path.split("/")[0];
  switch (folder) {
    case "atif": return [[undefined, atif(JSON.parse(bytes))]];
    case "swe-agent": return [[undefined, chat(JSON.parse(bytes).history)]];
    case "mini-swe-agent": return [[undefined, chat(JSON.parse(bytes).messages)]];
    case "claude-code": return [[undefined, claudeCode(lines(bytes))]];
    case "anthropic-messages": return [[undefined, anthropic(JSON.parse(bytes))]];
    case "agentdojo": return [[undefined, agentDojo(JSON.parse(bytes))]];
    case "openai-chat": return lines(bytes).map((r) => [r.id, chat(r.messages)]);
    case "single-turn": return lines(bytes).map((r) => [r.id, singleTurn(r)]);
    case "r-judge": return JSON.parse(bytes).map((r) => [r.id, rJudge(r)]);
    case "inspect-json": return JSON.parse(bytes).samples.map((s) => [`${s.id}/${s.epoch}`, inspect(s)]);
    case "inspect-eval": return unzip(bytes).filter(([name]) => name.startsWith("samples/")).map(([, data]) => JSON.parse(data)).map((s) => [`${s.id}/${s.epoch}`, inspect(s)]);
    default: throw new Error(`${path}: no reader for the folder ${folder}`);
  }
}

/** Steps of one manifest record; a numeric `record` is an index, a string an id. Throws with a sentence when it is not there. */
export function readSample(root, sample) {
  if (sample.messages) return chat(sample.messages);
  const records = readRecords(root, sample.path);
  const { record } = sample;
  const found = record === undefined ? records[0] : typeof record === "number" ? records[record] : records.find(([id]) => id === record);
  if (!found) throw new Error(`${sample.path} has no record ${record}`);
  if (record === undefined && records.length > 1) throw new Error(`${sample.path} holds ${records.length} records; the sample must say which`);
  return found[1];
}

/** The part that a span names, or undefined. */
export function partOf(steps, span) {
  return steps[span.step]?.parts.filter((part) => part.kind === span.part)[span.part_index];
}
