/** Parts that came with the beginning of their text only: how long they are, and whether the rest is still to be read. */
import type { Part } from "#core/trajectory/model";
import type { WirePart } from "#protocol/lsp";

/** What is known of a part whose text is only its beginning so far; undefined where all of it is here. */
export function cutOf(part: Part): WirePart["cut"] {
  return (part as WirePart).cut;
}

/** UTF-16 units of the whole part. */
export function lengthOf(part: Part): number {
  return cutOf(part)?.length ?? part.text.length;
}
