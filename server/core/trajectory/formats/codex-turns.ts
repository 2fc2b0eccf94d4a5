/** Where a person speaks in a Codex rollout, and where the program speaks in a person's place. */
import { itemTexts, type CodexRecord } from "./codex-records";

/** Texts that the program puts into the user's place. */
const programText = /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|collaboration_mode|turn_aborted|skill|subagent_notification|user_shell_command)\b|# AGENTS\.md instructions)/;
const ideContext = /^\s*# Context from my IDE setup:/;
const ideRequest = /## My request for Codex:[ \t]*\n?/;

/** The request itself where the editor wrapped its context around it; undefined where a text is the program's own. */
export function requestOf(text: string): string | undefined {
  if (programText.test(text)) return undefined;
  if (!ideContext.test(text)) return text;
  const found = ideRequest.exec(text);
  return found ? text.slice(found.index + found[0].length) : undefined;
}

/** True for a message item in which a person speaks. */
export function isUserMessage(record: CodexRecord): boolean {
  const isMessage = record.kind === "response_item" && (record.type === "message" || record.type === undefined) && record.payload["role"] === "user";
  if (!isMessage) return false;
  const texts = itemTexts(record);
  return texts.length === 0 || texts.some((text) => requestOf(text) !== undefined);
}
