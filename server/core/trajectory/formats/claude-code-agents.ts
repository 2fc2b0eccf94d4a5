/** Sub-agents of a Claude Code log: threads inside the file, and files of their own beside it, each with the call that started it. */
import { member } from "#core/json/access";
import type { LineDocuments } from "../light-text";
import { wholeRecord } from "./claude-code-light";
import { blocksOfType, isTalk, messageOf, type LogRecord } from "./claude-code-records";
import { listOf, stringOf, wordOf } from "./fields";
import type { Source } from "../reader";

/** A sub-agent's talk inside the file. `callId` is the tool call that started it, where that could be found out. */
export interface AgentThread { id: string; records: LogRecord[]; callId?: string | undefined }

/** A sub-agent whose talk is in another file. `source` is undefined when that file is not there. */
export interface AgentFile { id: string; callId?: string | undefined; source?: Source | undefined; path?: string | undefined }

/**
 * Takes the sub-agents' records out of `records`. A file that holds nothing but a sub-agent's talk is left whole: there it
 * is the conversation itself. `light` is that of the document.
 */
export function splitThreads(records: readonly LogRecord[], light?: LineDocuments): { main: LogRecord[]; threads: AgentThread[] } {
  const isSide = (record: LogRecord): boolean => isTalk(record) && (record.sidechain || streamParent(record) !== undefined);
  const talk = records.filter(isTalk);
  if (talk.every(isSide)) return { main: [...records], threads: [] };
  const threads: AgentThread[] = [];
  const byKey = new Map<string, AgentThread>();
  const byUuid = new Map<string, AgentThread>();
  for (const record of talk.filter(isSide)) {
    const key = streamParent(record) ?? wordOf(record.value["agentId"]);
    let thread = (key !== undefined ? byKey.get(key) : undefined) ?? (record.parent !== undefined ? byUuid.get(record.parent) : undefined);
    if (!thread && key === undefined && record.parent !== undefined) thread = threads.at(-1);
    if (!thread) {
      thread = { id: key ?? record.uuid ?? `agent-${threads.length + 1}`, records: [], callId: streamParent(record) };
      threads.push(thread);
    }
    if (key !== undefined) byKey.set(key, thread);
    if (record.uuid !== undefined) byUuid.set(record.uuid, thread);
    thread.records.push(record);
  }
  linkByPrompt(records, threads, light);
  return { main: records.filter((record) => !isSide(record)), threads };
}

/** The call that a record of the SDK's stream belongs to: `parent_tool_use_id`. */
function streamParent(record: LogRecord): string | undefined {
  return wordOf(record.value["parent_tool_use_id"]);
}

/** Joins threads to calls: by the agent id in a result, else where the first text of the thread is the prompt of a call. */
function linkByPrompt(records: readonly LogRecord[], threads: readonly AgentThread[], light: LineDocuments | undefined): void {
  const callByAgent = new Map(agentResults(records).map(({ agentId, callId }) => [agentId, callId]));
  const taken = new Set<string>();
  for (const thread of threads) {
    thread.callId ??= callByAgent.get(thread.id);
    if (thread.callId !== undefined) taken.add(thread.callId);
  }
  for (const thread of threads) {
    if (thread.callId !== undefined) continue;
    const prompt = thread.records[0] && firstText(wholeRecord(thread.records[0], light));
    for (const block of prompt === undefined ? [] : records.flatMap((record) => blocksOfType(record, "tool_use"))) {
      const id = wordOf(block["id"]);
      if (id === undefined || taken.has(id) || member(block["input"], "prompt") !== prompt) continue;
      taken.add(id);
      thread.callId = id;
      break;
    }
  }
}

function firstText(record: LogRecord): string | undefined {
  const message = messageOf(record);
  const content = member(message, "content");
  return stringOf(content) ?? stringOf(message) ?? listOf(content).map((block) => stringOf(block) ?? stringOf(member(block, "text"))).find((text) => text !== undefined);
}

/** Results that name a sub-agent: its id, and the call that the result answers. */
export function agentResults(records: readonly LogRecord[]): { agentId: string; callId: string | undefined; record: LogRecord }[] {
  return records.flatMap((record) => {
    const agentId = wordOf(member(record.value["toolUseResult"], "agentId"));
    if (agentId === undefined) return [];
    return [{ agentId, callId: wordOf(blocksOfType(record, "tool_result")[0]?.["tool_use_id"]), record }];
  });
}

/** The files of sub-agents that results name and that are not threads of this file. */
export function agentFiles(records: readonly LogRecord[], threads: readonly AgentThread[], source: Source): AgentFile[] {
  const known = new Set(threads.map((thread) => thread.id));
  const files: AgentFile[] = [];
  for (const { agentId, callId } of agentResults(records)) {
    if (known.has(agentId)) continue;
    known.add(agentId);
    files.push({ id: agentId, callId, ...findFile(agentId, source) });
  }
  return files;
}

function findFile(agentId: string, source: Source): Pick<AgentFile, "source" | "path"> {
  // The id becomes part of a path, so anything but a plain word is refused.
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(agentId)) return {};
  const stem = (source.path.split("/").at(-1) ?? "").replace(/\.jsonl?$/, "");
  for (const path of [`agent-${agentId}.jsonl`, `${stem}/subagents/agent-${agentId}.jsonl`, `subagents/agent-${agentId}.jsonl`, `${stem}-${agentId}.jsonl`]) {
    const found = source.sibling(path);
    if (found) return { source: found, path };
  }
  return {};
}
