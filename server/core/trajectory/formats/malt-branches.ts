/** The branches of a MALT run: the path to the newest message first, then what was tried beside it. */
import { isObject, member, memberAt, scalarText } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { listOf, numberOf } from "./fields";
import { jsonOf } from "./otel-attributes";

/** `after` is the index of the message in the parent that the branch goes on from; `parent` the index of the branch it leaves. */
export interface MaltBranch {
  readonly id: string;
  readonly messages: readonly { message: Json; pointer: string }[];
  readonly parent: number;
  readonly after?: number | undefined;
  readonly problem?: string | undefined;
}

/** Branches of a run in either layout; at least one. */
export function branchesOf(run: JsonObject): MaltBranch[] {
  return Array.isArray(run["nodes"]) ? graphBranches(run["nodes"]) : sampleBranches(listOf(run["samples"]));
}

interface Node { readonly index: number; readonly id: string; readonly parent: string | undefined; readonly time: number; readonly message: Json }

function graphBranches(recorded: readonly Json[]): MaltBranch[] {
  const nodes = recorded.flatMap((value, index): Node[] => {
    const message = memberAt(value, "node_data", "message");
    if (!isObject(message)) return [];
    const called = memberAt(value, "node_data", "first_called_at");
    return [{ index, id: scalarText(member(value, "node_id")) ?? `node-${index}`, parent: scalarText(member(value, "parent_node_id")), time: numberOf(called) ?? 0, message: withTime(message, called) }];
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Set(nodes.flatMap((node) => node.parent ?? []));
  const leaves = nodes.filter((node) => !parents.has(node.id)).sort((a, b) => b.time - a.time || b.index - a.index);
  const owner = new Map<Node, { branch: number; at: number }>();
  const branches: MaltBranch[] = [];
  for (const leaf of leaves.length > 0 ? leaves : nodes.slice(-1)) {
    const found = new Set<Node>();
    let at: Node | undefined = leaf;
    for (; at && !owner.has(at) && !found.has(at); at = at.parent === undefined ? undefined : byId.get(at.parent)) found.add(at);
    const path = [...found].reverse();
    const from = at && owner.get(at);
    path.forEach((node, i) => owner.set(node, { branch: branches.length, at: i }));
    const messages = path.map((node) => ({ message: node.message, pointer: `/nodes/${node.index}/node_data/message` }));
    branches.push({ id: `branch-${path[0]?.id ?? branches.length}`, messages, parent: from?.branch ?? 0, after: from?.at });
  }
  const left = nodes.filter((node) => !owner.has(node));
  if (branches.length === 0) return [{ id: "branch-0", messages: [], parent: 0 }];
  // Nodes in a circle belong to no path: they are shown behind the rest, in the order of the file.
  return left.length === 0 ? branches : [{ ...branches[0]!, problem: `${left.length} messages are on no path from a first message: their parents form a circle. They are left to a branch of their own.` }, ...branches.slice(1), { id: "branch-circle", parent: 0, messages: left.map((node) => ({ message: node.message, pointer: `/nodes/${node.index}/node_data/message` })) }];
}

function withTime(message: JsonObject, called: Json | undefined): Json {
  return called === undefined || called === null || "timestamp" in message ? message : { ...message, timestamp: called };
}

/** The last call's input and its first answer are the longest path; other answers that it does not hold are branches. */
function sampleBranches(samples: readonly Json[]): MaltBranch[] {
  const last = samples.length - 1;
  const input = listOf(member(samples[last], "input"));
  const outputs = (index: number): readonly (readonly Json[])[] => listOf(member(samples[index], "output")).filter(Array.isArray) as Json[][];
  const main = [
    ...input.map((message, i) => ({ message: dated(message), pointer: `/samples/${last}/input/${i}` })),
    ...(outputs(last)[0] ?? []).map((message, i) => ({ message: dated(message), pointer: `/samples/${last}/output/0/${i}` })),
  ];
  const known = new Set(main.map(({ message }) => keyOf(message)));
  const branches: MaltBranch[] = [{ id: "main", messages: main, parent: 0 }];
  for (let index = 0; index <= last; index++) {
    outputs(index).forEach((output, n) => {
      if (output.length === 0 || known.has(keyOf(output[0]!))) return;
      output.forEach((message) => known.add(keyOf(message)));
      const after = listOf(member(samples[index], "input")).length - 1;
      branches.push({ id: `branch-${index}-${n}`, parent: 0, after: after < 0 ? undefined : Math.min(after, main.length - 1), messages: output.map((message, i) => ({ message: dated(message), pointer: `/samples/${index}/output/${n}/${i}` })) });
    });
  }
  return branches;
}

function dated(message: Json): Json {
  const time = memberAt(message, "metadata", "timestamp");
  return isObject(message) ? (withTime(message, time) as JsonObject) : message;
}

/** Equal for a message and its copy in a later call. */
function keyOf(message: Json): string {
  const node = scalarText(memberAt(message, "metadata", "node_id"));
  return node ?? jsonOf([member(message, "role") ?? null, member(message, "content") ?? null, memberAt(message, "function_call", "arguments") ?? null]);
}
