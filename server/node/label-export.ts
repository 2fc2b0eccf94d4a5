/** Gathers what an export of labels needs from a workspace. */
import type { ExportSample, LabelExport, LabelFormat } from "#core/exports/labels/define";
import { withoutText } from "#core/exports/labels/without-text";
import { resolveGold } from "#core/labels/gold";
import { compareByTime } from "#core/labels/instant";
import { isCheck } from "#core/labels/standing";
import type { Sample } from "#core/workspace/manifest";
import type { Workspace } from "./workspace";

/** Formats that say things of samples, and so need them read. */
const needSamples = new Set(["label-studio", "scout", "inspect"]);

/** Whether a format can do with the label files alone. */
export function needsSamples(format: LabelFormat): boolean {
  return needSamples.has(format.id);
}

export interface GatherOptions {
  readonly withText: boolean;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** All records by time, and the samples that the format asks for. `unread` are samples whose file cannot be read. */
export async function gatherLabels(workspace: Workspace, format: LabelFormat, { withText, onProgress }: GatherOptions): Promise<{ input: LabelExport; unread: string[] }> {
  const stored = [...workspace.labels.stored()].sort((a, b) => compareByTime(a.record, b.record));
  const records = withText ? stored.map(({ record, raw }) => ({ record, raw })) : withoutText(stored.map(({ record }) => record)).map((record) => ({ record }));
  const samples = new Map<string, ExportSample>();
  const unread: string[] = [];
  if (!needsSamples(format)) return { input: { records, samples, withText }, unread };
  const labelled = new Set(stored.map(({ record }) => record.sample_id));
  const wanted = workspace.samples.filter(({ id }) => format.id === "scout" || labelled.has(id));
  for (const [done, sample] of wanted.entries()) {
    onProgress?.(done, wanted.length);
    try {
      samples.set(sample.id, await exportSample(workspace, sample, format.carriesTrajectories && withText));
    } catch {
      unread.push(sample.id);
    }
  }
  return { input: { records, samples, withText }, unread };
}

async function exportSample(workspace: Workspace, sample: Sample, withSteps: boolean): Promise<ExportSample> {
  const { trajectory, contentSha256 } = await workspace.trajectories.read(sample);
  const records = workspace.labels.recordsOf(sample.id);
  const isInspect = trajectory.format.startsWith("inspect");
  const recordId = isInspect ? await recordIdOf(workspace, sample) : undefined;
  const slash = recordId?.lastIndexOf("/") ?? -1;
  return {
    id: sample.id, file: sample.source.file, split: sample.split,
    gold: resolveGold({ records, original: sample.label, contentSha256, overturn: workspace.settings.overturn }),
    decidedAt: records.filter((record) => !isCheck(record)).at(-1)?.created_at,
    ...(recordId !== undefined && slash > 0
      ? { inspect: { uuid: trajectory.uuid, id: recordId.slice(0, slash), epoch: Number(recordId.slice(slash + 1)) || 1 } } : {}),
    ...(withSteps ? { steps: trajectory.steps } : {}),
  };
}

/** `ID/EPOCH` of an Inspect sample. */
async function recordIdOf(workspace: Workspace, { source }: Sample): Promise<string | undefined> {
  if (typeof source.record === "string") return source.record;
  const { file } = await workspace.trajectories.open(source.file);
  return file.opened.heads[source.record ?? 0]?.recordId;
}
