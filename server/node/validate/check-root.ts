/** Everything that can be wrong within one root, or within some of its files. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Warning } from "#core/trajectory/model";
import { checkLabels, type PlacedRecord } from "#core/workspace/check-labels";
import { checkPairs } from "#core/workspace/check-pairs";
import type { FileProblem } from "#core/workspace/file-problem";
import { readJsonLines } from "#core/workspace/json-lines";
import type { Sample } from "#core/workspace/manifest";
import { readRunFile, type RunFile } from "#core/workspace/run-file";
import { LabelRecord } from "#core/workspace/schemas";
import { ExpectedFailure } from "../expected-failure";
import { loadMonitors } from "../monitors";
import type { Workspace } from "../workspace";
import { findFiles, mustBeTrajectory } from "../workspace/find-samples";
import { nothingIn } from "../workspace/load-samples";
import { PairContents } from "./check-pair-content";
import { checkManifestSpans, checkRunName, checkSampleLabels, checkSampleVerdicts, checkUnknown, type ReadSample } from "./check-records";

export interface RootScope {
  /** Whether problems of a file (path from the root with `/`) are asked for. */
  readonly includes: (file: string) => boolean;
  /** Label and run files outside their folders that are to be checked too. */
  readonly moreLabels: readonly string[];
  readonly moreRuns: readonly string[];
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Problems of the root's files within `scope`, and the number of trajectories that were read. */
export async function checkRoot(workspace: Workspace, scope: RootScope): Promise<{ problems: FileProblem[]; read: number }> {
  const problems: FileProblem[] = [...workspace.problems, ...checkSettings(workspace), ...checkPairs(workspace.samples)];
  problems.push(...(await checkMonitors(workspace)));
  const records = await labelRecords(workspace, scope, problems);
  const runs = await runFiles(workspace, scope, problems);
  problems.push(...checkLabels(records, workspace.settings.taxonomy), ...runs.flatMap(checkRunName));
  problems.push(...checkCategories(workspace), ...checkPlans(workspace));
  const hashes = new Map<string, string[]>();
  const wanted = samplesWanted(workspace, scope, records, runs);
  const seenFiles = new Set<string>();
  const pairs = new PairContents();
  for (const [done, sample] of wanted.entries()) {
    scope.onProgress?.(done, wanted.length);
    const read = await readSample(workspace, sample, seenFiles, problems);
    if (!read) continue;
    pairs.add(sample, read);
    hashes.set(read.contentSha256, [...(hashes.get(read.contentSha256) ?? []), sample.id]);
    problems.push(
      ...checkManifestSpans(sample, read),
      ...checkSampleLabels(records.filter(({ record }) => record.sample_id === sample.id), read),
      ...checkSampleVerdicts(sample, runs, read),
    );
  }
  problems.push(...pairs.finish(), ...(await checkOthers(workspace, scope)));
  problems.push(...checkUnknown(records, runs, (id) => workspace.sample(id) !== undefined, (sha256) => hashes.get(sha256) ?? []));
  return { problems: problems.filter(({ file }) => scope.includes(file)), read: wanted.length };
}

async function labelRecords(workspace: Workspace, scope: RootScope, problems: FileProblem[]): Promise<PlacedRecord[]> {
  const records: PlacedRecord[] = [...workspace.labels.stored()];
  for (const file of scope.moreLabels) {
    const read = readJsonLines(await readFile(join(workspace.root, file), "utf8"), LabelRecord, file);
    problems.push(...read.problems);
    records.push(...read.lines.map(({ value, line }) => ({ record: value, file, line })));
  }
  return records;
}

async function runFiles(workspace: Workspace, scope: RootScope, problems: FileProblem[]): Promise<RunFile[]> {
  const runs = [...workspace.runs];
  for (const file of scope.moreRuns) {
    const read = readRunFile(await readFile(join(workspace.root, file), "utf8"), file);
    problems.push(...read.problems);
    if (read.run) runs.push(read.run);
  }
  return runs;
}

/**
 * Samples whose trajectory matters, file by file: those in scope, and those that records in scope are about. All of them when
 * a record in scope has lost its sample, to find where it went.
 */
function samplesWanted(workspace: Workspace, scope: RootScope, records: readonly PlacedRecord[], runs: readonly RunFile[]): Sample[] {
  const named = new Set<string>();
  for (const { record, file } of records) if (scope.includes(file)) named.add(record.sample_id);
  for (const { file, verdicts } of runs) if (scope.includes(file)) for (const { sample_id } of verdicts) named.add(sample_id);
  const lost = [...named].some((id) => !workspace.sample(id));
  return workspace.samples
    .filter((sample) => lost || named.has(sample.id) || scope.includes(sample.source.file) || (sample.manifest !== undefined && scope.includes(sample.manifest.file)))
    .sort((a, b) => (a.source.file < b.source.file ? -1 : a.source.file > b.source.file ? 1 : 0));
}

