/** Files made from a seed, for benches: the same seed gives the same bytes on every machine. */

import { randomFrom } from "../support/fuzz/random";

export const words = ("the file test value error return import class self def module path index list function when after should field " +
  "time delta serialize precision rounding expected actual assert open edit search submit line").split(" ");
/** Logs of code are ASCII but for a word here and there. */
const rareWords = "naïve größer → 数据 … é 🚀".split(" ");
const codeLines = [
  "    def _serialize(self, value, attr, obj, **kwargs):", "        if value is None:", "            return None", '        base_unit = dt.timedelta(**{self.precision: 1})',
  '        return int(value.total_seconds() / base_unit.total_seconds())', "", '\traise ValidationError("Not a valid period of time.")', "import os, sys, re  # noqa", "    @pytest.mark.parametrize(('a', 'b'), [(1, 2), (3, 4)])",
];

export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!;
}

export function prose(random: () => number, count: number): string {
  const out: string[] = [];
  for (let i = 0; i < count; i++) out.push(random() < 0.003 ? pick(random, rareWords) : pick(random, words));
  return `${out.join(" ")}.`;
}

export function listing(random: () => number, lines: number): string {
  const out: string[] = [];
  for (let i = 0; i < lines; i++) out.push(`${i + 1}:${random() < 0.7 ? pick(random, codeLines) : prose(random, 8)}`);
  return out.join(random() < 0.2 ? "\r\n" : "\n");
}

/**
 * A SWE-agent 1.x file of about `bytes` bytes: history with tool calls, trajectory entries that repeat the last messages of
 * the prompt, state objects, indented by two blanks as SWE-agent writes it.
 */
export function sweAgentFile(bytes: number, seed = 1): string {
  const random = randomFrom(seed);
  const history: object[] = [
    { role: "system", content: prose(random, 300), agent: "main", message_type: "system_prompt" },
    { role: "user", content: `ISSUE:\n${prose(random, 200)}`, agent: "main", message_type: "observation" },
  ];
  const trajectory: object[] = [];
  for (let size = 0, n = 0; size < bytes; n++) {
    const id = `call_${n}`;
    const thought = prose(random, 20 + Math.floor(random() * 60));
    const command = `sed -n '${n},${n + 80}p' src/${pick(random, words)}.py | grep -n "${pick(random, words)}"`;
    const observation = listing(random, 20 + Math.floor(random() * 120));
    history.push(
      { role: "assistant", content: thought, thought, action: command, agent: "main", tool_calls: [{ function: { arguments: JSON.stringify({ command }), name: "bash" }, id, type: "function" }], message_type: "action" },
      { role: "tool", content: `${observation}\n(Open file: n/a)\n(Current directory: /testbed)\nbash-$`, agent: "main", message_type: "observation", tool_call_ids: [id] },
    );
    const entry = { action: command, observation, response: thought, thought, execution_time: random() * 3, state: { open_file: "n/a", working_dir: "/testbed" }, query: history.slice(-3, -1) };
    trajectory.push(entry);
    // Strings dominate; escapes add some percent.
    size += Math.round((observation.length * 3 + thought.length * 8 + 1200) * 1.03);
  }
  const info = { exit_status: "submitted", submission: listing(random, 30), model_stats: { instance_cost: 1.25, tokens_sent: 123456, tokens_received: 7890, api_calls: trajectory.length } };
  return JSON.stringify({ trajectory, history, info, environment: "main" }, null, 2);
}
