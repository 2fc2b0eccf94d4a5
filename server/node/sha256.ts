/** SHA-256 of texts, bytes and trajectories, as lower-case hex. */
import { createHash } from "node:crypto";
import { canonicalStep } from "#core/trajectory/model";
import type { Step } from "#core/trajectory/model";

/** Hash of bytes, or of the UTF-8 of a text (a lone surrogate counts as U+FFFD). */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(typeof data === "string" ? Buffer.from(data, "utf8") : data).digest("hex");
}

/** SHA-256 of a file's bytes, read in stretches: a large file is never held whole. */
export function sha256OfSource(source: { readonly size: number; bytes(start: number, end: number): Uint8Array; glance?(start: number, end: number): Uint8Array }): string {
  const hash = createHash("sha256");
  for (let at = 0; at < source.size; at += stretch) {
    const to = Math.min(source.size, at + stretch);
    hash.update(source.glance?.(at, to) ?? source.bytes(at, to));
  }
  return hash.digest("hex");
}

const stretch = 4 << 20;

/** The contract's `content_sha256` of a trajectory's steps; step by step, since all of it may be longer than a string can be. */
export function contentSha256(steps: readonly Pick<Step, "role" | "parts">[]): string {
  const hash = createHash("sha256").update('["v1"');
  for (const step of steps) hash.update(`,${canonicalStep(step)}`, "utf8");
  return hash.update("]").digest("hex");
}
