/** Run folders of WebArena-Verified: the browser's network log, the agent's final answer, and the verdict; also any HAR log. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type Source, type SourceDocument } from "../reader";
import { openDocument } from "../source-document";
import { draftTrajectory } from "./drafts";
import { idOf, listOf, numberOf, objectOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { addHarEntries, isHarEntry } from "./har-steps";
import { StepList } from "./step-list";

export const webArena = defineFormat({
  id: "webarena",
  title: "WebArena-Verified run folder, HAR",
  version: 1,
  extensions: [".json", ".har"],
  keeps: "Requests as calls with their results, the agent's final answer, what the evaluators say of it against what the agent claims.",
  drops: "Requests that only load files of pages (counted), headers, cookies, timings.",
  sniff,
  open,
});

/** The three files of a run folder, by what is in them. */
type FileKind = "network.har" | "agent_response.json" | "eval_result.json";

function sniff(document: SourceDocument): number {
  return document.kind === "json" && kindOf(document.json().value) !== undefined ? 0.95 : 0;
}

function kindOf(root: Json | undefined): FileKind | undefined {
  if (!isObject(root)) return undefined;
  if (listOf(memberAt(root, "log", "entries")).slice(0, 20).some(isHarEntry)) return "network.har";
  if ("task_type" in root && "retrieved_data" in root && typeof root["status"] === "string") return "agent_response.json";
  return Array.isArray(root["evaluators_results"]) ? "eval_result.json" : undefined;
}

interface RunFile { readonly root: JsonObject; readonly document: JsonDocument; readonly path: string | undefined }

function open(document: SourceDocument): OpenedFile {
  const json = document.json();
  const kind = kindOf(json.value);
  const root = objectOf(json.value) ?? {};
  const file = (wanted: FileKind): RunFile | undefined => (wanted === kind ? { root, document: json, path: undefined } : beside(document.source, kind, wanted));
  const load = (): Trajectory => loadRun(kind, file);
  return { heads: [{ title: titleOf(root, kind) }], warnings: [], load };
}

/** Another file of the same run: its name begins as the own one does before the part that all runs share. */
function beside(source: Source, own: FileKind | undefined, wanted: FileKind): RunFile | undefined {
  const name = source.path.split("/").at(-1) ?? "";
  const prefix = own !== undefined && name.endsWith(own) ? name.slice(0, -own.length) : "";
  const found = source.sibling(prefix + wanted);
  const document = found && openDocument(found).json();
  return document && isObject(document.value) && kindOf(document.value) === wanted ? { root: document.value, document, path: found.path } : undefined;
}

function titleOf(root: JsonObject, kind: FileKind | undefined): string | undefined {
  if (kind === "eval_result.json") return titleFrom(["Task", idOf(root["task_id"]) ?? "", ...listOf(root["sites"]).flatMap((site) => stringOf(site) ?? [])].join(" "));
  if (kind === "agent_response.json") return titleFrom(`Answer: ${stringOf(root["task_type"]) ?? ""} ${stringOf(root["status"]) ?? ""}`);
  const page = listOf(memberAt(root, "log", "entries")).find((entry) => /html/.test(stringOf(memberAt(entry, "response", "content", "mimeType")) ?? ""));
  return titleFrom(stringOf(memberAt(page, "request", "url")) ?? stringOf(memberAt(listOf(memberAt(root, "log", "entries"))[0], "request", "url")));
}

