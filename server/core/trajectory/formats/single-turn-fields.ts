/** Which members of a record are the prompt, the reply, the reasoning: by name, whatever the case, from a short list. */
import { isObject } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { GoldLabel } from "../model";
import { isMessageList } from "./chat-talks";

const promptNames = ["prompt", "question", "instruction", "query", "problem", "task", "user", "input"];
const replyNames = ["response", "completion", "output", "answer", "generation", "model_output", "assistant", "text"];
const reasoningNames = ["reasoning", "cot", "thinking", "chain_of_thought", "scratchpad"];
const systemNames = ["system", "system_prompt", "system_message"];
const contextNames = ["input", "context", "passage"];
/** Names that mean many things: on their own they make a weak case. */
const weakNames = new Set(["task", "user", "input", "text", "assistant"]);

const pairNames: readonly { names: readonly [string, string]; labels?: readonly [GoldLabel, GoldLabel]; preference?: readonly [string, string] }[] = [
  { names: ["benign", "misbehaving"], labels: ["benign", "misbehavior"] },
  { names: ["benign", "misbehavior"], labels: ["benign", "misbehavior"] },
  { names: ["benign_response", "misbehaving_response"], labels: ["benign", "misbehavior"] },
  { names: ["chosen", "rejected"], preference: ["chosen", "rejected"] },
  { names: ["response_a", "response_b"] },
];

/** One member of a record: its recorded name and its value. */
export interface Field {
  readonly key: string;
  readonly value: Json;
}

/** One trajectory that a record gives. `key` is set where it gives several. */
export interface Exchange {
  readonly key?: string | undefined;
  readonly system?: Field | undefined;
  readonly prompt?: Field | undefined;
  /** Joined to the prompt with a blank line. */
  readonly context?: Field | undefined;
  readonly reply?: Field | undefined;
  readonly reasoning?: Field | undefined;
  /** Earlier exchanges, and lists of turns. */
  readonly history?: Field | undefined;
  readonly label?: GoldLabel | undefined;
  readonly preference?: string | undefined;
  readonly pointer?: string | undefined;
}

export interface FieldsRead {
  readonly exchanges: readonly Exchange[];
  /** Members that were used, so that they are no facts. */
  readonly used: ReadonlySet<string>;
  /** Are the names unmistakable? */
  readonly strong: boolean;
  /** The prompt was joined from two members whose relation the names do not tell. */
  readonly joined: boolean;
}

/** Reads a record's fields; undefined when it has no prompt or no reply. */
export function readFields(record: Json | undefined): FieldsRead | undefined {
  if (!isObject(record)) return undefined;
  const find = finder(record);
  const prompt = find(promptNames, isPrompt);
  const pair = pairOf(find);
  const turns = find(["turns"], isTexts);
  const choices = answerTurns(record);
  if (!prompt && turns) return turnsOnly(record, turns, choices);
  if (!prompt && choices.length > 0) return { exchanges: choices, used: new Set(["choices"]), strong: true, joined: false };
  const reply = pair ? undefined : find(replyNames.filter((name) => name !== prompt?.key.toLowerCase()), isReply);
  if (!prompt || (!reply && !pair)) return pair && !prompt ? build(record, find, {}, pair) : undefined;
  return build(record, find, { prompt, reply }, pair);
}

type Find = (names: readonly string[], fits: (value: Json) => boolean) => Field | undefined;

function finder(record: JsonObject): Find {
  const names = new Map(Object.keys(record).map((key) => [key.toLowerCase(), key]));
  return (wanted, fits) => {
    for (const name of wanted) {
      const key = names.get(name);
      if (key !== undefined && fits(record[key]!)) return { key, value: record[key]! };
    }
    return undefined;
  };
}

const isText = (value: Json): boolean => typeof value === "string";
const isTexts = (value: Json): value is string[] => Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
const isPrompt = (value: Json): boolean => (typeof value === "string" && value !== "") || isTexts(value) || isMessageList(value);
const isReply = (value: Json): boolean => typeof value === "string" || isTexts(value) || isMessageList(value);

interface Pair {
  readonly fields: readonly [Field, Field];
  readonly labels?: readonly [GoldLabel, GoldLabel] | undefined;
  readonly preference?: readonly [string, string] | undefined;
}

function pairOf(find: Find): Pair | undefined {
  for (const { names, labels, preference } of pairNames) {
    const first = find([names[0]], isReply);
    const second = find([names[1]], isReply);
    if (first && second) return { fields: [first, second], labels, preference };
  }
  return undefined;
}

function build(record: JsonObject, find: Find, main: { prompt?: Field; reply?: Field | undefined }, pair: Pair | undefined): FieldsRead {
  const system = find(systemNames, isText);
  const reasoning = find(reasoningNames, isText);
  const history = find(["history"], (value) => Array.isArray(value) && value.every((turn) => isTexts(turn) && turn.length === 2));
  const context = find(contextNames.filter((name) => name !== main.prompt?.key.toLowerCase()), (value) => typeof value === "string" && value !== "");
  const fields = [system, reasoning, history, context, main.prompt, main.reply, ...(pair?.fields ?? [])];
  const used = new Set(fields.flatMap((field) => (field ? [field.key] : [])));
  // An empty input beside an instruction is no fact either.
  for (const key of Object.keys(record)) if (contextNames.includes(key.toLowerCase()) && record[key] === "") used.add(key);
  const common: Exchange = { system, prompt: main.prompt, context, history };
  const weak = [main.prompt, main.reply].filter((field) => field && weakNames.has(field.key.toLowerCase())).length;
  return {
    exchanges: pair ? pair.fields.map((reply, i) => ({ ...common, reply, key: reply.key, label: pair.labels?.[i], preference: pair.preference?.[i] })) : single(common, main.reply, reasoning),
    used, strong: main.prompt !== undefined && weak === 0, joined: context !== undefined && main.prompt?.key.toLowerCase() !== "instruction",
  };
}

/** A list of replies to one prompt is several trajectories; to a list of prompts of the same length it is one talk. */
function single(common: Exchange, reply: Field | undefined, reasoning: Field | undefined): Exchange[] {
  if (!reply || !isTexts(reply.value) || (isTexts(common.prompt?.value ?? null) && (common.prompt!.value as Json[]).length === reply.value.length)) return [{ ...common, reply, reasoning }];
  return reply.value.map((value, i) => ({ ...common, reasoning, reply: { key: `${reply.key}/${i}`, value }, key: String(i) }));
}

/** `turns` of user texts (MT-bench questions), maybe with replies beside them. */
function turnsOnly(record: JsonObject, turns: Field, choices: readonly Exchange[]): FieldsRead {
  const exchanges = choices.length > 0 ? choices.map((choice) => ({ ...choice, prompt: turns })) : [{ prompt: turns }];
  return { exchanges, used: new Set(["turns", "choices"]), strong: "question_id" in record || choices.length > 0, joined: false };
}

/** `choices[].turns`: replies whose prompts are elsewhere. */
function answerTurns(record: JsonObject): Exchange[] {
  const choices = Array.isArray(record["choices"]) ? record["choices"] : [];
  const found = choices.flatMap((choice, i): Exchange[] => (isObject(choice) && isTexts(choice["turns"] ?? null) ? [{ reply: { key: `choices/${i}/turns`, value: choice["turns"]! }, key: String(i) }] : []));
  return found.length === 1 ? [{ ...found[0], key: undefined }] : found;
}
