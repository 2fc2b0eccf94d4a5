/** The trajectories of traces: one for each trace, and one for each agent below another that has a history of its own. */
import { isObject, member } from "#core/json/access";
import type { Outcome, Trajectory, Warning } from "../model";
import type { OpenedFile, TrajectoryHead } from "../reader";
import { draftTrajectory } from "./drafts";
import { listOf, row, stringOf, titleFrom } from "./fields";
import { jsonOf } from "./otel-attributes";
import { pairResults } from "./step-list";
import { stepText, taskOf } from "./step-text";
import { TraceTalk } from "./trace-talk";
import { TraceTree, type TraceNode } from "./trace-nodes";

/** One trace before it is read. `recordId` is undefined where the file holds one by its shape. */
export interface Trace {
  readonly recordId: string | undefined;
  readonly nodes: readonly TraceNode[];
  readonly metadata: Trajectory["metadata"];
  readonly outcome?: Outcome | undefined;
  readonly warnings?: readonly Warning[] | undefined;
  /** Sees the finished steps: where something is said about a span, by its id, it can be said about a step. */
  readonly onSteps?: (stepOf: ReadonlyMap<string, number>) => Pick<Outcome, "details">;
}

interface Thread { readonly trace: Trace; readonly tree: TraceTree; readonly agent: TraceNode | undefined; readonly nodes: TraceNode[] }

/** A file of traces. The talk of each is built when it is asked for. */
export function openTraces(traces: readonly Trace[], warnings: readonly Warning[] = []): OpenedFile {
  const threads = traces.flatMap(threadsOf);
  const heads = threads.map((thread, index): TrajectoryHead => {
    const parent = thread.agent && threads.findIndex((one) => one.trace === thread.trace);
    const title = titleFrom(thread.agent?.name ?? firstWords(thread.nodes));
    return parent === undefined || parent === index ? { recordId: thread.trace.recordId, title } : { recordId: thread.agent!.id, title, parent };
  });
  const built = new Map<number, { trajectory: Trajectory; talk: TraceTalk }>();
  const build = (index: number) => {
    const known = built.get(index);
    if (known) return known;
    const thread = threads[index]!;
    const above = heads[index]!.parent;
    const made = loadThread(thread, above === undefined ? undefined : build(above));
    built.set(index, made);
    return made;
  };
  const empty: Warning[] = traces.length > 0 || warnings.length > 0 ? [] : [{ code: "no-talk", message: "The file holds no spans or runs." }];
  return { heads, warnings: [...warnings, ...empty], load: (index) => build(index).trajectory };
}

/** The trace's own thread first, then those of agents below other agents. */
function threadsOf(trace: Trace): Thread[] {
  const tree = new TraceTree(trace.nodes);
  const main: Thread = { trace, tree, agent: undefined, nodes: [] };
  const byAgent = new Map<TraceNode, Thread>();
  const chains = new Map(tree.nodes.map((node) => [node, tree.ancestors(node)]));
  const calls = tree.nodes.filter((node) => node.kind === "llm" && node.input);
  const opening = firstMessage(calls[0]);
  for (const node of tree.nodes) {
    if (node.kind !== "agent" || !chains.get(node)!.some((above) => above.kind === "agent")) continue;
    const first = calls.find((call) => chains.get(call)!.find((above) => above.kind === "agent") === node);
    if (first && firstMessage(first) !== opening) byAgent.set(node, { trace, tree, agent: node, nodes: [] });
  }
  for (const node of tree.nodes) {
    const owner = [node, ...chains.get(node)!].find((one) => byAgent.has(one));
    (owner ? byAgent.get(owner)! : main).nodes.push(node);
  }
  return [main, ...byAgent.values()];
}

/** The first words of a call that are not the system's, to tell one history from another. */
function firstMessage(node: TraceNode | undefined): string {
  const message = node?.input?.messages.find((one) => one["role"] !== "system");
  return jsonOf(message?.["content"] ?? null);
}

