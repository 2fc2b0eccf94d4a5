/** Opens a trajectory file on disk: its root, its source with the archive listed, its reader, its ids. */
import { dirname, relative, resolve, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { DataProblem } from "#core/trajectory/data-problem";
import { openFile } from "#core/trajectory/open";
import type { OpenOptions, TrajectoryFile } from "#core/trajectory/open";
import type { Warning } from "#core/trajectory/model";
import type { Source } from "#core/trajectory/reader";
import { fileFailure } from "./expected-failure";
import { FileSource, isInside, MemorySource, OpeningSource, startsLikeZip } from "./file-source";
import { configFolderAbove } from "./root";
import { sha256OfSource } from "./sha256";
import { largestEntry, openZip, prepareZstd } from "./zip";

export interface OpenPathOptions {
  /** Root that counts where no `tracemark.json` stands at or above the file: the workspace folder, `--root`, the current folder. */
  readonly root?: string | undefined;
  /** Id of a reader chosen by hand. */
  readonly format?: string | undefined;
  /** How the file is named in failures; the path itself unless given. */
  readonly shownAs?: string | undefined;
  /** Where the file is a long list of records, only those in its first lines, about this many bytes, are read: `isPartial` then. */
  readonly firstBytes?: number | undefined;
  /** With `firstBytes`, also of a file whose lines are one session the first steps alone: `isCut` then. */
  readonly beginnings?: boolean | undefined;
  /** The file's content where it does not come from disk (an editor's text, a virtual file system). */
  readonly bytes?: Uint8Array | undefined;
}

export interface PathOpened {
  readonly file: TrajectoryFile;
  /** Absolute path of the file and of its root. */
  readonly path: string;
  readonly root: string;
  /** Path from the root, `/` between folders. */
  readonly relativePath: string;
  /** The file goes on behind the trajectories that are listed; opened without `firstBytes` it lists them all. */
  readonly isPartial: boolean;
  /** The trajectories themselves go on behind what was read of them: as if the file were still being written. */
  readonly isCut: boolean;
  /** SHA-256 of the file's bytes; computed at the first call. */
  fileSha256(): string;
}

/**
 * The folder of the nearest `tracemark.json` at or above `file`, else `fallback` where it holds the file, else the
 * file's own folder. Absolute.
 */
export function rootOf(file: string, fallback: string = process.cwd()): string {
  const path = resolve(file);
  const configured = configFolderAbove(dirname(path));
  if (configured !== undefined) return configured;
  const root = resolve(fallback);
  return isInside(root, path) ? root : dirname(path);
}

/** `path` from `root` with `/`, as sample ids want it. */
export function pathFromRoot(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** Opens a file. Rejects with an `ExpectedFailure` when it cannot be read; what is wrong with its data are warnings. */
export async function openPath(file: string, options: OpenPathOptions = {}): Promise<PathOpened> {
  const path = resolve(file);
  const root = rootOf(path, options.root);
  const relativePath = pathFromRoot(root, path);
  const problems: Warning[] = [];
  let recorded: Source;
  let source: Source & { archive?: unknown };
  try {
    recorded = options.bytes ? new MemorySource(path.split(sep).join("/"), options.bytes, { file: path, root }) : new FileSource(path, root);
    source = await unpacked(recorded, { file: path, root }, problems);
  } catch (error) {
    throw fileFailure(error, options.shownAs ?? file);
  }
  let hash: string | undefined;
  const first = options.firstBytes === undefined ? undefined : opening(source, options.firstBytes, options.beginnings ?? false, { relativePath, format: options.format, problems });
  return {
    file: first?.file ?? openFile(source, { relativePath, format: options.format, problems }), path, root, relativePath,
    isPartial: first !== undefined, isCut: first?.isCut ?? false,
    fileSha256: () => (hash ??= sha256OfSource(recorded)),
  };
}

/** What a server reads of a long file of lines before it reads all of it. */
export const openingBytes = 1 << 19;

/**
 * The first records of a file, or undefined where that would not be what the whole file gives: every line has to be a record
 * by itself, so that those behind it change nothing about it. With `beginnings` also the first lines of a session, which read
 * as the file did when it was that short.
 */
function opening(source: Source, firstBytes: number, beginnings: boolean, options: OpenOptions): { file: TrajectoryFile; isCut: boolean } | undefined {
  if (source.size < firstBytes * 2 || source.archive) return undefined;
  const head = new OpeningSource(source, firstBytes);
  if (head.size === 0) return undefined;
  const file = openFile(head, options);
  if (!file.format || file.document.kind !== "jsonl") return undefined;
  const lines = new Set(file.opened.heads.map(({ line }) => line));
  if (lines.size > 1 && !lines.has(undefined) && lines.size === file.document.lines().length) return { file, isCut: false };
  const [session, ...children] = file.opened.heads;
  const isSession = session !== undefined && session.recordId === undefined && session.problem === undefined && children.every(({ parent }) => parent !== undefined);
  return beginnings && isSession ? { file, isCut: true } : undefined;
}

/** A gzip is opened up in memory; a zip gets its directory listed. */
async function unpacked(source: Source, onDisk: { file: string; root: string }, problems: Warning[]): Promise<Source> {
  const head = source.bytes(0, Math.min(4, source.size));
  if (head[0] === 0x1f && head[1] === 0x8b) {
    try {
      return new MemorySource(source.path, gunzipSync(source.bytes(), { maxOutputLength: largestEntry }), onDisk);
    } catch (error) {
      problems.push({ code: "damaged-archive", message: `The gzip does not unpack: ${error instanceof Error ? error.message : String(error)}.` });
      return source;
    }
  }
  if (mayNameArchives(source)) await prepareZstd();
  if (startsLikeZip(source)) {
    try {
      (source as MemorySource | FileSource).archive = await openZip(source);
    } catch (error) {
      if (!(error instanceof DataProblem)) throw error;
      problems.push({ code: "damaged-archive", message: error.message });
    }
  }
  return source;
}

/** A manifest may point at archives, which are listed while it is read, without a chance to wait for the decoder. */
function mayNameArchives(source: Source): boolean {
  if (!source.path.endsWith(".jsonl")) return false;
  return Buffer.from(source.bytes(0, Math.min(source.size, 1 << 20))).includes(".eval\"");
}
