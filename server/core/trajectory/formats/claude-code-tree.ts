/** Which records of an append-only Claude Code log are the conversation that stood, and which belong to abandoned branches. */
import { blocksOfType, isTalk, messageIdOf, type LogRecord } from "./claude-code-records";
import { wordOf } from "./fields";
import type { Warning } from "../model";

/** A branch that a rewind or a retry left behind; `after` is the last record it shares with the conversation. */
export interface AbandonedBranch { records: LogRecord[]; after?: LogRecord | undefined }

export interface TreeRead {
  /** In file order. */
  main: LogRecord[];
  branches: AbandonedBranch[];
  warnings: Warning[];
}

/**
 * Walks `parentUuid` from the newest record of the talk to the root; the other records are abandoned branches. Falls back to
 * file order, and says why, where the chain is absent, broken at a compaction, circular, or leaves out most records.
 */
export function readTree(records: readonly LogRecord[]): TreeRead {
  const talk = records.filter((record) => record.uuid !== undefined);
  const all = (warnings: Warning[]): TreeRead => ({ main: [...records], branches: [], warnings });
  if (talk.length === 0) return all([]);
  const tree = new Tree(records);
  const walk = tree.walk();
  if (typeof walk === "string") return all([fileOrder(walk)]);
  const included = tree.close(walk);
  const said = talk.filter(isTalk);
  const left = said.filter((record) => !included.has(record));
  if (left.length > said.length - left.length) {
    return all([fileOrder(`the path from the newest record leaves out ${left.length} of ${said.length} records`)]);
  }
  const main = records.filter((record) => included.has(record) || !isTalk(record) || record.uuid === undefined);
  return { main, branches: tree.branches(left, included), warnings: tree.warnings };
}

function fileOrder(reason: string): Warning {
  return { code: "file-order", message: `Records are shown in file order, because ${reason}.` };
}

class Tree {
  readonly warnings: Warning[] = [];
  private readonly byUuid = new Map<string, LogRecord>();
  private readonly children = new Map<LogRecord, LogRecord[]>();
  private readonly parents = new Map<LogRecord, LogRecord>();
  private readonly brokenAt = new Set<LogRecord>();

  constructor(private readonly records: readonly LogRecord[]) {
    for (const record of records) if (record.uuid !== undefined && !this.byUuid.has(record.uuid)) this.byUuid.set(record.uuid, record);
    let previous: LogRecord | undefined;
    for (const record of records) {
      const parent = this.parentOf(record, previous);
      if (parent && parent !== record) {
        this.parents.set(record, parent);
        const list = this.children.get(parent);
        if (list) list.push(record);
        else this.children.set(parent, [record]);
      }
      if (isTalk(record)) previous = record;
    }
  }

  private parentOf(record: LogRecord, previous: LogRecord | undefined): LogRecord | undefined {
    const isSummary = record.value["isCompactSummary"] === true;
    if (record.parent === undefined) return isSummary ? previous : undefined;
    const parent = this.byUuid.get(record.parent);
    if (parent || !isTalk(record)) return parent;
    if (record.value["subtype"] === "compact_boundary") this.brokenAt.add(record);
    else if (previous) {
      this.warnings.push({
        ...record.place, code: "missing-parent", message: `The record before this one (${record.parent}) is not in the file; it was joined to the record above it.`,
      });
    }
    return previous;
  }

  /** The path from the newest user or assistant record to the root, or the reason why there is none. */
  walk(): LogRecord[] | string {
    if (this.parents.size === 0 && this.records.filter(isTalk).length > 1) return "no record names the one before it";
    const newest = [...this.records].reverse().find((record) => record.uuid !== undefined && (record.type === "user" || record.type === "assistant"));
    if (!newest) return "no user or assistant record has an id";
    const path: LogRecord[] = [];
    const seen = new Set<LogRecord>();
    for (let record: LogRecord | undefined = newest; record; record = this.parents.get(record)) {
      if (seen.has(record)) return `the chain of records is circular at ${record.uuid ?? "a record without id"}`;
      seen.add(record);
      path.push(record);
    }
    return path.some((record) => this.brokenAt.has(record)) ? "the record before a compaction is not in the file" : path;
  }

  /**
   * The path together with what belongs to it although the walk passes by: records of the same reply, results of its calls,
   * repeated records, system notes, and replies that only a system record stands beside.
   */
  close(path: readonly LogRecord[]): Set<LogRecord> {
    const included = new Set<LogRecord>();
    const replies = new Set<string>();
    const calls = new Set<string>();
    const uuids = new Set<string>();
    const queue: { record: LogRecord; whole: boolean }[] = path.map((record) => ({ record, whole: false }));
    const onPath = new Set(path);
    for (const record of path) note(record, replies, calls, uuids);
    for (let next = queue.pop(); next; next = queue.pop()) {
      included.add(next.record);
      note(next.record, replies, calls, uuids);
      const children = this.children.get(next.record) ?? [];
      const besideSystem = children.some((child) => onPath.has(child) && child.type === "system");
      for (const child of children) {
        if (included.has(child) || onPath.has(child)) continue;
        const whole = next.whole || (besideSystem && child.type === "assistant");
        if (whole || belongs(child, replies, calls, uuids)) queue.push({ record: child, whole });
      }
    }
    for (const record of this.records) if (record.uuid !== undefined && uuids.has(record.uuid)) included.add(record);
    return included;
  }

  branches(left: readonly LogRecord[], included: ReadonlySet<LogRecord>): AbandonedBranch[] {
    const branchOf = new Map<LogRecord, AbandonedBranch>();
    const branches: AbandonedBranch[] = [];
    for (const record of left) {
      const parent = this.talkParent(record);
      const known = parent && branchOf.get(parent);
      const branch = known ?? { records: [], after: parent && included.has(parent) ? parent : undefined };
      if (!known) branches.push(branch);
      branch.records.push(record);
      branchOf.set(record, branch);
    }
    return branches;
  }

  /** The nearest ancestor that is part of the talk, past bookkeeping records. */
  private talkParent(record: LogRecord): LogRecord | undefined {
    const seen = new Set<LogRecord>([record]);
    let parent = this.parents.get(record);
    while (parent && !isTalk(parent) && !seen.has(parent)) {
      seen.add(parent);
      parent = this.parents.get(parent);
    }
    return parent;
  }
}

function note(record: LogRecord, replies: Set<string>, calls: Set<string>, uuids: Set<string>): void {
  if (record.uuid !== undefined) uuids.add(record.uuid);
  const reply = messageIdOf(record);
  if (reply) replies.add(reply);
  for (const block of blocksOfType(record, "tool_use")) {
    const id = wordOf(block["id"]);
    if (id) calls.add(id);
  }
}

function belongs(record: LogRecord, replies: ReadonlySet<string>, calls: ReadonlySet<string>, uuids: ReadonlySet<string>): boolean {
  if (record.type === "system" || !isTalk(record)) return true;
  if (record.uuid !== undefined && uuids.has(record.uuid)) return true;
  const reply = messageIdOf(record);
  if (reply !== undefined) return replies.has(reply);
  return record.type === "user" && blocksOfType(record, "tool_result").some((block) => calls.has(wordOf(block["tool_use_id"]) ?? ""));
}
