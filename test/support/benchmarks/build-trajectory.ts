/** Builds small trajectories for tests: one line a step, without a file. */
import { toolCallText } from "#core/trajectory/model";
import type { Part, Role, Step, Trajectory } from "#core/trajectory/model";

/** A step in short form: its role and its parts; a bare string is a text part. */
export type ShortStep = readonly [Role, ...(string | Part)[]];

/** Text of the agent's reasoning. */
export const thinks = (text: string): Part => ({ kind: "reasoning", text });

/** A tool call with string arguments. */
export const calls = (toolName: string, args: Record<string, string>): Part => {
  const list = Object.entries(args).map(([key, text]) => ({ key, text }));
  return { kind: "tool_call", toolName, args: list, text: toolCallText(list) };
};

/** A shell command. */
export const runs = (command: string): Part => calls("bash", { command });

/** What a tool gave back. */
export const returns = (text: string): Part => ({ kind: "tool_result", text });

/** A trajectory of these steps, with the id and task given. */
export function aTrajectory(steps: readonly ShortStep[], rest: Partial<Trajectory> = {}): Trajectory {
  return {
    id: "sample", format: "test", reader: { id: "test", version: 1 }, metadata: [], warnings: [], ...rest,
    steps: steps.map(([role, ...parts], index): Step => ({
      index, role, places: [], parts: parts.map((part) => (typeof part === "string" ? { kind: role === "tool" ? "tool_result" : "text", text: part } : part)),
    })),
  };
}
