/** The steps that a new sample begins with: a template for its task, or what a text on the clipboard says who said. */
import { splitThinking } from "#core/trajectory/formats/think-tags";
import { toolCallText, type Part, type Role, type Step } from "#core/trajectory/model";

export const sampleTasks = ["qa", "code", "reasoning", "agent"] as const;
export type SampleTask = (typeof sampleTasks)[number];

/** The empty steps of a sample of a task. */
export function templateSteps(task: SampleTask): Step[] {
  const text = (words = ""): Part => ({ kind: "text", text: words });
  switch (task) {
    case "qa":
    case "code":
      return numbered([["user", [text()]], ["assistant", [text()]]]);
    case "reasoning":
      return numbered([["user", [text()]], ["assistant", [{ kind: "reasoning", text: "" }, text()]]]);
    case "agent": {
      const args = [{ key: "command", text: "" }];
      return numbered([
        ["system", [text()]], ["user", [text()]],
        ["assistant", [text(), { kind: "tool_call", text: toolCallText(args), toolName: "bash", callId: "call-1", args }]],
        ["tool", [{ kind: "tool_result", text: "", toolName: "bash", callId: "call-1" }]],
        ["assistant", [text()]],
      ]);
    }
  }
}

const turn = /^(?:\*\*|#{1,6} )?(system|user|human|assistant|agent|ai|model|tool|observation)(?:\*\*)?:(?:\*\*)?[ \t]*/i;
const roles: Readonly<Record<string, Role>> = { system: "system", user: "user", human: "user", assistant: "assistant", agent: "assistant", ai: "assistant", model: "assistant", tool: "tool", observation: "tool" };

/**
 * Steps of a plain text. Lines that begin with `User:`, `Assistant:` and the like begin a turn; a leading `<think>` block of the
 * assistant is its reasoning. A text without such lines is what the user asked, with an empty answer behind it, unless it begins
 * with `<think>`: then it is an answer, with an empty question before it.
 */
export function stepsFromText(given: string): Step[] {
  const text = given.replace(/\r\n/g, "\n").trim();
  const turns: { role: Role; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const match = turn.exec(line);
    if (match) turns.push({ role: roles[match[1]!.toLowerCase()]!, lines: [line.slice(match[0].length)] });
    else if (turns.length > 0) turns.at(-1)!.lines.push(line);
    else turns.push({ role: /^\s*<think/i.test(text) ? "assistant" : "user", lines: [line] });
  }
  const rows = turns.map(({ role, lines }): [Role, Part[]] => [role, partsOf(role, lines.join("\n").trim())]);
  if (rows.length === 1 && rows[0]![0] === "user") rows.push(["assistant", [{ kind: "text", text: "" }]]);
  if (rows.length === 1 && rows[0]![0] === "assistant") rows.unshift(["user", [{ kind: "text", text: "" }]]);
  return numbered(rows);
}

function partsOf(role: Role, text: string): Part[] {
  if (role === "tool") return [{ kind: "tool_result", text }];
  const thought = role === "assistant" ? splitThinking(text) : undefined;
  return thought ? [{ kind: "reasoning", text: thought.reasoning.trim() }, { kind: "text", text: thought.rest.trim() }] : [{ kind: "text", text }];
}

function numbered(rows: readonly (readonly [Role, Part[]])[]): Step[] {
  return rows.map(([role, parts], index) => ({ index, role, parts, places: [] }));
}
