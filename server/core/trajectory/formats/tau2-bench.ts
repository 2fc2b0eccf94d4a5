/** tau2-bench: an agent and a simulated user who both act; all simulations in one object, or in files of their own. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type Source, type SourceDocument, type TrajectoryHead } from "../reader";
import { openDocument } from "../source-document";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { idOf, listOf, numberOf, objectOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";
import { addSimulationMessages } from "./tau2-messages";
import { addTicks } from "./tau2-ticks";

export const tau2Bench = defineFormat({
  id: "tau2-bench",
  title: "tau2-bench",
  version: 1,
  extensions: [".json"],
  keeps: "The policy as system prompt, messages and calls of both sides (the user's are marked), stretches of speech of voice runs, rewards and their checks, the user's hidden scenario as a row.",
  drops: "The providers' raw replies; silent ticks and sound effects of voice runs.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json") return 0;
  const root = document.json().value;
  if (!isObject(root)) return 0;
  if (listOf(root["simulations"]).some(isSimulation)) return 0.97;
  if (isSimulation(root)) return 0.96;
  return isExperiment(root) ? 0.95 : 0;
}

function isSimulation(value: Json | undefined): value is JsonObject {
  if (!isObject(value) || !("task_id" in value)) return false;
  const talk = Array.isArray(value["ticks"]) || Array.isArray(value["messages"]);
  return talk && ("termination_reason" in value || "reward_info" in value || "ticks" in value);
}

/** What all simulations share: the policy, the models, the tasks. */
function isExperiment(value: Json | undefined): value is JsonObject {
  return isObject(value) && isObject(memberAt(value, "info", "environment_info")) && Array.isArray(value["tasks"]);
}

/** The experiment's own words and the document they stand in; `file` is its path where that is another one than the simulation's. */
interface Experiment { readonly root: JsonObject; readonly document: JsonDocument; readonly file: string | undefined }

function open(document: SourceDocument): OpenedFile {
  const json = document.json();
  const root = objectOf(json.value) ?? {};
  const own: Experiment | undefined = isExperiment(root) ? { root, document: json, file: undefined } : undefined;
  if (Array.isArray(root["simulations"])) {
    const simulations = root["simulations"];
    const heads = simulations.map((simulation, index) => headOf(simulation, index));
    return { heads, warnings: [], load: (index) => load(simulations[index], `/simulations/${index}`, json, own, heads[index]) };
  }
  if (isSimulation(root)) {
    const { recordId: _one, ...head } = headOf(root, 0);
    return { heads: [head], warnings: [], load: () => load(root, "", json, own ?? experimentBeside(document.source), head) };
  }
  const message = "The file describes an experiment but holds no simulations: they are files of their own, mostly in the folder simulations/ beside it. Open those.";
  return { heads: [], warnings: [{ code: "no-simulations", message }], load: () => emptyTrajectory() };
}

/** The file with the policy: one folder up, or beside the simulation under the same beginning of the name. */
function experimentBeside(source: Source): Experiment | undefined {
  const name = source.path.split("/").at(-1) ?? "";
  const prefix = /^(.*?)simulations?-/.exec(name)?.[1];
  for (const path of ["../results.json", "results.json", ...(prefix ? [`${prefix}results.json`] : [])]) {
    const file = source.sibling(path);
    const json = file && openDocument(file).json();
    if (json && isExperiment(json.value)) return { root: json.value, document: json, file: file.path };
  }
  return undefined;
}

function headOf(simulation: Json, index: number): TrajectoryHead {
  if (!isObject(simulation)) return { recordId: String(index), problem: { code: "bad-record", message: `Simulation ${index} is no object.`, pointer: `/simulations/${index}` } };
  const own = idOf(simulation["id"]);
  const words = listOf(simulation["messages"]).find((message) => member(message, "role") === "user" && wordOf(member(message, "content")) !== undefined);
  return { recordId: own ?? String(index), uuid: own, title: titleFrom(stringOf(member(words, "content"))) ?? titleFrom(idOf(simulation["task_id"])) };
}

