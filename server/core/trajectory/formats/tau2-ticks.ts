/** Voice runs of tau2-bench: ticks of a fraction of a second, in which both sides may speak and act, joined to steps. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Part } from "../model";
import { listOf, numberOf, stringOf, timeOf, wordOf } from "./fields";
import { StepList, type StepDraft } from "./step-list";
import { addSimulationMessages } from "./tau2-messages";

/** A side's speech from its first to its last tick; grows while ticks follow each other without silence. */
interface Speech {
  readonly draft: StepDraft;
  readonly from: number;
  to: number;
  texts: string[];
}

const sides = [
  { name: "user", role: "user" },
  { name: "agent", role: "assistant" },
] as const;

/**
 * Appends a step for each stretch of speech, in the order in which they begin, and for each tick with calls or results.
 * Silent ticks give none. Speech whose words are not recorded says from which tick to which it lasted.
 */
export function addTicks(list: StepList, document: JsonDocument, ticks: readonly Json[], pointer: string): void {
  const speaking = new Map<string, Speech>();
  const found: (Speech | StepDraft)[] = [];
  ticks.forEach((tick, at) => {
    if (!isObject(tick)) return;
    const place = `${pointer}/${at}`;
    for (const { name, role } of sides) {
      const chunk = tick[`${name}_chunk`];
      const aside = asideOf(chunk);
      if (aside !== undefined) found.push({ role, parts: [{ kind: "text", text: aside }], name: "aside", flags: ["meta"], time: timeOf(tick["timestamp"]), places: [{ pointer: `${place}/${name}_chunk` }] });
      const text = wordOf(member(chunk, "content")) ?? wordOf(member(chunk, "audio_script_gold"));
      if (member(chunk, "contains_speech") !== true && text === undefined) {
        speaking.delete(name);
        continue;
      }
      const number = numberOf(tick["tick_id"]) ?? at;
      const known = speaking.get(name);
      const speech: Speech = known ?? { draft: { role, parts: [], time: timeOf(tick["timestamp"]), places: [] }, from: number, to: number, texts: [] };
      if (!known) found.push(speech);
      speaking.set(name, speech);
      speech.to = number;
      speech.draft.places.push({ pointer: `${place}/${name}_chunk` });
      if (text !== undefined) speech.texts.push(text);
    }
    const acted = actionsOf(document, tick, place);
    found.push(...acted.steps);
    list.warnings.push(...acted.warnings);
  });
  const silent = found.filter((one) => "draft" in one && one.texts.length === 0).length;
  for (const one of found) list.add("draft" in one ? spoken(one) : one);
  if (silent > 0) list.warn("words-not-recorded", `${silent} stretches of speech are recorded without their words; how long they lasted is shown in their place.`, { pointer });
}

function spoken({ draft, from, to, texts }: Speech): StepDraft {
  const parts: Part[] = texts.length > 0 ? [{ kind: "text", text: texts.join("") }] : [];
  const extras = texts.length > 0 ? undefined : [{ type: "speech", raw: JSON.stringify({ first_tick: from, last_tick: to }) }];
  const [first, last] = [draft.places[0]!, draft.places.at(-1)!];
  return { ...draft, parts, extras, places: first === last ? [first] : [first, last] };
}

/** Words that somebody says to others while the call goes on. */
function asideOf(chunk: Json | undefined): string | undefined {
  const insert = member(member(chunk, "source_effects"), "speech_insert");
  return stringOf(member(insert, "text"));
}

/** Calls and results of one tick, read as messages. */
function actionsOf(document: JsonDocument, tick: JsonObject, pointer: string): StepList {
  const made = new StepList();
  for (const { name, role } of sides) {
    const calls = listOf(tick[`${name}_tool_calls`]);
    if (calls.length > 0) {
      addSimulationMessages(made, document, [{ role, content: null, tool_calls: [...calls], timestamp: tick["timestamp"] ?? null }], pointer);
      made.steps.at(-1)!.places = [{ pointer: `${pointer}/${name}_tool_calls` }];
    }
    const results = listOf(tick[`${name}_tool_results`]).map((result): Json => (isObject(result) ? { requestor: name === "user" ? "user" : "assistant", ...result, role: "tool" } : result));
    addSimulationMessages(made, document, results, `${pointer}/${name}_tool_results`);
  }
  return made;
}
