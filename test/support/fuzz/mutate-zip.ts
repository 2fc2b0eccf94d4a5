/** Damage to zip archives: inside an entry, in the directory, in names, and entries that unpack to far more than they say. */
import { deflateRawSync } from "node:zlib";
import type { Archive } from "#core/trajectory/reader";
import { makeZip, type ZipEntry } from "../make-zip";
import { mutateText, textMutations } from "./mutate-text";
import { below, pick } from "./random";

export const zipMutations = ["entry", "bytes", "names", "bomb", "drop"] as const;
export type ZipMutation = (typeof zipMutations)[number];

const hostileNames = ["../../../etc/passwd", "/etc/passwd", "C:\\Windows\\x", "samples/../../x.json", "__proto__", "", "samples/\u0000.json", "samples/1_epoch_1.json", "header.json", "a".repeat(60_000)];

const longestEntry = 200_000;

let bomb: Uint8Array | undefined;

/** Deflated zeros: 10 MB unpacked in 10 KB. */
function bombBytes(): Uint8Array {
  return (bomb ??= deflateRawSync(Buffer.alloc(10 << 20)));
}

/** `content` is what `data` unpacks to. */
export type ArchiveEntry = ZipEntry & { readonly content: Uint8Array };

/** The entries of an archive, packed once for all copies; long ones are cut. */
export function entriesOf(archive: Archive): ArchiveEntry[] {
  return archive.entries.map(({ name }) => {
    const content = archive.read(name).subarray(0, longestEntry);
    return { name, content, data: deflateRawSync(content), method: 8, isPacked: true, size: content.length };
  });
}

/** One damaged archive made of `entries`; `original` are the bytes they came from. */
export function mutateZip(entries: readonly ArchiveEntry[], original: Uint8Array, kind: ZipMutation, random: () => number): Uint8Array {
  const copy: ZipEntry[] = [...entries];
  const hit = below(random, copy.length);
  switch (kind) {
    case "bytes":
      // Cut in the middle, or a few bytes other than they were: directory, sizes, packed data.
      return mutateText(original, pick(random, ["truncate", "flip", "flip", "duplicate", "remove"] as const), random);
    case "entry":
      copy[hit] = { name: entries[hit]!.name, data: mutateText(entries[hit]!.content, pick(random, textMutations), random), method: 8 };
      return makeZip(copy, random() < 0.2);
    case "names":
      copy[hit] = { ...copy[hit]!, name: pick(random, hostileNames) };
      return makeZip(copy);
    case "drop":
      copy.splice(hit, 1);
      return makeZip(copy);
    case "bomb":
      copy[hit] = { name: copy[hit]!.name, data: bombBytes(), method: 8, isPacked: true, size: pick(random, [10, 10 << 20, 1 << 30, 10_000_000_000 % 0xffffffff, 0xfffffffe]) };
      return makeZip(copy, random() < 0.3);
  }
}
