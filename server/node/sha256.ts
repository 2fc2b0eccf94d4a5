/** SHA-256 of texts, bytes and trajectories, as lower-case hex. */
import { createHash } from "node:crypto";
import { contentCanonical } from "#core/trajectory/model";
import type { Step } from "#core/trajectory/model";

/** Hash of bytes, or of the UTF-8 of a text (a lone surrogate counts as U+FFFD). */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(typeof data === "string" ? Buffer.from(data, "utf8") : data).digest("hex");
}

/** The contract's `content_sha256` of a trajectory's steps. */
export function contentSha256(steps: readonly Pick<Step, "role" | "parts">[]): string {
  return sha256(contentCanonical(steps));
}
