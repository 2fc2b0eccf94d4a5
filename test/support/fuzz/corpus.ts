/** The files that are damaged: the samples, and the reference files beside the checkout where they are there, cut to a size that is read quickly. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { MemorySource } from "#node/file-source";
import { openZip } from "#node/zip";
import { openFile } from "#core/trajectory/open";
import { entriesOf, type ArchiveEntry } from "./mutate-zip";

export interface Seed {
  /** Path as it is reported; its ending also says which files are opened as what. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The reader that takes the whole file, also tried on every damaged copy. */
  readonly format: string | undefined;
  /** Of an archive. */
  readonly entries: readonly ArchiveEntry[] | undefined;
}

const largestSeed = 20_000;

function walk(folder: string, found: string[] = []): string[] {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path, found);
    else if (!/\.(md|gitattributes)$/.test(entry.name) || /aider/.test(path)) found.push(path);
  }
  return found;
}

/** Whole lines of a file of lines, of any other text what stands at its beginning. Archives stay whole. */
function shortened(path: string): Uint8Array {
  const bytes = readFileSync(path);
  if (bytes.length <= largestSeed || extname(path) === ".eval") return bytes;
  const end = bytes.lastIndexOf(10, largestSeed);
  return bytes.subarray(0, end > largestSeed / 4 ? end + 1 : largestSeed);
}

/** All seeds below the folders, in a fixed order; a folder that is missing gives none. */
export async function readSeeds(folders: readonly string[]): Promise<Seed[]> {
  const seeds: Seed[] = [];
  for (const folder of folders) {
    if (!statSync(folder, { throwIfNoEntry: false })) continue;
    for (const path of walk(folder)) {
      const bytes = shortened(path);
      const source = new MemorySource(path, bytes);
      if (bytes[0] === 0x50 && bytes[1] === 0x4b) source.archive = await openZip(source);
      const entries = source.archive && entriesOf(source.archive);
      seeds.push({ name: path, bytes, format: openFile(source).format?.id, entries });
    }
  }
  return seeds;
}
