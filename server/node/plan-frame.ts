/** The frame that a plan is drawn from: the samples of a workspace with their gold and what runs said of them. */
import { resolveGold } from "#core/labels/gold";
import { heldForTest } from "#core/training/held-for-test";
import type { FrameSample, FrameVerdict } from "#core/labels/plan-strata";
import type { Sample } from "#core/workspace/manifest";
import type { RunFile } from "#core/workspace/run-file";
import type { Workspace } from "./workspace";

/**
 * `samples` as a frame. `run` is the run that the plan goes by; all other runs count as `others`. Of repeated verdicts the
 * first counts. Records and verdicts are taken as made on the content that is there.
 */
export function planFrame(workspace: Workspace, samples: readonly Sample[], run: RunFile | undefined): FrameSample[] {
  const verdicts = run ? verdictsBySample(run) : new Map<string, FrameVerdict>();
  const others = workspace.runs.filter((other) => other !== run).map(verdictsBySample);
  const held = heldForTest(workspace.samples);
  return samples.map((sample): FrameSample => {
    const gold = resolveGold({ records: workspace.labels.recordsOf(sample.id), original: sample.label, overturn: workspace.settings.overturn });
    const verdict = verdicts.get(sample.id);
    return {
      id: sample.id, group: sample.group, category: sample.category, task: sample.task, gold: gold.label,
      ...(verdict ? { verdict } : {}), ...(held.has(sample.id) ? { heldForTest: true } : {}),
      others: others.flatMap((byId) => byId.get(sample.id) ?? []),
    };
  });
}

/** Samples whose gold is settled by an adjudication or by people who agree: fit to be slipped in as known items. */
export function knownSamples(workspace: Workspace, samples: readonly Sample[]): string[] {
  return samples.filter((sample) => {
    const { status } = resolveGold({ records: workspace.labels.recordsOf(sample.id), original: sample.label, overturn: workspace.settings.overturn });
    return status === "adjudicated" || status === "unanimous";
  }).map(({ id }) => id);
}

function verdictsBySample(run: RunFile): Map<string, FrameVerdict> {
  const byId = new Map<string, FrameVerdict & { repeat: number }>();
  for (const { sample_id, outcome, score, repeat = 0 } of run.verdicts) {
    const known = byId.get(sample_id);
    if (!known || repeat < known.repeat) byId.set(sample_id, { outcome, ...(score === undefined ? {} : { score }), repeat });
  }
  return byId;
}
