/** Monitors of a workspace, what they would see, and running one on the open trajectory. */
import { kindOf, monitorAndMembers, runsUntrusted } from "#core/monitors/index";
import { runHeader, runMonitor as judgeTrajectory } from "#core/monitors/run-monitor";
import type { Monitor, MonitorContext, PromptPreview } from "#core/monitors/define";
import type { Trajectory } from "#core/trajectory/model";
import { aloneProblem, monitorInfo } from "#node/monitors";
import { programPort } from "#node/monitors/program";
import { pastPrompt } from "#node/past-prompt";
import { previewOrSentence } from "#node/preview";
import { contextFor } from "#node/run-plan";
import { recordedVerdicts, withExamples } from "#node/run-prepare";
import { sha256 } from "#node/sha256";
import { clientRequests, type RequestResult } from "#protocol/lsp";
import { limitsOf } from "../batches";
import type { ServerState } from "../state";
import { defineHandler, ExpectedError } from "./define";

export const monitors = defineHandler("tracemark/monitors", async (state, { root }) => {
  const { monitors: found, loaded, warnings } = await state.workspaces.monitorsOf(root);
  const off = (monitor: Monitor): string | undefined => (state.settings.trusted || runsUntrusted(monitor) ? undefined : "it is off until the workspace is trusted");
  return { monitors: found.map((monitor) => monitorInfo(monitor, loaded.brokenById.get(monitor.id) ?? off(monitor))), warnings: [...warnings] };
});

/** The monitor, able to run. */
async function monitorOf(state: ServerState, root: string | undefined, id: string): Promise<Monitor> {
  const { monitors: found, loaded } = await state.workspaces.monitorsOf(root);
  const monitor = found.find((candidate) => candidate.id === id);
  if (!monitor) throw new ExpectedError(`There is no monitor "${id}" in this workspace; choose another one.`);
  const problem = loaded.brokenById.get(id) ?? kindOf(monitor).problem(monitor) ?? aloneProblem(monitor);
  if (problem) throw new ExpectedError(`Monitor "${id}": ${problem}.`);
  return monitor;
}

/** The context of one trajectory: as in a run over many that is asked for no prompting, so that the monitor is shown the same. */
async function contextOf(state: ServerState, root: string | undefined, monitor: Monitor, signal: AbortSignal): Promise<MonitorContext> {
  const { guidelines } = (await state.workspaces.monitorsOf(root)).loaded;
  const context = contextFor(monitor, await state.workspaces.settingsOf(root), guidelines, { reasoning: state.settings.includeReasoning });
  const members = monitorAndMembers(monitor);
  const ways: MonitorContext = {
    ...context, ...(state.settings.trusted && root !== undefined ? { programs: programPort({ root, signal }) } : {}),
    model: {
      complete: async (call) => {
        const request = clientRequests["tracemark/complete"].params.parse({ ...call, params: { ...call.params }, ...limitsOf(members, call.monitor) });
        const answer = await state.ask("tracemark/complete", request, signal);
        return clientRequests["tracemark/complete"].result.parse(answer);
      },
    },
  };
  if (root === undefined) return ways;
  const { workspace } = await state.workspaces.of(root);
  return { ...(await withExamples(ways, workspace, members)), ...(await recordedVerdicts(workspace, members)) };
}

export const preview = defineHandler("tracemark/preview", async (state, { document, index, monitor: id, run }, signal) => {
  const { trajectory, contentSha256 } = await state.files.trajectory(document, index);
  if (run !== undefined) return previewOfRun(state, document.root, run, trajectory, contentSha256);
  const monitor = await monitorOf(state, document.root, id);
  const context = await contextOf(state, document.root, monitor, signal);
  const shown = previewOrSentence(() => kindOf(monitor).preview?.(monitor, trajectory, context), "change the monitor, or choose another one");
  if (!shown) throw new ExpectedError(`Monitor "${id}" reads the trajectory itself; it has no prompt.`);
  const { origin } = monitorInfo(monitor);
  return { ...wire(shown), notes: [], ...(origin === undefined ? {} : { origin }) };
});

async function previewOfRun(state: ServerState, root: string | undefined, runId: string, trajectory: Trajectory, contentSha256: string): Promise<RequestResult<"tracemark/preview">> {
  if (root === undefined) throw new ExpectedError("A file without a folder has no runs.");
  const { workspace } = await state.workspaces.of(root);
  const foundOn = async (sampleId: string) => (await state.workspaces.verdictsOf(root, sampleId)).findLast((one) => one.run.run_id === runId);
  const found = await foundOn(trajectory.id);
  if (!found) throw new ExpectedError(`The run ${runId} holds no verdict on this sample any more.`);
  const { monitors, loaded } = await state.workspaces.monitorsOf(root);
  const { preview: shown, notes } = await pastPrompt({ workspace, loaded: { ...loaded, monitors }, trajectory, contentSha256, version: state.version, verdictOn: async (id) => (await foundOn(id))?.verdict }, found.run, found.verdict);
  const { raw, thinking } = found.verdict as { raw?: unknown; thinking?: unknown };
  return {
    ...wire(shown), notes, ...(found.run.endpoint_origin === undefined ? {} : { origin: found.run.endpoint_origin }),
    ...(raw === undefined ? {} : { answer: typeof raw === "string" ? raw : JSON.stringify(raw, null, 2) }), ...(typeof thinking === "string" ? { thinking } : {}),
  };
}

function wire({ system, user, further, tokens }: PromptPreview): Pick<RequestResult<"tracemark/preview">, "system" | "user" | "further" | "tokens"> {
  return { system, user, tokens, ...(further ? { further: [...further] } : {}) };
}

export const runMonitor = defineHandler("tracemark/runMonitor", async (state, { document, index, monitor: id, token }, signal) => {
  const monitor = await monitorOf(state, document.root, id);
  if (!state.settings.trusted && !runsUntrusted(monitor)) throw new ExpectedError("The workspace is not trusted: only rules and recorded verdicts run.");
  if (kindOf(monitor).kind === "recorded") throw new ExpectedError(`"${id}" holds verdicts that were recorded elsewhere. They are shown as they are, and not made again.`);
  const read = await state.files.trajectory(document, index);
  if (token !== undefined) state.progress(token, `${id} reads ${read.trajectory.steps.length} steps`);
  const context = await contextOf(state, document.root, monitor, signal);
  const verdict = await judgeTrajectory(monitor, read.trajectory, context, {
    sampleId: read.trajectory.id, contentSha256: read.contentSha256, createdAt: new Date().toISOString(),
  });
  if (signal.aborted || verdict.reason === "cancelled") throw new ExpectedError("Cancelled; nothing was recorded.");
  const { origin } = monitorInfo(monitor);
  const { header, prompt } = runHeader(monitor, context, {
    runId: "", createdAt: new Date().toISOString(), version: state.version, endpointOrigin: origin,
    // Runs made by hand are asked for nothing beforehand, so that no sample counts as missing.
    samples: { count: 0, sha256: sha256("[]"), filter: "editor" },
  });
  const runs = await state.workspaces.runsFolder(document.root);
  if (!runs) return { run: { ...header, run_id: "editor" }, verdict: { ...verdict, not_recorded: true } };
  const run = await state.runs.append(runs, header, prompt, verdict);
  return { run, verdict };
});
