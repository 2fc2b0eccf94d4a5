/** Gathers what agreement needs from a workspace, reading trajectories only where a record names the content it was made on. */
import type { AgreementInput } from "#core/labels/agreement";
import type { AgreementSample } from "#core/labels/agreement-voices";
import { resolveGold } from "#core/labels/gold";
import type { Workspace } from "./workspace";

export interface AgreementInputOptions {
  readonly labels: "all" | "blind";
  readonly split?: string | undefined;
  /** `trust` reads no files and takes every record as made on the content that is there. */
  readonly content?: "check" | "trust" | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The input of `agreement`. `unread` are samples whose content could not be told. */
export async function agreementInput(workspace: Workspace, options: AgreementInputOptions): Promise<{ input: AgreementInput; unread: string[] }> {
  const samples = workspace.samples.filter(({ split }) => options.split === undefined || split === options.split);
  const wanted = options.content === "trust" ? [] : samples
    .filter(({ id }) => workspace.labels.recordsOf(id).some(({ content_sha256 }) => content_sha256 !== undefined))
    .sort((a, b) => (a.source.file < b.source.file ? -1 : a.source.file > b.source.file ? 1 : 0));
  const hashes = new Map<string, string>();
  const unread: string[] = [];
  for (const [done, sample] of wanted.entries()) {
    options.onProgress?.(done, wanted.length);
    const hash = await workspace.trajectories.contentSha256(sample);
    if (hash === undefined) unread.push(sample.id);
    else hashes.set(sample.id, hash);
  }
  const within = new Set(samples.map(({ id }) => id));
  const input: AgreementInput = {
    labels: options.labels,
    runs: workspace.runs.map(({ header, verdicts }) => ({ runId: header.run_id, verdicts: verdicts.filter(({ sample_id }) => within.has(sample_id)) })),
    samples: samples.map((sample): AgreementSample => {
      const gold = resolveGold({ records: workspace.labels.recordsOf(sample.id), original: sample.label, contentSha256: hashes.get(sample.id), overturn: workspace.settings.overturn });
      return { id: sample.id, contentSha256: hashes.get(sample.id), gold: gold.status === "adjudicated" || gold.status === "unanimous" ? gold.label : null };
    }),
    // Records of another split are none of this question's business; those of no sample at all are counted.
    records: workspace.labels.all().filter(({ sample_id }) => within.has(sample_id) || workspace.sample(sample_id) === undefined),
  };
  return { input, unread };
}
