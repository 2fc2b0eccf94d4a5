/** Old Anthropic prompts, one text with `\n\nHuman:` and `\n\nAssistant:` turns, as messages. */
import type { Place } from "../model";
import { pairResults, StepList } from "./step-list";

const turn = /\n\n(Human|Assistant):/g;

/** True for a text in the old prompt form: it has a human turn, and an assistant turn behind it. */
export function isOldPrompt(text: string | undefined): text is string {
  if (text === undefined) return false;
  const human = text.indexOf("\n\nHuman:");
  return human >= 0 && text.indexOf("\n\nAssistant:", human) >= 0;
}

/**
 * Splits `prompt` into turns and adds `completion` as the assistant's last one. What stands before the first turn is the
 * system prompt. One blank after the colon belongs to the mark, the rest to the text.
 */
export function readOldPrompt(prompt: string, completion: string | undefined, place: Place, pointer: string): StepList {
  const list = new StepList();
  const marks = [...prompt.matchAll(turn)];
  const where: Place = { ...place, pointer: `${place.pointer ?? ""}${pointer}` };
  const add = (role: "system" | "user" | "assistant", text: string, at: Place): void => {
    if (text !== "") list.add({ role, parts: [{ kind: "text", text }], places: [at] });
  };
  add("system", prompt.slice(0, marks[0]?.index ?? prompt.length).trim(), where);
  marks.forEach((mark, index) => {
    const text = prompt.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? prompt.length).replace(/^ /, "");
    add(mark[1] === "Human" ? "user" : "assistant", text, where);
  });
  if (completion !== undefined) add("assistant", completion.replace(/^ /, ""), { ...place, pointer: `${place.pointer ?? ""}/completion` });
  pairResults(list);
  return list;
}
