/** What the monitor of a recorded run was sent about a sample, made anew from the run's header and the prompt kept beside it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pairPreview } from "#core/monitors/contrastive";
import type { Monitor, PromptPreview } from "#core/monitors/define";
import { kindOf, monitorAndMembers } from "#core/monitors/index";
import type { Trajectory } from "#core/trajectory/model";
import type { MonitorConfig, RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { ExpectedFailure } from "./expected-failure";
import type { LoadedMonitors } from "./monitors";
import { contextFor } from "./run-plan";
import { withExamples } from "./run-prepare";
import { sha256 } from "./sha256";
import type { Workspace } from "./workspace";

export interface PastPlace {
  readonly workspace: Workspace;
  readonly loaded: LoadedMonitors;
  readonly trajectory: Trajectory;
  /** Hash of the trajectory as it is now. */
  readonly contentSha256: string;
}

/**
 * The messages of that time. `notes` are sentences about what has changed since, so that they cannot be vouched for: they are
 * empty where what is shown is what was sent. Throws an `ExpectedFailure` where the monitor was sent no text.
 */
export async function pastPrompt({ workspace, loaded, trajectory, contentSha256 }: PastPlace, header: RunHeader, verdict: VerdictRecord): Promise<{ preview: PromptPreview; notes: string[] }> {
  const today = loaded.monitors.find(({ id }) => id === header.monitor);
  const template = await readFile(join(workspace.runsFolder, "prompts", `${header.prompt_sha256}.txt`), "utf8").catch(() => undefined);
  const kind = header.kind as MonitorConfig["kind"];
  const { provider, model, examples } = header as { provider?: MonitorConfig["provider"]; model?: string; examples?: MonitorConfig["examples"] & { sha256?: string } };
  const monitor: Monitor = kind === "vote" && today?.kind === "vote" ? today : {
    ...today, id: header.monitor, kind, ...(kind === "llm" ? { template } : {}),
    // Which reasoning was shown stands in the run, whatever the monitor says today.
    config: { ...today?.config, kind, provider, model, params: header.params, prompting: header.prompting, examples, reasoning: true },
  };
  const { preview } = kindOf(monitor);
  if (!preview) throw new ExpectedFailure(`the monitor ${header.monitor} of the run reads the trajectory itself; it was sent no text`, "look at its verdict");
  const seed = typeof header["seed"] === "number" ? header["seed"] : undefined;
  const context = await withExamples(contextFor(monitor, workspace.settings, loaded.guidelines, { prompting: header.prompting, reasoning: header.view.reasoning, seed }), workspace, monitorAndMembers(monitor));
  const hash = (text: string | undefined): string | undefined => (text === undefined ? undefined : sha256(text));
  const changed: [boolean, string][] = [
    [verdict.content_sha256 !== undefined && verdict.content_sha256 !== contentSha256, "the log has changed since it was judged"],
    [template === undefined && kind === "llm", "the prompt of the run is not in runs/prompts any more; this is the monitor's prompt of today"],
    [hash(context.guidelines) !== header.guideline_sha256, "the guidelines have changed since the run"],
    [header.taxonomy_sha256 !== undefined && header.taxonomy_sha256 !== hash(JSON.stringify(context.taxonomy)), "the taxonomy has changed since the run"],
    [kind !== "llm" && header.prompt_sha256 !== hash(kindOf(monitor).promptText(monitor, header.prompting)), "the settings of the monitor have changed since the run"],
    [examples?.sha256 !== context.examplesSha256?.(monitor), "the labelled examples have changed since the run"],
  ];
  const shown = header.prompting === "contrastive" && kind === "llm" ? pairPreview([trajectory, await otherHalf(workspace, verdict)], context) : previewOrSentence(() => preview(monitor, trajectory, context));
  const segments = Array.isArray(verdict["segments"]) ? verdict["segments"].length : 1;
  if (kind === "llm" && segments !== shown.requests) changed.push([true, `the run cut the transcript into ${segments} segments, not ${shown.requests}`]);
  return { preview: shown, notes: changed.flatMap(([is, words]) => (is ? [words] : [])) };
}

async function otherHalf(workspace: Workspace, verdict: VerdictRecord): Promise<Trajectory> {
  const id = String(verdict["compared_with"]);
  const sample = workspace.sample(id);
  if (!sample) throw new ExpectedFailure(`the other half, ${id}, is not in the workspace any more`, "put it back to see what was sent");
  return { ...(await workspace.trajectories.read(sample)).trajectory, id };
}

/** Where nothing can be asked, a preview says so by a plain error. */
function previewOrSentence(make: () => PromptPreview): PromptPreview {
  try {
    return make();
  } catch (error) {
    throw new ExpectedFailure(error instanceof Error ? error.message : String(error), "put the monitor back as it was");
  }
}
