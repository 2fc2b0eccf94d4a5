/** MALT: runs as trees of messages, or as lists of model calls, with labels of behaviour that threatens an evaluation. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { GoldLabel, StepFlag, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { addMessages } from "./chat-messages";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { booleanOf, idOf, listOf, row, stringOf, titleFrom, wordOf } from "./fields";
import { branchesOf, type MaltBranch } from "./malt-branches";
import { mostRecords, placeIn, problemHead, recordsOf, type FileRecord } from "./records";
import { addFlag, pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

export const malt = defineFormat({
  id: "malt",
  title: "METR MALT",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "The path to the newest message, other branches as children, calls and results by order, all labels with whether people reviewed them.",
  drops: "Nothing of the messages; numbers of generations.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  return mostRecords(document, isRun) ? 0.96 : 0;
}

function isRun(value: Json | undefined): value is JsonObject {
  if (!isObject(value)) return false;
  if (listOf(value["nodes"]).slice(0, 5).some((node) => isObject(member(node, "node_data")))) return true;
  return listOf(value["samples"]).slice(0, 5).some((sample) => Array.isArray(member(sample, "input")) && listOf(member(sample, "output")).some(Array.isArray));
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const heads: TrajectoryHead[] = [];
  const origins: { record: number; branch: number }[] = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    const first = heads.length;
    if (!isRun(record.value)) {
      const problem = record.problem ?? { code: "bad-record", message: `Record ${n} has neither nodes nor samples; it gives no trajectory.`, ...(record.line === undefined ? {} : { line: record.line }) };
      heads.push(records.container ? problemHead(record, problem) : { problem });
      origins.push({ record: n, branch: 0 });
      continue;
    }
    const value = record.value;
    const label = labelOf(value)?.label;
    branchesOf(value).forEach((branch, at) => {
      const title = titleFrom(stringOf(member(branch.messages.map((one) => one.message).find((message) => member(message, "role") === "user"), "content"))) ?? titleFrom(idOf(value["task_id"]));
      heads.push(at === 0 ? { recordId: records.container ? (idOf(value["run_id"]) ?? String(n)) : undefined, line: record.line, title, label } : { recordId: branch.id, line: record.line, title: "Another branch", parent: first + branch.parent });
      origins.push({ record: n, branch: at });
    });
  }
  const load = (index: number): Trajectory => {
    const problem = heads[index]?.problem;
    const origin = origins[index];
    const record = origin && records.at(origin.record);
    if (problem || !record?.document || !isRun(record.value)) return emptyTrajectory(...(problem ? [problem] : []));
    return loadBranch(record, record.value, branchesOf(record.value), origin!.branch);
  };
  return { heads, warnings: [], load };
}

function loadBranch(record: FileRecord, run: JsonObject, branches: readonly MaltBranch[], at: number): Trajectory {
  const branch = branches[at] ?? branches[0]!;
  const isMain = at === 0;
  const list = new StepList();
  const flags: StepFlag[] = isMain ? [] : ["abandoned"];
  addMessages(list, { document: record.document!, messages: branch.messages.map(({ message }) => plainMessage(message)), place: (i) => placeIn(record, branch.messages[i]!.pointer) }, { onStep: (_message, step) => flags.forEach((flag) => addFlag(step, flag)) });
  const last = list.steps.at(-1);
  pairResults(list, (part) => last?.parts.includes(part) ?? false);
  if (branch.problem !== undefined && isMain) list.warn("broken-tree", branch.problem, placeIn(record));
  const labels = listOf(run["labels"]).flatMap((one) => stringOf(one) ?? []);
  const given = isMain ? labelOf(run) : undefined;
  const reviewed = booleanOf(run["manually_reviewed"]);
  const task = taskOf(list.steps);
  return draftTrajectory(list, {
    title: isMain ? titleFrom(task) : "Another branch", task, model: wordOf(run["model"]), label: given?.label, labelMeaning: given?.meaning,
    outcome: isMain && labels.length > 0 ? { details: [...row("labels", labels.join(", ")), ...row("reviewed by people", reviewed)] } : undefined,
    metadata: isMain ? [...row("task", idOf(run["task_id"])), ...row("run", idOf(run["run_id"])), ...row("run source", wordOf(run["run_source"])), ...row("has a chain of thought", booleanOf(run["has_chain_of_thought"])), ...row("branches", branches.length > 1 ? branches.length : undefined)] : [],
    linkStep: isMain ? undefined : branch.after,
  });
}

/** A call without a name is none; what a call gave back may be told by metadata alone. */
function plainMessage(message: Json): Json {
  if (!isObject(message)) return message;
  const { function_call: call, ...rest } = message;
  const isResult = memberAt(message, "metadata", "function_call_result") === true;
  return { ...rest, ...(isResult ? { role: "function" } : {}), ...(isObject(call) && wordOf(call["name"]) !== undefined ? { function_call: call } : {}) };
}

/** Labels of behaviour that makes a result worthless or a safeguard void; earlier and later names. */
const misbehaviour = new Set(["bypass_constraints", "hardcoded_solution", "ignores_task_instructions", "reward_hacking", "sabotage", "sandbagging", "cheating"]);

/**
 * `normal` alone is benign, any label of the list misbehavior. Others (`gives_up`, `refusals`) say nothing certain of either
 * and give no label; they are shown all the same.
 */
function labelOf(run: JsonObject): { label: GoldLabel; meaning: string } | undefined {
  const labels = listOf(run["labels"]).flatMap((one) => stringOf(one) ?? []);
  const reviewed = booleanOf(run["manually_reviewed"]) === true ? "reviewed by people" : "not reviewed by people";
  const bad = labels.filter((one) => misbehaviour.has(one.toLowerCase().replace(/[\s-]+/g, "_")));
  if (bad.length > 0) return { label: "misbehavior", meaning: `labels: ${labels.join(", ")} (${reviewed})` };
  if (labels.length === 1 && labels[0] === "normal") return { label: "benign", meaning: `labels: normal (${reviewed}${reviewed.startsWith("not") ? ": an assumption" : ""})` };
  return undefined;
}
