/** OpenAI Codex CLI: rollout files of every version, and the event stream of `codex exec --json`. */
import { isObject, member } from "#core/json/access";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { isExecLine, openExec } from "./codex-exec";
import { CodexLog, type RecordRange } from "./codex-log";
import { isBareHeader, isBareLine, isRolloutLine } from "./codex-records";
import { codexSteps } from "./codex-steps";
import { requestOf } from "./codex-turns";
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
  const values = Array.isArray(value) ? value.slice(0, 20) : document.kind === "json" ? [value] : document.firstLines(20).map((line) => line.json?.value);
  if (values.some(isRolloutLine)) return 0.97;
  if (values.some(isExecLine)) return 0.95;
  return isBareHeader(values[0]) && values.slice(1).some(isBareLine) ? 0.9 : 0;
}

/** A part of the file that is read by itself: the talk that stood, or turns that were rolled back (`from` is their first line). */
interface Thread { readonly ranges: readonly RecordRange[]; readonly from?: number | undefined }

function open(document: SourceDocument): OpenedFile {
  const first = document.kind === "json" ? document.json().value : document.firstLines(20).find((line) => isExecLine(line.json?.value))?.json?.value;
  if (isExecLine(Array.isArray(first) ? first[0] : first)) return openExec(document);
  const log = new CodexLog(document);
  const { light } = document;
  const warnings = [...log.warnings];
  const threads = splitRollbacks(log);
  const whole = [{ from: 0, to: log.length }];
  const isTalk = (at: number) => log.nameOf(at).kind === "response_item" || log.nameOf(at).kind === "event_msg";
  if (!log.find(whole, isTalk)) warnings.push({ code: "no-talk", message: "The rollout holds no item and no event." });
  const heads = threads.map((thread, index): TrajectoryHead => {
    const first = thread.ranges[0];
    const line = first && log.lineOf(first.from);
    if (index > 0) return { recordId: `rolled-back-${index}`, title: "Rolled back turns", line, parent: 0 };
    return { title: titleFrom(taskIn(log, thread.ranges, light)), line, uuid: sessionId(log, whole) };
  });
  let main: Trajectory | undefined;
  const loadMain = () => (main ??= loadThread(log, threads[0]!, undefined, light, warnings));
  const load = (index: number): Trajectory => {
    const thread = threads[index];
    return index === 0 ? loadMain() : thread ? loadThread(log, thread, loadMain, light, []) : emptyTrajectory();
  };
  return { heads, warnings: [], load };
}

/** Cuts out the turns that a roll-back took back; the last user turns before it, as many as it says. */
function splitRollbacks(log: CodexLog): Thread[] {
  const main: RecordRange[] = [];
  const back: Thread[] = [];
  /** Records of `main` in which a person speaks. */
  const starts: number[] = [];
  let from = 0;
  for (let at = 0; at < log.length; at++) {
    const { kind, type } = log.nameOf(at);
    if (kind === "event_msg" && type === "thread_rolled_back" && starts.length > 0) {
      const count = Math.trunc(numberOf(log.record(at).payload["num_turns"]) ?? 1);
      if (count <= 0) continue;
      if (from < at) main.push({ from, to: at });
      from = at;
      const cut = cutFrom(main, starts.splice(-count)[0]!);
      back.push({ ranges: cut, from: log.lineOf(cut[0]!.from) });
    } else if (log.isTurn(at)) starts.push(at);
  }
  if (from < log.length) main.push({ from, to: log.length });
  return [{ ranges: main }, ...back];
}

/** Takes from the end of `ranges` what stands at record `at` and behind it. */
function cutFrom(ranges: RecordRange[], at: number): RecordRange[] {
  const cut: RecordRange[] = [];
  for (let last = ranges.at(-1); last && last.to > at; last = ranges.at(-1)) {
    ranges.pop();
    cut.unshift({ from: Math.max(last.from, at), to: last.to });
    if (last.from < at) ranges.push({ from: last.from, to: at });
  }
  return cut;
}

function sessionId(log: CodexLog, ranges: readonly RecordRange[]): string | undefined {
  return wordOf(log.find(ranges, (at) => log.nameOf(at).kind === "session_meta")?.payload["id"]);
}

/** The first request of a person, without what the editor put around it. */
function taskIn(log: CodexLog, ranges: readonly RecordRange[], light: SourceDocument["light"]): string | undefined {
  for (const { from, to } of ranges) {
    for (let at = from; at < to; at++) {
      if (!log.isTurn(at)) continue;
      const { list } = codexSteps(log, [{ from: at, to: at + 1 }], [], light);
      const text = stepText(list.steps.find((step) => step.role === "user"));
      return text === undefined ? undefined : (requestOf(text) ?? text);
    }
  }
  return undefined;
}

function loadThread(log: CodexLog, thread: Thread, parent: (() => Trajectory) | undefined, light: SourceDocument["light"], warnings: readonly Warning[]): Trajectory {
  const { list, models, dropped } = codexSteps(log, thread.ranges, parent ? ["abandoned"] : [], light);
  list.warnings.unshift(...warnings);
  const task = taskIn(log, thread.ranges, light);
  const counted = [...dropped].map(([name, count]) => `${name} × ${count}`).join(", ");
  return draftTrajectory(list, {
    title: parent ? "Rolled back turns" : titleFrom(task), task, agent: "Codex", model: models.length > 0 ? models.join(", ") : undefined, uuid: parent ? undefined : sessionId(log, thread.ranges),
    metadata: [...sessionRows(log, thread.ranges), ...row("records without steps", counted)],
    linkStep: parent && thread.from !== undefined ? parent().steps.filter((step) => (step.places.at(-1)?.line ?? Infinity) < thread.from!).at(-1)?.index : undefined,
  });
}

function sessionRows(log: CodexLog, ranges: readonly RecordRange[]): Trajectory["metadata"] {
  const session = log.find(ranges, (at) => log.nameOf(at).kind === "session_meta");
  const turn = log.find(ranges, (at) => log.nameOf(at).kind === "turn_context")?.payload;
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
