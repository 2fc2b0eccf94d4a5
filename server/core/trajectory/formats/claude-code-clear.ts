/** `/clear` empties the model's context in the middle of a log: what follows is a conversation of its own. */
import { member } from "#core/json/access";
import { messageOf, type LogRecord } from "./claude-code-records";
import { listOf, stringOf } from "./fields";

/** A conversation of the log; `after` is the command that ended the one before it. */
export interface ClearedPart { records: LogRecord[]; after?: LogRecord | undefined }

/**
 * The conversations of `records`, in order; at least one. A command with nothing said before it, or behind it, splits
 * nothing: sessions often begin with one.
 */
export function splitAtClear(records: readonly LogRecord[]): ClearedPart[] {
  const parts: ClearedPart[] = [{ records: [] }];
  const lastReply = records.findLastIndex((record) => record.type === "assistant");
  let replied = false;
  records.forEach((record, index) => {
    parts.at(-1)!.records.push(record);
    replied ||= record.type === "assistant";
    if (!replied || index > lastReply || !isClear(record)) return;
    parts.push({ records: [], after: record });
    replied = false;
  });
  return parts;
}

function isClear(record: LogRecord): boolean {
  if (record.type !== "user") return false;
  const content = member(messageOf(record), "content");
  const text = stringOf(content) ?? listOf(content).map((block) => stringOf(member(block, "text"))).find((found) => found !== undefined);
  return text !== undefined && /^\s*<command-name>\/clear<\/command-name>/.test(text);
}
