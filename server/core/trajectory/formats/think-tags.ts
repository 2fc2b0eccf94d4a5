/** Tells reasoning that was recorded inside an assistant's text from the reply: a leading <think> or <thinking> block. */
import type { Part } from "../model";

/** Both pieces are slices of the text as recorded, tags left out. `unclosed`: the reply was cut off inside its reasoning. */
export interface ThinkSplit {
  readonly reasoning: string;
  readonly rest: string;
  readonly unclosed: boolean;
}

const opening = /^\s*<(think|thinking|reasoning)>/i;

/**
 * Splits a leading block off; undefined when the text has none. A block elsewhere may be quoted text and stays. An
 * opening tag may be missing (chat templates put it into the prompt): then a closing tag at a line's end, or on a line
 * of its own, ends the reasoning. An unclosed block is reasoning to the end.
 */
export function splitThinking(text: string): ThinkSplit | undefined {
  const opened = opening.exec(text);
  if (!opened) return splitClosingOnly(text);
  const start = opened[0].length;
  const closing = new RegExp(`</${opened[1]}>`, "i").exec(text.slice(start));
  if (!closing) return { reasoning: text.slice(start), rest: "", unclosed: true };
  const end = start + closing.index;
  return { reasoning: text.slice(start, end), rest: text.slice(end + closing[0].length), unclosed: false };
}

function splitClosingOnly(text: string): ThinkSplit | undefined {
  const closing = /<\/(think|thinking)>/i.exec(text);
  if (!closing) return undefined;
  const end = closing.index + closing[0].length;
  const before = text.slice(0, closing.index);
  if (new RegExp(`<${closing[1]}>`, "i").test(before)) return undefined;
  const alone = /(^|\n)[ \t]*$/.test(before) || /^[ \t]*(\r?\n|$)/.test(text.slice(end));
  // An odd number of fences or backticks before it: the tag is being quoted.
  const quoted = ((before.match(/```/g) ?? []).length % 2 === 1) || before.endsWith("`");
  return alone && !quoted ? { reasoning: before, rest: text.slice(end), unclosed: false } : undefined;
}

/** The parts of an assistant's text: reasoning and text, white space alone left out. An empty text gives none. */
export function assistantTextParts(text: string): Part[] {
  const split = splitThinking(text);
  if (!split) return text === "" ? [] : [{ kind: "text", text }];
  const parts: Part[] = [];
  if (split.reasoning.trim() !== "") parts.push({ kind: "reasoning", text: split.reasoning });
  if (split.rest.trim() !== "") parts.push({ kind: "text", text: split.rest });
  return parts;
}
