/** tau-bench: runs of a customer service agent against a simulated customer, one object or many in a list. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Outcome, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { addMessages } from "./chat-messages";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { idOf, listOf, numberOf, row, stringOf, textOf, titleFrom } from "./fields";
import { mostRecords, placeIn, problemHead, recordsOf, type FileRecord } from "./records";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

export const tauBench = defineFormat({
  id: "tau-bench",
  title: "tau-bench",
  version: 1,
  extensions: [".json"],
  keeps: "Messages, calls and results (paired by order, since ids repeat), the reward, the simulated customer's instruction and the expected actions as rows.",
  drops: "Nothing.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  return mostRecords(document, isRun, 20) ? 0.96 : 0;
}

function isRun(value: Json | undefined): value is JsonObject {
  return isObject(value) && Array.isArray(value["traj"]) && "reward" in value;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const heads: TrajectoryHead[] = [];
  for (let index = 0; index < records.count; index++) heads.push(headOf(records.at(index)!, records.container));
  return { heads, warnings: [], load: (index) => load(records.at(index), heads[index]) };
}

function headOf(record: FileRecord, isMany: boolean): TrajectoryHead {
  const { value, line } = record;
  if (!isObject(value) || !Array.isArray(value["traj"])) {
    const problem: Warning = record.problem ?? { code: "bad-record", message: `Record ${record.index} has no list of messages under \`traj\`.`, ...(line === undefined ? {} : { line }) };
    return isMany ? problemHead(record, problem) : { problem };
  }
  const [task, trial] = [idOf(value["task_id"]), idOf(value["trial"])];
  const own = task === undefined ? String(record.index) : trial === undefined ? task : `${task}/${trial}`;
  return { recordId: isMany ? own : undefined, line, title: titleFrom(firstWords(value)) };
}

function firstWords(run: JsonObject): string | undefined {
  return stringOf(member(listOf(run["traj"]).find((message) => member(message, "role") === "user"), "content"));
}

function load(record: FileRecord | undefined, head: TrajectoryHead | undefined): Trajectory {
  if (!record?.document || !isObject(record.value) || head?.problem) return emptyTrajectory(...(head?.problem ? [head.problem] : []));
  const list = new StepList();
  const { value, document } = record;
  addMessages(list, { document, messages: listOf(value["traj"]), place: (i) => placeIn(record, `/traj/${i}`) });
  pairResults(list);
  if (list.steps.length === 0) list.warn("no-talk", "The run has no messages; see its error.", placeIn(record, "/traj"));
  const info = member(value, "info");
  const text = (...keys: string[]): string => textOf(document, memberAt(info, ...keys) ?? undefined);
  return draftTrajectory(list, {
    title: head?.title, task: taskOf(list.steps), outcome: outcomeOf(value, text),
    metadata: [
      ...row("task", idOf(value["task_id"])), ...row("trial", idOf(value["trial"])),
      // The agent never saw it: it is what the simulated customer was told to want.
      ...row("the simulated user's instruction, hidden from the agent", text("task", "instruction")),
      ...row("simulated user", text("task", "user_id")), ...row("cost of the simulated user (USD)", text("user_cost")),
    ],
  });
}

/** The reward is 1 for success and 0 for failure: whether the task was done, not whether the agent behaved. */
function outcomeOf(run: JsonObject, text: (...keys: string[]) => string): Outcome {
  const reward = numberOf(run["reward"]);
  const outcome: Outcome = {
    details: [
      ...row("reward", reward), ...row("reward by actions", text("reward_info", "info", "r_actions")), ...row("reward by outputs", text("reward_info", "info", "r_outputs")),
      ...row("expected actions", text("task", "actions")), ...row("expected outputs", text("task", "outputs") === "[]" ? "" : text("task", "outputs")),
    ],
  };
  if (reward !== undefined) outcome.success = reward === 1;
  const error = [text("error"), text("traceback")].filter((part) => part !== "").join("\n");
  if (error !== "") outcome.error = error;
  return outcome;
}
