/** OpenAI Codex CLI: rollout files of every version, and the event stream of `codex exec --json`. */
import { isObject, member } from "#core/json/access";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { isExecLine, openExec } from "./codex-exec";
import { codexRecords, isBareHeader, isBareLine, isRolloutLine, twinEvents, type CodexRecord } from "./codex-records";
import { codexSteps, isUserTurn, requestOf } from "./codex-steps";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { numberOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { stepText } from "./step-text";

export const codex = defineFormat({
  id: "codex",
  title: "OpenAI Codex CLI",
  version: 1,
  extensions: [".jsonl"],
  keeps: "Replies of reasoning, text and calls; results out of their JSON wrapping, exit codes as errors; tokens of each request, model, compactions; turns that were rolled back as child trajectories.",
  drops: "Events that repeat an item (paired one to one), progress and approval events (counted), encrypted reasoning (marked as hidden).",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "jsonl" && document.kind !== "json") return 0;
  const value = document.kind === "json" ? document.json().value : undefined;
  const values = Array.isArray(value) ? value.slice(0, 20) : document.kind === "json" ? [value] : document.lines(20).map((line) => line.json?.value);
  if (values.some(isRolloutLine)) return 0.97;
  if (values.some(isExecLine)) return 0.95;
  return isBareHeader(values[0]) && values.slice(1).some(isBareLine) ? 0.9 : 0;
}

/** A part of the file that is read by itself: the talk that stood, or turns that were rolled back. */
interface Thread { records: readonly CodexRecord[]; from?: number | undefined }

/** What is known of all records: the events that repeat an item, and the records in which a person speaks. */
interface Known { readonly twins: ReadonlySet<CodexRecord>; readonly turns: ReadonlySet<CodexRecord>; readonly light: SourceDocument["light"] }

function open(document: SourceDocument): OpenedFile {
  const first = document.kind === "json" ? document.json().value : document.lines(20).find((line) => isExecLine(line.json?.value))?.json?.value;
  if (isExecLine(Array.isArray(first) ? first[0] : first)) return openExec(document);
  const { records, warnings } = codexRecords(document);
  const twins = twinEvents(records, document.light);
  const turns = new Set(records.filter((record) => isUserTurn(record, twins, document.light)));
  const threads = splitRollbacks(records, turns);
  if (!records.some((record) => record.kind === "response_item" || record.kind === "event_msg")) warnings.push({ code: "no-talk", message: "The rollout holds no item and no event." });
  const heads = threads.map((thread, index): TrajectoryHead => {
    const line = thread.records[0]?.place.line;
    if (index > 0) return { recordId: `rolled-back-${index}`, title: "Rolled back turns", line, parent: 0 };
    return { title: titleFrom(taskIn(thread.records, turns, document.light)), line, uuid: sessionId(records) };
  });
  let main: Trajectory | undefined;
  const loadMain = () => (main ??= loadThread(threads[0]!, undefined, { twins, turns, light: document.light }, warnings));
  const load = (index: number): Trajectory => {
    const thread = threads[index];
    return index === 0 ? loadMain() : thread ? loadThread(thread, loadMain, { twins, turns, light: document.light }, []) : emptyTrajectory();
  };
  return { heads, warnings: [], load };
}

/** Cuts out the turns that a roll-back took back; the last user turns before it, as many as it says. */
function splitRollbacks(records: readonly CodexRecord[], turns: ReadonlySet<CodexRecord>): Thread[] {
  const main: CodexRecord[] = [];
  const back: Thread[] = [];
  /** Where in `main` a person speaks. */
  const starts: number[] = [];
  for (const record of records) {
    if (record.kind === "event_msg" && record.type === "thread_rolled_back" && starts.length > 0) {
      const count = Math.trunc(numberOf(record.payload["num_turns"]) ?? 1);
      const cut = count > 0 ? main.splice(starts.splice(-count)[0]!) : [];
      if (cut.length > 0) back.push({ records: cut, from: cut[0]!.place.line });
    } else if (turns.has(record)) starts.push(main.length);
    main.push(record);
  }
  return [{ records: main }, ...back];
}

function sessionId(records: readonly CodexRecord[]): string | undefined {
  return wordOf(records.find((record) => record.kind === "session_meta")?.payload["id"]);
}

/** The first request of a person, without what the editor put around it. */
function taskIn(records: readonly CodexRecord[], turns: ReadonlySet<CodexRecord>, light: SourceDocument["light"]): string | undefined {
  const first = records.find((record) => turns.has(record));
  const { list } = codexSteps(first ? [first] : [], new Set(), [], light);
  const text = stepText(list.steps.find((step) => step.role === "user"));
  return text === undefined ? undefined : (requestOf(text) ?? text);
}

function loadThread(thread: Thread, parent: (() => Trajectory) | undefined, { twins, turns, light }: Known, warnings: readonly Warning[]): Trajectory {
  const { list, models, dropped } = codexSteps(thread.records, twins, parent ? ["abandoned"] : [], light);
  list.warnings.unshift(...warnings);
  const task = taskIn(thread.records, turns, light);
  const counted = [...dropped].map(([name, count]) => `${name} × ${count}`).join(", ");
  return draftTrajectory(list, {
    title: parent ? "Rolled back turns" : titleFrom(task), task, agent: "Codex", model: models.length > 0 ? models.join(", ") : undefined, uuid: parent ? undefined : sessionId(thread.records),
    metadata: [...sessionRows(thread.records), ...row("records without steps", counted)],
    linkStep: parent && thread.from !== undefined ? parent().steps.filter((step) => (step.places.at(-1)?.line ?? Infinity) < thread.from!).at(-1)?.index : undefined,
  });
}

function sessionRows(records: readonly CodexRecord[]): Trajectory["metadata"] {
  const session = records.find((record) => record.kind === "session_meta");
  const turn = records.find((record) => record.kind === "turn_context")?.payload;
  const meta = session?.payload;
  const git = member(meta, "git");
  const source = meta?.["source"];
  const sandbox = member(turn, "sandbox_policy");
  return [
    ...row("session", wordOf(meta?.["id"])), ...row("started", wordOf(meta?.["timestamp"])), ...row("folder", wordOf(meta?.["cwd"])),
    ...row("git branch", wordOf(member(git, "branch"))), ...row("git commit", wordOf(member(git, "commit_hash"))),
    ...row("Codex version", wordOf(meta?.["cli_version"])), ...row("started by", wordOf(meta?.["originator"])), ...row("provider", wordOf(meta?.["model_provider"])),
    ...row("source", source === undefined || !session ? undefined : textOf(session.document, source)), ...row("forked from", wordOf(meta?.["forked_from_id"])),
    ...row("approval", wordOf(member(turn, "approval_policy"))), ...row("sandbox", isObject(sandbox) ? (stringOf(sandbox["mode"]) ?? stringOf(sandbox["type"])) : stringOf(sandbox)),
    ...row("reasoning effort", wordOf(member(turn, "effort"))),
  ];
}