function firstWords(nodes: readonly TraceNode[]): string | undefined {
  for (const node of nodes) {
    const content = node.kind === "llm" ? member(node.input?.messages.find((message) => message["role"] === "user"), "content") : undefined;
    const text = stringOf(content) ?? listOf(content).map((block) => (isObject(block) ? (stringOf(block["text"]) ?? stringOf(block["content"])) : undefined)).find((words) => words !== undefined);
    if (text !== undefined) return text;
  }
  return nodes[0]?.name;
}

function loadThread(thread: Thread, parent: { trajectory: Trajectory; talk: TraceTalk } | undefined): { trajectory: Trajectory; talk: TraceTalk } {
  const { trace, tree } = thread;
  const talk = new TraceTalk();
  const isCall = (node: TraceNode): boolean => node.kind === "llm" && (node.input !== undefined || node.output !== undefined);
  if (!parent) talk.list.warnings.push(...(trace.warnings ?? []));
  // The same call may be recorded by the framework and by the provider's client below it: the inner one is closer to the model.
  const outer = new Set(thread.nodes.filter(isCall).flatMap((node) => tree.ancestors(node).filter((above) => above.kind === "llm")));
  const readable = thread.nodes.some((node) => node.kind === "llm" || node.tool);
  if (readable) for (const node of thread.nodes) outer.has(node) ? talk.drop(node) : talk.read(node);
  else for (const node of thread.nodes) talk.readPlain(node);
  if (!thread.nodes.some(isCall)) talk.list.warn("messages-not-captured", "The trace holds no messages of a model: its spans are shown by what went into them and came out.", thread.nodes[0]?.place);
  const missing = parent ? 0 : tree.missingParents();
  if (missing > 0) talk.list.warn("parent-missing", `${missing} parent spans are named but not recorded; what they held is missing.`);
  const last = talk.list.steps.at(-1);
  pairResults(talk.list, (part) => last !== undefined && last.parts.includes(part));
  const root = thread.agent ?? thread.nodes.find((node) => node.parent === undefined) ?? thread.nodes[0];
  const models = [...new Set(talk.list.steps.flatMap((step) => step.model ?? []))];
  const task = taskOf(talk.list.steps);
  const more = trace.onSteps?.(new Map([...talk.stepOf].map(([node, step]) => [node.id, step])));
  const outcome: Outcome = { ...(parent ? {} : trace.outcome), ...(parent || !more?.details?.length ? {} : { details: [...(trace.outcome?.details ?? []), ...more.details] }) };
  if (root?.error !== undefined) outcome.error = root.error;
  const finish = thread.nodes.findLast((node) => node.finish !== undefined)?.finish;
  if (finish !== undefined) outcome.status ??= finish;
  const trajectory = draftTrajectory(talk.list, {
    title: titleFrom(thread.agent?.name ?? task ?? stepText(talk.list.steps[0]) ?? root?.name), task, model: models.length > 0 ? models.join(", ") : undefined,
    agent: thread.agent?.name ?? thread.nodes.find((node) => node.kind === "agent")?.name, outcome: Object.keys(outcome).length > 0 ? outcome : undefined,
    metadata: [...(parent ? [] : trace.metadata), ...row("records without steps", [...talk.dropped].map(([name, count]) => `${name} × ${count}`).join(", "))],
    linkStep: parent && linkStep(thread, parent.trajectory, parent.talk),
  });
  return { trajectory, talk };
}

/** The parent's step with the call that the agent ran for; else the last one before the agent began. */
function linkStep({ tree, agent }: Thread, parent: Trajectory, talk: TraceTalk): number | undefined {
  const tool = tree.ancestors(agent!).find((above) => above.tool);
  const callId = tool?.tool?.callId;
  const call = callId === undefined ? undefined : parent.steps.find((step) => step.parts.some((part) => part.kind === "tool_call" && part.callId === callId));
  const made = tool && talk.stepOf.get(tool);
  if (call || made !== undefined) return call?.index ?? Math.min(made!, parent.steps.length - 1);
  const before = [...talk.stepOf].filter(([node]) => node.order <= agent!.order).map(([, step]) => step);
  return before.length > 0 && parent.steps.length > 0 ? Math.min(Math.max(...before), parent.steps.length - 1) : undefined;
}