function load(simulation: Json | undefined, pointer: string, document: JsonDocument, experiment: Experiment | undefined, head: TrajectoryHead | undefined): Trajectory {
  if (!isObject(simulation)) return emptyTrajectory(...(head?.problem ? [head.problem] : []));
  const list = new StepList();
  const info = member(experiment?.root, "info");
  const policy = wordOf(memberAt(info, "environment_info", "policy"));
  const warnings: Warning[] = [];
  if (policy !== undefined) list.add({ role: "system", parts: [{ kind: "text", text: policy }], places: [{ ...(experiment?.file === undefined ? {} : { file: experiment.file }), pointer: "/info/environment_info/policy" }] });
  else warnings.push({ code: "policy-not-found", message: "The agent's policy is not in this file and no results.json with it is beside it: the system prompt is missing." });
  if (Array.isArray(simulation["ticks"])) addTicks(list, document, simulation["ticks"], `${pointer}/ticks`);
  addSimulationMessages(list, document, listOf(simulation["messages"]), `${pointer}/messages`);
  pairResults(list);
  list.warnings.unshift(...warnings);
  const text = (value: Json | undefined): string => textOf(document, value ?? undefined);
  return draftTrajectory(list, {
    title: head?.title, task: taskOf(list.steps), uuid: idOf(simulation["id"]), model: wordOf(memberAt(info, "agent_info", "llm")),
    agent: wordOf(memberAt(info, "agent_info", "implementation")), outcome: outcomeOf(simulation, text),
    metadata: [
      ...row("task", idOf(simulation["task_id"])), ...row("trial", idOf(simulation["trial"])), ...row("domain", wordOf(memberAt(info, "environment_info", "domain_name"))),
      ...row("simulated user", wordOf(memberAt(info, "user_info", "llm"))), ...row("mode", wordOf(simulation["mode"])), ...row("started", wordOf(simulation["start_time"])),
      ...row("duration in seconds", numberOf(simulation["duration"])), ...row("agent's cost (USD)", numberOf(simulation["agent_cost"])), ...row("simulated user's cost (USD)", numberOf(simulation["user_cost"])),
      ...row("the simulated user's scenario, hidden from the agent", scenarioOf(simulation, experiment)),
    ],
  });
}

/** What the simulated user was told to be and to want. */
function scenarioOf(simulation: JsonObject, experiment: Experiment | undefined): string {
  const task = listOf(member(experiment?.root, "tasks")).find((one) => idOf(member(one, "id")) === idOf(simulation["task_id"]));
  const scenario = member(task, "user_scenario");
  if (!experiment || !isObject(scenario)) return stringOf(scenario) ?? "";
  const instructions = scenario["instructions"];
  const lines = isObject(instructions) ? Object.entries(instructions) : ([["instructions", instructions ?? null]] as [string, Json][]);
  const all: [string, Json][] = [["persona", scenario["persona"] ?? null], ...lines];
  return all.flatMap(([key, value]) => (value === null ? [] : [`${key}: ${textOf(experiment.document, value).trim()}`])).join("\n");
}

/** Rewards say whether the task was done, not whether the agent behaved. Checks that were not made give no rows. */
function outcomeOf(simulation: JsonObject, text: (value: Json | undefined) => string): Outcome {
  const reward = member(simulation, "reward_info");
  const total = numberOf(member(reward, "reward"));
  const checks = ["db_check", "env_assertions", "action_checks", "nl_assertions", "communicate_checks", "reward_basis", "reward_breakdown"];
  const outcome: Outcome = {
    details: [
      ...row("reward", total),
      ...checks.flatMap((key) => (text(member(reward, key)) === "[]" ? [] : row(key.replace(/_/g, " "), text(member(reward, key))))),
      ...row("review", text(simulation["review"])), ...row("hallucination check", text(simulation["hallucination_check"])),
    ],
  };
  const status = wordOf(simulation["termination_reason"]);
  if (status !== undefined) outcome.status = status;
  if (total !== undefined) outcome.success = total === 1;
  return outcome;
}
