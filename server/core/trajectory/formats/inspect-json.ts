/** Inspect AI logs in one JSON document: a trajectory for each sample and epoch, and for each sub-agent with a talk of its own. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { emptyTrajectory } from "./drafts";
import { listOf, stringOf, wordOf } from "./fields";
import { agentTitle, readSample, readSubAgent, sampleIdOf, sampleTitle } from "./inspect";
import { subAgents, type SubAgent } from "./inspect-agents";
import { wholeSample, type InspectSample } from "./inspect-sample";

export const inspectJson = defineFormat({
  id: "inspect-json",
  title: "Inspect AI log (JSON)",
  version: 1,
  extensions: [".json"],
  keeps: "Messages with reasoning, tool calls, results and errors, attachments put in place, scores and limits as outcome, times and tokens from events, sub-agents as child trajectories.",
  drops: "Events beyond the messages (states, sandbox calls, raw API calls), tool definitions, the store.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json") return 0;
  const value = document.json().value;
  if (isIndex(value)) return 0.9;
  const run = member(value, "eval");
  if (!isObject(run)) return 0;
  const isRun = stringOf(run["task"]) !== undefined && ("model" in run || "run_id" in run);
  return isRun && (member(value, "status") !== undefined || Array.isArray(member(value, "samples"))) ? 0.97 : 0;
}

/** An index maps the names of logs to their headers. */
function isIndex(value: Json): boolean {
  const headers = isObject(value) && !("eval" in value) ? Object.values(value) : [];
  return headers.length > 0 && headers.every((header) => isObject(member(header, "eval")) && member(header, "status") !== undefined);
}

type Entry = { head: TrajectoryHead; sample?: InspectSample; agent?: SubAgent; parentIndex?: number };

function open(document: SourceDocument): OpenedFile {
  const json = document.json();
  const entries: Entry[] = [];
  listOf(member(json.value, "samples")).forEach((value, index) => addEntries(entries, value, index, document));
  const nothing: Warning = isIndex(json.value)
    ? { code: "log-index", message: "This is an index of Inspect logs, without their samples; open the logs that it names." }
    : { code: "no-samples", message: `The log holds no samples (status: ${wordOf(member(json.value, "status")) ?? "not recorded"}).` };
  const warnings = entries.length > 0 ? [] : [nothing];
  return { heads: entries.map((entry) => entry.head), warnings, load: (index) => load(entries, index, json.value) };
}

function addEntries(entries: Entry[], value: Json, index: number, document: SourceDocument): void {
  const pointer = `/samples/${index}`;
  if (!isObject(value)) {
    entries.push({ head: { recordId: String(index), problem: { code: "bad-record", message: "A sample is no object.", pointer } } });
    return;
  }
  const sample = wholeSample(value, document.json(), { pointer }, true);
  const parentIndex = entries.length;
  entries.push({ sample, head: headOf(value, index) });
  for (const agent of subAgents(sample)) entries.push({ sample, agent, parentIndex, head: { recordId: agent.id, title: agentTitle(agent), parent: parentIndex } });
}

function headOf(value: JsonObject, index: number): TrajectoryHead {
  return { recordId: sampleIdOf(value) ?? String(index), title: sampleTitle(value), uuid: wordOf(value["uuid"]) };
}

function load(entries: readonly Entry[], index: number, header: Json): Trajectory {
  const { head, sample, agent, parentIndex } = entries[index] ?? {};
  if (!sample) return emptyTrajectory(...(head?.problem ? [head.problem] : []));
  if (!agent || parentIndex === undefined) return readSample(sample, header);
  return readSubAgent(agent, sample, load(entries, parentIndex, header));
}
