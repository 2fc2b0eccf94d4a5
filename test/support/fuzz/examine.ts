/** One damaged file: made from its number alone, opened as the program opens it, and looked at for what must never be. */
import { openPath } from "#node/open";
import type { TrajectoryFile } from "#core/trajectory/open";
import type { Seed } from "./corpus";
import { mutateText, textMutations } from "./mutate-text";
import { mutateZip, zipMutations } from "./mutate-zip";
import { below, pick, randomFrom } from "./random";

export interface Damaged {
  readonly seed: Seed;
  readonly kind: string;
  readonly bytes: Uint8Array;
}

/** Damaged file number `round`; the same for the same seeds. Nesting is dear and comes less often. */
export function damagedFile(seeds: readonly Seed[], round: number): Damaged {
  const random = randomFrom(round * 7919 + 1);
  const seed = seeds[round % seeds.length]!;
  if (seed.entries) {
    const kind = pick(random, zipMutations);
    return { seed, kind: `zip ${kind}`, bytes: mutateZip(seed.entries, seed.bytes, kind, random) };
  }
  let { bytes } = seed;
  const kinds: string[] = [];
  for (let n = 1 + below(random, 2); n > 0; n--) {
    let kind = pick(random, textMutations);
    if (kind === "nest" && random() < 0.6) kind = "swap";
    kinds.push(kind);
    bytes = mutateText(bytes, kind, random);
  }
  return { seed, kind: kinds.join("+"), bytes };
}

export interface Seen {
  readonly steps: number;
  readonly messages: number;
}

/** Trajectories of one file that are loaded; the others are like them. */
const mostLoaded = 12;

/**
 * Opens the file by its content and, where that finds another format than the whole file has, also with the reader of the
 * whole one, and loads what is in it. Throws with a sentence when a reader failed or neither steps nor a message came.
 */
export async function examine({ seed, bytes }: Damaged, folder: string): Promise<Seen> {
  const first = await openPath(`${folder}/${seed.name.split("/").pop()}`, { root: folder, bytes });
  const seen = look(first.file);
  if (seed.format === undefined || first.file.format?.id === seed.format) return seen;
  const forced = await openPath(`${folder}/${seed.name.split("/").pop()}`, { root: folder, bytes, format: seed.format });
  const second = look(forced.file);
  return { steps: seen.steps + second.steps, messages: seen.messages + second.messages };
}

function look(file: TrajectoryFile): Seen {
  let steps = 0;
  let messages = file.warnings().length;
  const { heads } = file.opened;
  for (let index = 0; index < Math.min(heads.length, mostLoaded); index++) {
    const { steps: read, warnings } = file.load(index);
    steps += read.length;
    messages += warnings.length + (heads[index]!.problem ? 1 : 0);
    read.forEach((step, at) => {
      if (step.index !== at) throw new Error(`step ${at} has the index ${step.index}`);
    });
    fail(warnings);
  }
  messages += file.warnings().length;
  fail(file.warnings());
  if (steps === 0 && messages === 0) throw new Error(`neither steps nor a message (${file.format?.id ?? "no format"}, ${heads.length} trajectories)`);
  return { steps, messages };
}

function fail(warnings: readonly { code: string; message: string }[]): void {
  const failed = warnings.find(({ code }) => code === "reader-failed");
  if (failed) throw new Error(failed.message);
}

