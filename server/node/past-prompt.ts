/** What the monitor of a recorded run was sent about a sample, made anew from the run's header and the prompt kept beside it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pairPreview } from "#core/monitors/contrastive";
import type { Monitor, MonitorContext, PromptPreview } from "#core/monitors/define";
import { kindOf, monitorAndMembers } from "#core/monitors/index";
import type { Trajectory } from "#core/trajectory/model";
import type { MonitorConfig, RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { ExpectedFailure } from "./expected-failure";
import type { LoadedMonitors } from "./monitors";
import { previewOrSentence } from "./preview";
import { contextFor } from "./run-plan";
import { withExamples } from "./run-prepare";
import { contentSha256, sha256 } from "./sha256";
import type { Workspace } from "./workspace";

export interface PastPlace {
  readonly workspace: Workspace;
  readonly loaded: LoadedMonitors;
  readonly trajectory: Trajectory;
  /** Hash of the trajectory as it is now. */
  readonly contentSha256: string;
  /** The version of Tracemark that makes the messages now. */
  readonly version: string;
  /** The run's verdict on another sample, for the other half of a pair. */
  verdictOn(sampleId: string): Promise<VerdictRecord | undefined>;
}

/** A sentence about what is shown, and whether it is to be said. */
type Note = readonly [boolean, string];

/** What a header says of one monitor of a vote. */
interface MemberFacts {
  readonly monitor?: string;
  readonly prompting?: MonitorConfig["prompting"];
  /** False where it was shown none. */
  readonly reasoning?: boolean;
  readonly examples?: { readonly sha256?: string };
}

const hash = (text: string | undefined): string | undefined => (text === undefined ? undefined : sha256(text));

/**
 * The messages of that time. `notes` are sentences about what has changed since, or cannot be told, so that they cannot be
 * vouched for: they are empty where what is shown is what was sent. Throws an `ExpectedFailure` where the monitor was sent no text.
 */
export async function pastPrompt(place: PastPlace, header: RunHeader, verdict: VerdictRecord): Promise<{ preview: PromptPreview; notes: string[] }> {
  const { workspace, loaded, trajectory } = place;
  const template = await readFile(join(workspace.runsFolder, "prompts", `${header.prompt_sha256}.txt`), "utf8").catch(() => undefined);
  const monitor = monitorThen(loaded, header, template);
  const { preview } = kindOf(monitor);
  if (!preview) throw new ExpectedFailure(`the monitor ${header.monitor} of the run reads the trajectory itself; it was sent no text`, "look at its verdict");
  const seed = typeof header["seed"] === "number" ? header["seed"] : undefined;
  // Members of a vote have their promptings of that time in themselves.
  const prompting = monitor.kind === "vote" ? undefined : header.prompting;
  const context = await withExamples(contextFor(monitor, workspace.settings, loaded.guidelines, { prompting, reasoning: header.view.reasoning, seed }), workspace, monitorAndMembers(monitor));
  const notes = [...contentNotes(place, verdict), ...promptNotes(monitor, header, template), ...contextNotes(monitor, header, context, place.version)];
  const isPair = monitor.kind === "llm" && header.prompting === "contrastive";
  const other = isPair ? await otherHalf(place, verdict) : undefined;
  if (other) notes.push(...other.notes);
  const shown = other ? pairPreview([trajectory, other.trajectory], context) : previewOrSentence(() => preview(monitor, trajectory, context), "put the monitor back as it was");
  const segments = Array.isArray(verdict["segments"]) ? verdict["segments"].length : 1;
  notes.push([monitor.kind === "llm" && segments !== shown.requests, `the run cut the transcript into ${segments} segments, not ${shown.requests}`]);
  return { preview: shown, notes: notes.flatMap(([is, words]) => (is ? [words] : [])) };
}