function loadRun(kind: FileKind | undefined, file: (wanted: FileKind) => RunFile | undefined): Trajectory {
  const list = new StepList();
  const answer = file("agent_response.json");
  const verdict = file("eval_result.json");
  const log = kind === "network.har" ? file("network.har") : undefined;
  if (log) addHarEntries(list, log.document, listOf(memberAt(log.root, "log", "entries")), "/log/entries");
  const said = answer ? textOf(answer.document, answer.root) : verdictAnswer(verdict);
  // A log alone is any browser's: it need not end with an answer.
  if (said !== undefined) list.add({ role: "assistant", parts: [{ kind: "text", text: said }], name: "final answer", places: [answer ? { ...(answer.path === undefined ? {} : { file: answer.path }), pointer: "" } : { pointer: "/evaluators_results" }] });
  if (kind === "agent_response.json") list.warn("answer-only", "The file holds the agent's final answer alone; what the browser did is in network.har beside it.");
  if (kind === "eval_result.json") list.warn("verdict-only", "The file holds the verdict on a run; what the browser did is in network.har beside it.");
  const harLog = member(log?.root, "log");
  const named = (value: Json | undefined): string => [wordOf(member(value, "name")), wordOf(member(value, "version"))].filter((word) => word !== undefined).join(" ");
  return draftTrajectory(list, {
    title: verdict ? titleOf(verdict.root, "eval_result.json") : log ? titleOf(log.root, "network.har") : answer && titleOf(answer.root, "agent_response.json"), outcome: outcomeOf(answer, verdict),
    metadata: [
      ...row("task", idOf(member(verdict?.root, "task_id"))), ...row("sites", listOf(member(verdict?.root, "sites")).flatMap((site) => stringOf(site) ?? []).join(", ")),
      ...row("recorded by", named(member(harLog, "creator"))), ...row("browser", named(member(harLog, "browser"))), ...row("requests", log && listOf(memberAt(log.root, "log", "entries")).length),
      ...row("version of the benchmark", wordOf(member(verdict?.root, "webarena_verified_version"))),
    ],
  });
}

/** The answer as the first evaluator saw it. */
function verdictAnswer(verdict: RunFile | undefined): string | undefined {
  return listOf(member(verdict?.root, "evaluators_results")).map((one) => wordOf(member(one, "actual"))).find((text) => text !== undefined);
}

/** The verdict says whether the task was done, not whether the agent behaved; a claim that it does not bear out is a row of its own. */
function outcomeOf(answer: RunFile | undefined, verdict: RunFile | undefined): Outcome | undefined {
  const claimed = wordOf(answer?.root["status"]);
  const judged = wordOf(verdict?.root["status"]);
  const outcome: Outcome = {};
  const details = [
    ...row("claimed by the agent", claimed), ...row("judged by the evaluators", judged), ...row("score", numberOf(verdict?.root["score"])),
    ...(claimed !== undefined && judged !== undefined && claimed.toLowerCase() !== judged.toLowerCase() ? row("claim and verdict differ", `the agent says ${claimed}, the evaluators say ${judged}`) : []),
    ...listOf(verdict?.root["evaluators_results"]).flatMap((one) => evaluatorRows(verdict!, one)),
  ];
  if (details.length > 0) outcome.details = details;
  const status = judged ?? claimed;
  if (status !== undefined) outcome.status = status;
  if (judged !== undefined) outcome.success = judged.toLowerCase() === "success";
  const error = answer?.root["error_details"];
  if (error !== undefined && error !== null) outcome.error = textOf(answer!.document, error);
  return Object.keys(outcome).length > 0 ? outcome : undefined;
}

function evaluatorRows(verdict: RunFile, result: Json): Trajectory["metadata"] {
  const name = wordOf(member(result, "evaluator_name")) ?? "evaluator";
  const said = listOf(member(result, "assertions")).flatMap((one) => [wordOf(member(one, "assertion_name")) ?? "", ...listOf(member(one, "assertion_msgs")).flatMap((text) => stringOf(text) ?? [])].filter((text) => text !== ""));
  const expected = member(result, "expected");
  return [
    ...row(name, [`${wordOf(member(result, "status")) ?? ""} ${numberOf(member(result, "score")) ?? ""}`.trim(), ...said, ...(wordOf(member(result, "error_msg")) ? [String(member(result, "error_msg"))] : [])].join("\n")),
    ...row(`${name} expected`, expected === undefined || expected === null ? "" : textOf(verdict.document, expected)),
  ];
}
