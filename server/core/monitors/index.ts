/** Every kind of monitor, and the monitors of a workspace. A new kind is one file and one line here. */
import { command, linear, vote } from "./not-yet";
import { llm } from "./llm";
import { recorded } from "./recorded";
import { rules } from "./rules";
import type { Monitor, MonitorKind } from "./define";
import type { WorkspaceConfig } from "#core/workspace/schemas";

export const monitorKinds: readonly MonitorKind[] = [rules, llm, recorded, command, vote, linear];

/** The definition of a monitor's kind. Every kind that the schema allows has one. */
export function kindOf(monitor: Pick<Monitor, "kind">): MonitorKind {
  const found = monitorKinds.find((one) => one.kind === monitor.kind);
  if (!found) throw new Error(`no monitor kind ${monitor.kind}`);
  return found;
}

/** The monitor that is always there and needs nothing. */
export const rulesMonitor: Monitor = { id: "rules", kind: "rules", config: { kind: "rules" } };

/**
 * The monitors that can be chosen: `rules` first, then those of `tracemark.json` in its order. `templates` holds the
 * text of each prompt file that the configuration names, by monitor id. An entry called `rules` cannot replace the
 * built-in one unless it is of kind `rules` itself; then its settings count.
 */
export function listMonitors(config: Pick<WorkspaceConfig, "monitors"> | undefined, templates: ReadonlyMap<string, string> = new Map()): Monitor[] {
  const entries = Object.entries(config?.monitors ?? {});
  const own = entries.find(([id, one]) => id === "rules" && one.kind === "rules")?.[1];
  const first: Monitor = own ? { ...rulesMonitor, config: own } : rulesMonitor;
  const others = entries.filter(([id]) => id !== "rules").map(([id, one]): Monitor => ({ id, kind: one.kind, config: one, template: templates.get(id) }));
  return [first, ...others];
}

/** A sentence when a configured id takes the name of the built-in monitor. */
export function reservedIdProblem(config: Pick<WorkspaceConfig, "monitors"> | undefined): string | undefined {
  const entry = config?.monitors?.["rules"];
  return entry && entry.kind !== "rules" ? `"rules" is the built-in monitor and cannot be of kind "${entry.kind}"; choose another id` : undefined;
}
