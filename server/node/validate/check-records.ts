/** Label records and verdicts against the samples of a root: known, on the same content, spans in place. */
import { isStale } from "#core/labels/standing";
import type { Trajectory } from "#core/trajectory/model";
import type { PlacedRecord } from "#core/workspace/check-labels";
import { checkSpans } from "#core/workspace/check-spans";
import type { FileProblem } from "#core/workspace/file-problem";
import type { Sample } from "#core/workspace/manifest";
import type { RunFile } from "#core/workspace/run-file";

/** What was read of a sample. */
export interface ReadSample {
  readonly trajectory: Trajectory;
  readonly contentSha256: string;
}

/** Spans of a manifest line against its trajectory. */
export function checkManifestSpans(sample: Sample, { trajectory }: ReadSample): FileProblem[] {
  const { manifest } = sample;
  if (!manifest?.record.spans) return [];
  return checkSpans(manifest.record.spans, trajectory.steps).map((problem) => ({ file: manifest.file, line: manifest.line, ...problem }));
}

/** Label records of one sample: stale ones are told and their spans left alone. */
export function checkSampleLabels(records: readonly PlacedRecord[], { trajectory, contentSha256 }: ReadSample): FileProblem[] {
  return records.flatMap(({ record, file, line }) => {
    if (isStale(record, contentSha256)) {
      return [{ file, line, code: "stale-label", message: `The label was made on other content of ${record.sample_id} than is there now; it is not used.` }];
    }
    return checkSpans(record.spans ?? [], trajectory.steps).map((problem) => ({ file, line, ...problem }));
  });
}

/** Verdicts of one sample that were given on other content. */
export function checkSampleVerdicts(sample: Sample, runs: readonly RunFile[], { contentSha256 }: ReadSample): FileProblem[] {
  return runs.flatMap((run) => run.verdicts.flatMap((verdict, at) =>
    verdict.sample_id === sample.id && isStale(verdict, contentSha256)
      ? [{ file: run.file, line: run.lines[at], code: "stale-verdict", message: `The verdict was given on other content of ${sample.id} than is there now; it is not used.` }]
      : []));
}

/** Records and verdicts of samples that are not there. `contentOf` answers which samples have a content, to offer a new link. */
export function checkUnknown(records: readonly PlacedRecord[], runs: readonly RunFile[], isKnown: (id: string) => boolean, contentOf: (sha256: string) => readonly string[]): FileProblem[] {
  const hint = (sha256: string | undefined): string => {
    const fitting = sha256 === undefined ? [] : contentOf(sha256);
    return fitting.length === 1 ? `; its content is that of ${fitting[0]}, which may be its new id` : "";
  };
  const labels = records.filter(({ record }) => !isKnown(record.sample_id)).map(({ record, file, line }) => ({
    file, line, code: "unknown-sample", message: `There is no sample ${record.sample_id}${hint(record.content_sha256)}.`,
  }));
  const verdicts = runs.flatMap((run) => run.verdicts.flatMap(({ sample_id, content_sha256 }, at) =>
    isKnown(sample_id) ? [] : [{ file: run.file, line: run.lines[at], code: "unknown-sample", message: `There is no sample ${sample_id}${hint(content_sha256)}.` }]));
  return [...labels, ...verdicts];
}

/** The header of a run against the name of its file. */
export function checkRunName({ file, header }: RunFile): FileProblem[] {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return name === `${header.run_id}.jsonl` ? [] : [{ file, line: 1, code: "run-name", message: `The file should be called ${header.run_id}.jsonl, after its run_id.` }];
}
