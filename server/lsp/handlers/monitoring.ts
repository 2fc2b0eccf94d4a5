/** Monitors of a workspace, what they would see, and running one on the open trajectory. */
import { kindOf, runsUntrusted } from "#core/monitors/index";
import { runHeader, runMonitor as judgeTrajectory } from "#core/monitors/run-monitor";
import type { Monitor, MonitorContext } from "#core/monitors/define";
import type { Prompting } from "#core/workspace/schemas";
import { aloneProblem, monitorInfo } from "#node/monitors";
import { programPort } from "#node/monitors/program";
import { sha256 } from "#node/sha256";
import { clientRequests } from "#protocol/lsp";
import type { ServerState } from "../state";
import { defineHandler, ExpectedError } from "./define";

export const monitors = defineHandler("tracemark/monitors", async (state, { root }) => {
  const { monitors: found, loaded, warnings } = await state.workspaces.monitorsOf(root);
  const off = (monitor: Monitor): string | undefined => (state.settings.trusted || runsUntrusted(monitor) ? undefined : "it is off until the workspace is trusted");
  return { monitors: found.map((monitor) => monitorInfo(monitor, loaded.brokenById.get(monitor.id) ?? off(monitor))), warnings: [...warnings] };
});

async function monitorOf(state: ServerState, root: string | undefined, id: string): Promise<Monitor> {
  const { monitors: found, loaded } = await state.workspaces.monitorsOf(root);
  const monitor = found.find((candidate) => candidate.id === id);
  if (!monitor) throw new ExpectedError(`There is no monitor "${id}" in this workspace; choose another one.`);
  const problem = loaded.brokenById.get(id) ?? kindOf(monitor).problem(monitor) ?? aloneProblem(monitor);
  if (problem) throw new ExpectedError(`Monitor "${id}": ${problem}.`);
  return monitor;
}

async function contextOf(state: ServerState, root: string | undefined, prompting: Prompting | undefined, signal: AbortSignal): Promise<MonitorContext> {
  const { taxonomy } = await state.workspaces.settingsOf(root);
  const { guidelines } = (await state.workspaces.monitorsOf(root)).loaded;
  return {
    sha256, now: () => performance.now(), prompting, taxonomy, guidelines, reasoning: state.settings.includeReasoning,
    ...(state.settings.trusted && root !== undefined ? { programs: programPort({ root, signal }) } : {}),
    model: {
      complete: async (call) => {
        const request = clientRequests["tracemark/complete"].params.parse({ ...call, params: { ...call.params } });
        const answer = await state.ask("tracemark/complete", request, signal);
        return clientRequests["tracemark/complete"].result.parse(answer);
      },
    },
  };
}

export const preview = defineHandler("tracemark/preview", async (state, { document, index, monitor: id, prompting }, signal) => {
  const monitor = await monitorOf(state, document.root, id);
  const context = await contextOf(state, document.root, prompting, signal);
  const { trajectory } = await state.files.trajectory(document, index);
  const shown = kindOf(monitor).preview?.(monitor, trajectory, context);
  if (!shown) throw new ExpectedError(`Monitor "${id}" reads the trajectory itself; it has no prompt.`);
  const { origin } = monitorInfo(monitor);
  return { system: shown.system, user: shown.user, tokens: shown.tokens, ...(origin === undefined ? {} : { origin }) };
});

export const runMonitor = defineHandler("tracemark/runMonitor", async (state, { document, index, monitor: id, prompting, token }, signal) => {
  const monitor = await monitorOf(state, document.root, id);
  if (!state.settings.trusted && !runsUntrusted(monitor)) throw new ExpectedError("The workspace is not trusted: only rules and recorded verdicts run.");
  if (kindOf(monitor).kind === "recorded") throw new ExpectedError(`"${id}" holds verdicts that were recorded elsewhere. They are shown as they are, and not made again.`);
  const read = await state.files.trajectory(document, index);
  if (token !== undefined) state.progress(token, `${id} reads ${read.trajectory.steps.length} steps`);
  const context = await contextOf(state, document.root, prompting, signal);
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