/** Reads a sample; what its reader has to say is a problem of its file, told once. */
async function readSample(workspace: Workspace, sample: Sample, seenFiles: Set<string>, problems: FileProblem[]): Promise<ReadSample | undefined> {
  const { file } = sample.source;
  try {
    const read = await workspace.trajectories.read(sample);
    // A manifest line that was found wanting already would be told a second time by its reader.
    const told = new Set(problems.flatMap((problem) => (problem.file === sample.manifest?.file && problem.line !== undefined ? [problem.line] : [])));
    const tell = (warnings: readonly Warning[], name: string): void => {
      for (const { line, code, message } of warnings) {
        if (file !== sample.manifest?.file || line === undefined || !told.has(line)) problems.push({ file, line, code, message: `${name}${message}` });
      }
    };
    if (!seenFiles.has(file)) {
      seenFiles.add(file);
      tell((await workspace.trajectories.open(file)).file.warnings(), "");
    }
    tell(read.trajectory.warnings, sample.id === file ? "" : `${sample.id}: `);
    return read;
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error;
    const place = sample.manifest ? { file: sample.manifest.file, line: sample.manifest.line } : { file };
    problems.push({ ...place, code: "unreadable-sample", message: `${sample.id}: ${error.message}; ${error.remedy}.` });
    return undefined;
  }
}

/** Files in scope that `tracemark.json` names no samples in, but whose names say that they are trajectories: whether they can be read. */
async function checkOthers({ root, samples, settings, trajectories, problems }: Workspace, scope: RootScope): Promise<FileProblem[]> {
  const { samples: patterns, ...rest } = settings;
  if (patterns === undefined) return [];
  const known = new Set([...samples.map(({ source }) => source.file), ...problems.map(({ file }) => file)]);
  const { files } = await findFiles(root, rest);
  const found: FileProblem[] = [];
  for (const file of files) {
    if (known.has(file) || !mustBeTrajectory(file) || !scope.includes(file)) continue;
    try {
      const opened = await trajectories.open(file);
      if (opened.file.ids.length === 0) found.push(...nothingIn(file, opened));
    } catch (error) {
      if (!(error instanceof ExpectedFailure)) throw error;
      found.push({ file, code: "unreadable", message: `The file cannot be read: ${error.message}; ${error.remedy}.` });
    }
  }
  return found;
}

/** Files that `tracemark.json` names. */
function checkSettings({ root, settings: { config } }: Workspace): FileProblem[] {
  const named: [string, string | undefined][] = [["guidelines", config?.guidelines]];
  for (const [id, monitor] of Object.entries(config?.monitors ?? {})) named.push([`monitors.${id}.prompt`, monitor.prompt], [`monitors.${id}.model`, monitor.kind === "linear" ? monitor.model : undefined]);
  return named.flatMap(([key, path]) =>
    path === undefined || existsSync(join(root, path)) ? [] : [{ file: "tracemark.json", code: "missing-file", message: `"${key}": there is no file ${path}.` }]);
}

/** Monitors that cannot run as they stand; what is merely not there is told by `checkSettings`. */
async function checkMonitors({ root, settings }: Workspace): Promise<FileProblem[]> {
  const { problems } = await loadMonitors(root, settings);
  return problems.filter(({ message }) => !message.includes("(ENOENT)"));
}

/** Categories of manifest lines that the taxonomy does not have. */
function checkCategories({ samples, settings: { taxonomy } }: Workspace): FileProblem[] {
  const known = new Set(taxonomy.map(({ id }) => id));
  return samples.flatMap(({ id, category, manifest }) =>
    category === undefined || known.has(category) || !manifest ? []
    : [{ file: manifest.file, line: manifest.line, code: "unknown-category", message: `${id}: the category ${category} is not in the taxonomy; correct it or add it to tracemark.json.` }]);
}

/** Samples of plans that are not there. What is wrong within a plan file is told by reading it. */
function checkPlans(workspace: Workspace): FileProblem[] {
  return workspace.plans.flatMap(({ file, items, lines }) => items.flatMap(({ sample_id }, at) =>
    workspace.sample(sample_id) ? [] : [{ file, line: lines[at], code: "unknown-sample", message: `The plan names the sample ${sample_id}, which is not here.` }]));
}
