/** Sample ids: the path from the root, the record's own id or its index, and marks for what would otherwise repeat. */
import type { TrajectoryHead } from "./reader";

/** Path from the root to the file, `/` between folders, as it stands in ids: `#` would end it too early. */
export function idOfPath(relativePath: string): string {
  return relativePath.replace(/\\/g, "/").replace(/#/g, "%23");
}

/**
 * The sample ids of a file's trajectories, in their order. Records that carry an id of their own from a manifest
 * (`sample.id`) keep it bare; a repeated id gets `~2`, `~3`; a child is `parent>id`.
 */
export function sampleIds(relativePath: string, heads: readonly TrajectoryHead[]): string[] {
  const path = idOfPath(relativePath);
  const taken = new Set<string>();
  const ids: string[] = [];
  for (const head of heads) {
    const id = unique(rawId(path, head, ids), taken);
    taken.add(id);
    ids.push(id);
  }
  return ids;
}

function rawId(path: string, head: TrajectoryHead, before: readonly string[]): string {
  const parent = head.parent === undefined ? undefined : before[head.parent];
  if (parent !== undefined) return `${parent}>${head.recordId ?? ""}`;
  const own = head.sample?.["id"];
  if (typeof own === "string" && own !== "") return own;
  return head.recordId === undefined ? path : `${path}#${head.recordId}`;
}

function unique(id: string, taken: ReadonlySet<string>): string {
  let candidate = id;
  for (let n = 2; taken.has(candidate); n++) candidate = `${id}~${n}`;
  return candidate;
}
