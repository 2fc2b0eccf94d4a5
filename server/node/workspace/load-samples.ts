/** The samples of a root: manifest lines without a look at their files, and the trajectories of files that no manifest names. */
import { join } from "node:path";
import type { TrajectoryHead } from "#core/trajectory/reader";
import type { WorkspaceSettings } from "#core/workspace/config";
import type { FileProblem } from "#core/workspace/file-problem";
import { isManifestName, ManifestReader, type Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "../expected-failure";
import type { PathOpened } from "../open";
import { eachLine } from "../store/run-progress";
import { findFiles, mustBeTrajectory, searchLimit, type FindOptions } from "./find-samples";
import type { TrajectoryFiles } from "./trajectory-files";

export interface LoadedSamples {
  readonly samples: readonly Sample[];
  readonly problems: readonly FileProblem[];
  /** Manifests read, paths from the root. */
  readonly manifests: readonly string[];
}

export interface LoadSamplesOptions extends FindOptions {
  readonly signal?: AbortSignal | undefined;
  /** Files looked into, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Several times a second while files are looked into: the samples found so far. */
  readonly onSamples?: ((samples: readonly Sample[]) => void) | undefined;
}

/** Reads every sample of the root. Data that cannot be used is a problem; only an abort rejects. */
export async function loadSamples(root: string, settings: WorkspaceSettings, trajectories: TrajectoryFiles, options: LoadSamplesOptions = {}): Promise<LoadedSamples> {
  const found = await findFiles(root, settings, options);
  const gathered = new Gathered([...found.problems]);
  const manifests = found.files.filter(isManifestName);
  for (const manifest of manifests) await readManifestFile(root, manifest, gathered);
  const inManifests = new Set(gathered.samples.map(({ source }) => source.file));
  const others = found.files.filter((file) => !isManifestName(file) && !inManifests.has(file));
  const limit = found.searched ? (options.limit ?? searchLimit) : Infinity;
  if (others.length > limit) {
    gathered.problems.push({ file: ".", code: "search-stopped", message: `${others.length} files may hold trajectories; only the first ${limit} were looked into. Name those you mean in tracemark.json ("samples").` });
  }
  const rest = others.slice(0, limit).sort();
  let told = performance.now() - tellMs;
  for (const [done, file] of rest.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(done, rest.length);
    await readTrajectoryFile(file, found.named.has(file), trajectories, gathered);
    // Reading is synchronous; others must get their turn.
    if (done % 20 !== 19) continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (!options.onSamples || performance.now() - told < tellMs) continue;
    options.onSamples([...gathered.samples]);
    told = performance.now();
  }
  return { samples: gathered.samples, problems: gathered.problems, manifests };
}

/** Time between two tellings of what was found so far. */
const tellMs = 250;

class Gathered {
  readonly samples: Sample[] = [];
  private readonly placeById = new Map<string, string>();

  constructor(readonly problems: FileProblem[]) {}

  add(sample: Sample): void {
    const { manifest, source } = sample;
    const place = manifest ? `${manifest.file}:${manifest.line}` : source.file;
    const taken = this.placeById.get(sample.id);
    if (taken !== undefined) {
      this.problems.push({ file: manifest?.file ?? source.file, line: manifest?.line, code: "id-clash", message: `The id ${sample.id} belongs to ${taken} already; this sample is not used. Give it another id.` });
      return;
    }
    this.placeById.set(sample.id, place);
    this.samples.push(sample);
  }
}

async function readManifestFile(root: string, file: string, gathered: Gathered): Promise<void> {
  const reader = new ManifestReader(file);
  try {
    await eachLine(join(root, file), (text, line, ended) => reader.take(text, line, !ended));
  } catch (error) {
    gathered.problems.push(unreadable(file, error));
    return;
  }
  const { samples, problems } = reader.read;
  gathered.problems.push(...problems);
  for (const sample of samples) gathered.add(sample);
}

/** What a file holds: samples and problems of its records, or why it holds none. */
interface Listed {
  readonly format: string | undefined;
  readonly samples: readonly Sample[];
  readonly problems: readonly FileProblem[];
  readonly nothing: readonly FileProblem[] | undefined;
}

async function readTrajectoryFile(file: string, named: boolean, trajectories: TrajectoryFiles, gathered: Gathered): Promise<void> {
  let listed: Listed;
  try {
    listed = await trajectories.listed(file, (opened) => listOf(file, opened));
  } catch (error) {
    gathered.problems.push(unreadable(file, error));
    return;
  }
  // A file that only the fall-back reader can make something of is no sample unless it is named.
  if (listed.nothing && (listed.format !== "fallback" || !named || listed.samples.length + listed.problems.length === 0)) {
    if (named || mustBeTrajectory(file)) gathered.problems.push(...listed.nothing);
    return;
  }
  gathered.problems.push(...listed.problems);
  for (const sample of listed.samples) gathered.add(sample);
}

function listOf(file: string, opened: PathOpened): Listed {
  const format = opened.file.format?.id;
  const samples: Sample[] = [];
  const problems: FileProblem[] = [];
  const { heads } = opened.file.opened;
  if (format !== undefined) {
    heads.forEach((head, index) => {
      const id = opened.file.ids[index] ?? file;
      if (head.problem) problems.push({ file, line: head.problem.line, code: head.problem.code, message: head.problem.message });
      else samples.push({ id, label: head.label, group: groupOf(head, id, opened), source: { file, record: index } });
    });
  }
  const isNothing = format === undefined || format === "fallback" || heads.length === 0;
  return { format, samples, problems, nothing: isNothing ? nothingIn(file, opened) : undefined };
}

/** Why a file (path from the root) that is named, or whose name says that it is a trajectory, gives no sample. */
export function nothingIn(file: string, opened: PathOpened): FileProblem[] {
  if (opened.file.opened.heads.length > 0) {
    return [{ file, code: "unknown-format", message: "No known format was recognised in the file, so it is no sample; name it in tracemark.json (\"samples\") to have it read by best guess." }];
  }
  const warnings = opened.file.warnings();
  if (warnings.length === 0) return [{ file, code: "unknown-format", message: "No trajectory was recognised in the file; see the list of formats." }];
  return warnings.map(({ code, message, line }) => ({ file, line, code, message }));
}

/** Epochs of one Inspect sample and children of one trajectory are not independent. */
function groupOf(head: TrajectoryHead, id: string, opened: PathOpened): string {
  if (head.parent !== undefined) return opened.file.ids[head.parent] ?? id;
  const isInspect = opened.file.format?.id.startsWith("inspect") === true;
  return isInspect && head.recordId !== undefined ? id.replace(/\/\d+$/, "") : id;
}

function unreadable(file: string, error: unknown): FileProblem {
  const missing = (error as NodeJS.ErrnoException).code === "ENOENT" || (error instanceof ExpectedFailure && /no such file/.test(error.message));
  const words = error instanceof ExpectedFailure ? `${error.message}; ${error.remedy}` : String((error as NodeJS.ErrnoException).code ?? error);
  return { file, code: missing ? "missing-file" : "unreadable", message: missing ? "The file is not there; check the path." : `The file cannot be read: ${words}.` };
}
