/** Where the keys and values of a tool call stand in its text, which is a line `key: value` for each argument. */
import type { Part } from "#core/trajectory/model";

/** UTF-16 offsets in the part's text: the key begins at `keyStart`, the value goes from `start` to `end`. */
export interface ArgumentRange { readonly key: string; readonly keyStart: number; readonly start: number; readonly end: number; readonly isText: boolean }

/** The ranges in recorded order, or undefined when the arguments did not parse or do not make up the text. */
export function argumentRanges(part: Part): ArgumentRange[] | undefined {
  if (!part.args) return undefined;
  const ranges: ArgumentRange[] = [];
  let at = 0;
  for (const arg of part.args) {
    const value = arg.text ?? arg.raw ?? "";
    const start = at + arg.key.length + 2;
    ranges.push({ key: arg.key, keyStart: at, start, end: start + value.length, isText: arg.text !== undefined });
    at = start + value.length + 1;
  }
  return part.args.length === 0 || at - 1 === part.text.length ? ranges : undefined;
}
