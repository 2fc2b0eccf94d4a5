/** What a Claude Code log says of itself: title, session, program, result; as rows for people. */
import { member } from "#core/json/access";
import type { Outcome, Trajectory } from "../model";
import { isTalk, messageOf, type LogRecord } from "./claude-code-records";
import { booleanOf, numberOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";

type Rows = Trajectory["metadata"];

/** The title that a person or the program gave: a custom one, else a generated one, else a summary that belongs to this file. */
export function recordedTitle(records: readonly LogRecord[]): string | undefined {
  const last = (type: string, ...keys: string[]): string | undefined => {
    const record = records.filter((candidate) => candidate.type === type).at(-1);
    return keys.map((key) => wordOf(record?.value[key])).find((text) => text !== undefined);
  };
  const uuids = new Set(records.map((record) => record.uuid));
  const own = records.filter((record) => record.type === "summary" && uuids.has(wordOf(record.value["leafUuid"]))).at(-1);
  const title = last("custom-title", "customTitle", "title") ?? last("ai-title", "aiTitle", "title") ?? wordOf(own?.value["summary"]) ?? last("summary", "summary");
  return titleFrom(title);
}

/** A title from the assignment: its first line, or the command where a slash command began the session. */
export function titleFromTask(task: string | undefined): string | undefined {
  const command = task?.startsWith("<command-") ? /<command-name>([^<]+)<\/command-name>/.exec(task)?.[1] : undefined;
  const args = command === undefined ? undefined : /<command-args>([^<]+)<\/command-args>/.exec(task ?? "")?.[1];
  return titleFrom(command === undefined ? task : `${command} ${args ?? ""}`);
}

/** Session, folder, branch, version. */
export function factRows(records: readonly LogRecord[]): Rows {
  const first = (...keys: string[]): string | undefined => {
    for (const record of records) for (const key of keys) if (wordOf(record.value[key])) return wordOf(record.value[key]);
    return undefined;
  };
  return [
    ...row("session", first("sessionId", "session_id")),
    ...row("folder", first("cwd")),
    ...row("git branch", first("gitBranch")),
    ...row("Claude Code version", first("version", "claude_code_version")),
    ...row("permission mode", first("permissionMode")),
  ];
}

/** The bookkeeping records that made no steps, counted by type. */
export function droppedRows(dropped: ReadonlyMap<string, number>): Rows {
  return row("records without steps", [...dropped].map(([type, count]) => `${type} × ${count}`).join(", "));
}

/** The model that answers, from the replies themselves. */
export function modelOf(records: readonly LogRecord[]): string | undefined {
  const models = new Set<string>();
  for (const record of records.filter(isTalk)) {
    const model = record.type === "assistant" ? wordOf(member(messageOf(record), "model")) : undefined;
    if (model && model !== "<synthetic>") models.add(model);
  }
  return models.size > 0 ? [...models].join(", ") : undefined;
}

/** What the stream's last `result` record says of the run; session files hold none. */
export function outcomeOf(record: LogRecord | undefined): Outcome | undefined {
  if (!record) return undefined;
  const { value, document } = record;
  const outcome: Outcome = {};
  const status = wordOf(value["subtype"]);
  const failed = booleanOf(value["is_error"]) === true;
  const result = stringOf(value["result"]);
  if (status) outcome.status = status;
  if (failed) outcome.error = result || status || "error";
  else if (result) outcome.submission = result;
  const details = [
    ...row("cost in USD", numberOf(value["total_cost_usd"])),
    ...row("turns", numberOf(value["num_turns"])),
    ...row("duration in ms", numberOf(value["duration_ms"])),
    ...row("permission denials", Array.isArray(value["permission_denials"]) && value["permission_denials"].length > 0 ? textOf(document, value["permission_denials"]) : undefined),
  ];
  if (details.length > 0) outcome.details = details;
  return outcome;
}
