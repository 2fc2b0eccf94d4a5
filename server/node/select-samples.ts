/** Chooses the samples of a run: by id, pattern, file or manifest, by split, and at most so many. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { globMatcher } from "#core/workspace/glob";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "./expected-failure";
import { isInside } from "./file-source";
import { pathFromRoot } from "./open";
import { rootAbove } from "./root";
import { Workspace } from "./workspace";

/** What a run is asked for; stands in its header too, so that a resumed run asks for the same. */
export interface SampleFilter {
  /** Sample ids, patterns over ids and paths, files, folders, manifests. Undefined: all samples. */
  readonly patterns?: readonly string[] | undefined;
  readonly split?: string | undefined;
  readonly limit?: number | undefined;
}

/** Patterns that the filter's line names; all of them stand in the header beside it. */
const mostNamed = 20;

/** The filter in one line for the header; undefined when all samples were asked for. */
export function filterText({ patterns, split, limit }: SampleFilter): string | undefined {
  const words = [
    ...(patterns ? [`samples=${patterns.slice(0, mostNamed).join(" ")}${patterns.length > mostNamed ? ` and ${patterns.length - mostNamed} more` : ""}`] : []), ...(split === undefined ? [] : [`split=${split}`]), ...(limit === undefined ? [] : [`limit=${limit}`]),
  ];
  return words.length > 0 ? words.join("; ") : undefined;
}

/**
 * The root that a command works in: the one asked for, else the folder of the `tracemark.json` at or above `cwd`, else,
 * where the first of `patterns` is a file elsewhere, that file's own root, else `cwd`.
 */
export async function commandRoot(cwd: string, asked: string | undefined, patterns: readonly string[] | undefined): Promise<string> {
  if (asked !== undefined) return resolve(cwd, asked);
  const here = rootAbove(cwd);
  const first = patterns?.[0] === undefined ? undefined : resolve(cwd, patterns[0]);
  if (first !== undefined && !isInside(here, first) && (await isFile(first))) return rootAbove(resolve(first, ".."));
  return here;
}

/**
 * The samples that `filter` names, in the order of the workspace. Throws an `ExpectedFailure` when a part of it names none; for
 * a filter of a run that was begun earlier, `isOld`, only when all of it does, since samples may be gone by now.
 */
export async function selectSamples(workspace: Workspace, filter: SampleFilter, cwd: string, isOld = false): Promise<Sample[]> {
  let samples: readonly Sample[] = workspace.samples;
  if (filter.patterns) {
    const chosen = new Map<string, Sample>();
    let missing: unknown;
    for (const pattern of filter.patterns) {
      try {
        for (const sample of await matching(workspace, pattern, cwd)) chosen.set(sample.id, sample);
      } catch (error) {
        if (!isOld || !(error instanceof ExpectedFailure)) throw error;
        missing = error;
      }
    }
    if (chosen.size === 0 && missing !== undefined) throw missing;
    // The workspace's order first, then what only a named file brought in.
    const known = new Set(samples.map(({ id }) => id));
    samples = [...samples.filter(({ id }) => chosen.has(id)), ...[...chosen.values()].filter(({ id }) => !known.has(id))];
  }
  if (filter.split !== undefined) {
    samples = samples.filter(({ split }) => split === filter.split);
    if (samples.length === 0) throw new ExpectedFailure(`no sample belongs to the split "${filter.split}"`, "check the split of the manifest's lines");
  }
  if (samples.length === 0) throw new ExpectedFailure("there is no sample to judge", "name files or a manifest with --samples", { file: workspace.root });
  return samples.slice(0, filter.limit ?? samples.length);
}

async function matching(workspace: Workspace, pattern: string, cwd: string): Promise<readonly Sample[]> {
  const exact = workspace.sample(pattern);
  if (exact) return [exact];
  const absolute = resolve(cwd, pattern);
  const path = isInside(workspace.root, absolute) ? pathFromRoot(workspace.root, absolute) : undefined;
  const folder = path !== undefined && (await isFolder(absolute)) ? [path === "" ? "**" : `${path}/**`] : [];
  const matchers = [pattern, ...(path === undefined ? [] : [path]), ...folder].map(globMatcher);
  const found = workspace.samples.filter((sample) => [sample.id, sample.source.file, sample.manifest?.file]
    .some((name) => name !== undefined && matchers.some((matches) => matches(name))));
  if (found.length > 0) return found;
  if (path !== undefined && (await isFile(absolute))) {
    const { samples, problems } = await Workspace.load(workspace.root, { samples: [path] });
    if (samples.length > 0) return samples;
    throw new ExpectedFailure(problems[0]?.message ?? "no trajectory is in this file", "choose another file", { file: pattern });
  }
  throw new ExpectedFailure(`no sample has the id or path "${pattern}"`, "see the ids with tracemark show, or give a pattern like \"folder/**\"");
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then((facts) => facts.isFile(), () => false);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then((facts) => facts.isDirectory(), () => false);
}
