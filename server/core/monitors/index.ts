/** Every kind of monitor, and the monitors of a workspace. A new kind is one file and one line here. */
import { command } from "./command";
import { linear } from "./linear";
import { llm } from "./llm";
import { recorded } from "./recorded";
import { rules } from "./rules";
import { voteKind } from "./vote";
import type { Monitor, MonitorKind, Needs } from "./define";
import type { ReadyRule } from "./rules/own-rules";
import type { LinearModel } from "#core/training/linear-model";
import type { MonitorConfig, WorkspaceConfig } from "#core/workspace/schemas";

export const monitorKinds: readonly MonitorKind[] = [rules, llm, recorded, command, voteKind((monitor) => kindOf(monitor)), linear];

/** The definition of a monitor's kind. Every kind that the schema allows has one. */
export function kindOf(monitor: Pick<Monitor, "kind">): MonitorKind {
  const found = monitorKinds.find((one) => one.kind === monitor.kind);
  if (!found) throw new Error(`no monitor kind ${monitor.kind}`);
  return found;
}

/** What it takes to run this monitor. */
export function needsOf(monitor: Monitor): Needs {
  return kindOf(monitor).needs(monitor);
}

/** This monitor, and those it asks in turn. */
export function monitorAndMembers(monitor: Monitor): readonly Monitor[] {
  return [monitor, ...(monitor.members ?? [])];
}

/** Whether a monitor may run in a workspace that is not trusted: it, and all that it asks, goes by rules or by recorded verdicts. */
export function runsUntrusted(monitor: Monitor): boolean {
  return monitorAndMembers(monitor).every(({ kind }) => ["rules", "recorded", "vote"].includes(kind));
}

/** The monitor that is always there and needs nothing. */
export const rulesMonitor: Monitor = { id: "rules", kind: "rules", config: { kind: "rules" } };

/** What stands in files beside `tracemark.json`, by monitor id: texts of prompt templates, rules ready to be applied, models of linear guards. */
export interface MonitorFiles {
  readonly templates?: ReadonlyMap<string, string>;
  readonly ownRules?: ReadonlyMap<string, readonly ReadyRule[]>;
  readonly linear?: ReadonlyMap<string, LinearModel>;
}

/**
 * The monitors that can be chosen: `rules` first, then those of `tracemark.json` in its order. An entry called `rules` cannot
 * replace the built-in one unless it is of kind `rules` itself; then its settings count.
 */
export function listMonitors(config: Pick<WorkspaceConfig, "monitors"> | undefined, files: MonitorFiles = {}): Monitor[] {
  const entries = Object.entries(config?.monitors ?? {});
  const ready = (id: string, one: MonitorConfig): Monitor => ({ id, kind: one.kind, config: one, template: files.templates?.get(id), ownRules: files.ownRules?.get(id), linear: files.linear?.get(id) });
  const own = entries.find(([id, one]) => id === "rules" && one.kind === "rules")?.[1];
  const first: Monitor = own ? ready("rules", own) : rulesMonitor;
  const all = [first, ...entries.filter(([id]) => id !== "rules").map(([id, one]) => ready(id, one))];
  return all.map((one) => (one.kind === "vote" ? { ...one, members: (one.config.of ?? []).flatMap((id) => all.find((other) => other.id === id) ?? []) } : one));
}

/** A sentence when a configured id takes the name of the built-in monitor. */
export function reservedIdProblem(config: Pick<WorkspaceConfig, "monitors"> | undefined): string | undefined {
  const entry = config?.monitors?.["rules"];
  return entry && entry.kind !== "rules" ? `"rules" is the built-in monitor and cannot be of kind "${entry.kind}"; choose another id` : undefined;
}