/** The monitor as the header has it; what no header holds is as it is today. */
function monitorThen(loaded: LoadedMonitors, header: RunHeader, template: string | undefined): Monitor {
  const today = loaded.monitors.find(({ id }) => id === header.monitor);
  const kind = header.kind as MonitorConfig["kind"];
  if (kind === "vote" && today?.kind === "vote") {
    const members = today.members?.map((one) => {
      const then = membersOf(header).find(({ monitor }) => monitor === one.id);
      return { ...one, config: { ...one.config, prompting: then?.prompting ?? one.config.prompting, reasoning: then?.reasoning ?? true } };
    });
    return { ...today, members, config: { ...today.config, prompting: undefined } };
  }
  const { provider, model, examples } = header as { provider?: MonitorConfig["provider"]; model?: string; examples?: MonitorConfig["examples"] };
  return {
    ...today, id: header.monitor, kind, ...(kind === "llm" ? { template } : {}),
    // Which reasoning was shown stands in the run, whatever the monitor says today.
    config: { ...today?.config, kind, provider, model, params: header.params, prompting: header.prompting, examples, reasoning: true },
  };
}

const membersOf = (header: RunHeader): readonly MemberFacts[] => (Array.isArray(header["members"]) ? (header["members"] as MemberFacts[]) : []);

function contentNotes({ contentSha256: now }: PastPlace, { content_sha256: then }: VerdictRecord): Note[] {
  return [
    [then === undefined, "the verdict does not say which content was judged, so it cannot be told whether the log has changed since"],
    [then !== undefined && then !== now, "the log has changed since it was judged"],
  ];
}

function promptNotes(monitor: Monitor, header: RunHeader, template: string | undefined): Note[] {
  const ofPairs = monitor.kind === "llm" && header.prompting === "contrastive", ownText = monitor.kind === "llm" && !ofPairs;
  const built = (): string | undefined => hash(kindOf(monitor).promptText(monitor, header.prompting));
  return [
    [ownText && template === undefined, "the prompt of the run is not in runs/prompts any more; this is the monitor's prompt of today"],
    [ownText && template !== undefined && hash(template) !== header.prompt_sha256, "the prompt of the run in runs/prompts has been changed; this is the changed one"],
    [ofPairs && built() !== header.prompt_sha256, "the prompt for pairs is another one than in the run"],
    [monitor.kind !== "llm" && built() !== header.prompt_sha256, "the settings of the monitor have changed since the run"],
  ];
}

function contextNotes(monitor: Monitor, header: RunHeader, context: MonitorContext, version: string): Note[] {
  const examplesThen = (one: Monitor): string | undefined => (one === monitor ? (header["examples"] as MemberFacts["examples"])?.sha256 : membersOf(header).find((facts) => facts.monitor === one.id)?.examples?.sha256);
  const { taxonomy_sha256: taxonomy, tracemark_version: then } = header;
  return [
    [hash(context.guidelines) !== header.guideline_sha256, "the guidelines have changed since the run"],
    [taxonomy === undefined, "the run does not say which taxonomy it had, so it cannot be told whether it has changed since"],
    [taxonomy !== undefined && taxonomy !== hash(JSON.stringify(context.taxonomy)), "the taxonomy has changed since the run"],
    [monitorAndMembers(monitor).some((one) => examplesThen(one) !== context.examplesSha256?.(one)), "the labelled examples have changed since the run"],
    [then !== version, `the run was made by version ${then} of Tracemark and this is ${version}, which may write a transcript otherwise`],
  ];
}

/** The other half of a pair as it is now, and what can be said of it. */
async function otherHalf({ workspace, verdictOn }: PastPlace, verdict: VerdictRecord): Promise<{ trajectory: Trajectory; notes: Note[] }> {
  const id = String(verdict["compared_with"]);
  const sample = workspace.sample(id);
  if (!sample) throw new ExpectedFailure(`the other half, ${id}, is not in the workspace any more`, "put it back to see what was sent");
  const { trajectory } = await workspace.trajectories.read(sample);
  const then = (await verdictOn(id))?.content_sha256;
  return { trajectory: { ...trajectory, id }, notes: [
    [then === undefined, `the run does not say which content of the other half, ${id}, was judged, so it cannot be told whether it has changed since`],
    [then !== undefined && then !== contentSha256(trajectory.steps), `the other half, ${id}, has changed since it was judged`],
  ] };
}
