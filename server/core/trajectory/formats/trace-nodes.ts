/** What tracing formats have in common: pieces of work with parents, some of which are model calls, tools or agents. */
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place, Tokens } from "../model";

/** Chat messages in OpenAI's shape and the document that their inner objects are part of. */
export interface TracedTalk {
  readonly document: JsonDocument;
  readonly messages: readonly JsonObject[];
}

export type NodeKind = "llm" | "tool" | "agent" | "other";

/** Arguments and result of a tool's run, as recorded. `shown` is a result as several texts (documents that were found). */
export interface TracedTool {
  readonly name: string;
  readonly callId: string | undefined;
  readonly args: Json | undefined;
  readonly result: Json | undefined;
  readonly shown?: readonly string[] | undefined;
  readonly document: JsonDocument;
}

/** One span or run. `order` sorts siblings of all levels by their start; equal orders keep the order of the file. */
export interface TraceNode {
  readonly id: string;
  readonly parent: string | undefined;
  readonly kind: NodeKind;
  /** What the format calls the kind; for the count of nodes that give no steps. */
  readonly kindName: string;
  readonly name: string;
  readonly order: bigint;
  readonly time: string | undefined;
  readonly place: Place;
  readonly input: TracedTalk | undefined;
  readonly output: TracedTalk | undefined;
  readonly tool: TracedTool | undefined;
  readonly error: string | undefined;
  readonly model: string | undefined;
  readonly tokens: Tokens | undefined;
  readonly finish: string | undefined;
  /** The attributes as JSON, for nodes that hold no messages. */
  raw(): string;
}

/** The nodes of one trace by id, with the questions that are asked of the tree. */
export class TraceTree {
  readonly nodes: readonly TraceNode[];
  private readonly byId = new Map<string, TraceNode>();

  constructor(nodes: readonly TraceNode[]) {
    this.nodes = [...nodes].sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
    for (const node of nodes) if (!this.byId.has(node.id)) this.byId.set(node.id, node);
  }

  /** The chain of parents, the nearest first. A parent that is missing ends it, and so does a circle. */
  ancestors(node: TraceNode): TraceNode[] {
    const found: TraceNode[] = [];
    const seen = new Set<TraceNode>([node]);
    for (let at = this.parent(node); at && !seen.has(at); at = this.parent(at)) {
      seen.add(at);
      found.push(at);
    }
    return found;
  }

  private parent(node: TraceNode): TraceNode | undefined {
    return node.parent === undefined ? undefined : this.byId.get(node.parent);
  }

  /** Parents that are named but not recorded: dropped, or in another file. */
  missingParents(): number {
    return new Set(this.nodes.flatMap((node) => (node.parent !== undefined && !this.byId.has(node.parent) ? [node.parent] : []))).size;
  }
}
