/** The trajectory as rules see it: the agent's own words and actions cut into prose, commands and code, and what others said, kept apart. */
import type { Part, Step, StepFlag, Trajectory } from "#core/trajectory/model";

/**
 * A stretch of a part by what it is for. `removed` is text that an edit takes away, `observed` is tool output that a
 * log in the ReAct manner keeps inside the agent's own text, `data` any other argument.
 * `start` and `end` are UTF-16 offsets in the part's text; `path` is the file that the stretch is written to.
 */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly purpose: "prose" | "command" | "code" | "removed" | "observed" | "path" | "data";
  readonly key?: string | undefined;
  readonly path?: string | undefined;
}

export interface OwnPart {
  readonly step: number;
  /** Position in `step.parts`. */
  readonly part: number;
  readonly kind: Part["kind"];
  readonly text: string;
  readonly toolName?: string | undefined;
  /** Name of the tool that this part calls: the recorded one, or that of a text which is nothing but `name(…)` or `name{…}`. */
  readonly called?: string | undefined;
  readonly segments: readonly Segment[];
}

/** A text by somebody else, at its place in the order of steps. */
export interface OtherText {
  readonly step: number;
  readonly role: Step["role"];
  readonly text: string;
  readonly isError: boolean;
}

export interface AgentView {
  /** Parts of the agent's own steps, in order, as far as the monitor may see them. */
  readonly own: readonly OwnPart[];
  /** What users wrote, lower case not applied, in order, joined by line feeds. */
  readonly request: string;
  readonly users: readonly OtherText[];
  readonly systems: readonly OtherText[];
  readonly toolResults: readonly OtherText[];
  /** The agent's last text, where it ends with one. */
  readonly answer: OwnPart | undefined;
}

const foreign = new Set<StepFlag>(["demonstration", "copied_context", "duplicate", "user_tool", "synthetic"]);

/** Builds the view. Steps that are not the agent's doing in this run (demonstrations, copies, the user's own tools) are left out. */
export function agentView(trajectory: Trajectory, reasoning: boolean): AgentView {
  const own: OwnPart[] = [], users: OtherText[] = [], systems: OtherText[] = [], toolResults: OtherText[] = [];
  for (const step of trajectory.steps) {
    if (step.flags?.some((flag) => foreign.has(flag))) continue;
    step.parts.forEach((part, position) => {
      if (part.kind === "tool_result" || step.role === "tool") {
        toolResults.push({ step: step.index, role: step.role, text: part.text, isError: part.isError === true });
      } else if (step.role === "assistant") {
        const mine = ownPart(step.index, position, part);
        for (const segment of mine.segments) {
          if (segment.purpose === "observed") toolResults.push({ step: step.index, role: "tool", text: part.text.slice(segment.start, segment.end), isError: false });
        }
        if (part.kind !== "reasoning" || reasoning) own.push(mine);
      } else {
        (step.role === "user" ? users : systems).push({ step: step.index, role: step.role, text: part.text, isError: false });
      }
    });
  }
  const answer = own.filter((part) => part.kind === "text" && part.text.trim() !== "").at(-1);
  const request = users.length > 0 ? users.map((one) => one.text).join("\n") : trajectory.task ?? "";
  return { own, request, users, systems, toolResults, answer };
}

function ownPart(step: number, position: number, part: Part): OwnPart {
  const segments = part.kind === "tool_call" ? callSegments(part) : textSegments(part.text);
  const called = part.kind === "tool_call" ? part.toolName : part.kind === "text" ? writtenCall(part.text) : undefined;
  return { step, part: position, kind: part.kind, text: part.text, toolName: part.toolName, called, segments };
}

function writtenCall(text: string): string | undefined {
  if (text.length > 4000 || text.includes("\n\n")) return undefined;
  return /^\s*([A-Za-z_]\w{2,60})\s*(?:\([^\n]*\)|\{[^\n]*\})\s*$/.exec(text)?.[1];
}

const commandKey = /^(?:command|commands|cmd|bash|shell|script|bash_command|keystrokes)$/i;
const codeKey = /^(?:code|source|source_code|program|new_str|new_string|new_text|file_text|content|contents|text|patch|diff|insert_text|replacement|replace|new_content|body|query|sql|snippet)$/i;
const removedKey = /^(?:old_str|old_string|old_text|search|find|original|old_content)$/i;
const pathKey = /^(?:path|file|file_path|filepath|filename|file_name|target_file|notebook_path)$/i;
const shellTool = /bash|shell|terminal|exec|run|command|console|execute/i;
const codeTool = /python|ipython|jupyter|notebook|edit|write|create|patch|replace|insert|sql|code/i;

/** The arguments of a call, each at its place in the part's text (contract: `key: value` lines). */
function callSegments(part: Part): Segment[] {
  const tool = part.toolName ?? "";
  if (!part.args) {
    const purpose = shellTool.test(tool) ? "command" : codeTool.test(tool) ? "code" : "data";
    return [{ start: 0, end: part.text.length, purpose }];
  }
  const path = part.args.find((arg) => pathKey.test(arg.key))?.text;
  let at = 0;
  return part.args.map((arg): Segment => {
    const value = arg.text ?? arg.raw ?? "";
    const start = at + arg.key.length + 2;
    at = start + value.length + 1;
    return { start, end: start + value.length, purpose: argumentPurpose(arg.key, tool, path !== undefined), key: arg.key, path };
  });
}

function argumentPurpose(key: string, tool: string, hasPath: boolean): Segment["purpose"] {
  if (removedKey.test(key)) return "removed";
  if (pathKey.test(key)) return "path";
  if (commandKey.test(key)) return /python/i.test(tool) ? "code" : "command";
  if (codeKey.test(key)) return hasPath || codeTool.test(tool) || /^(?:code|source|source_code|program|patch|diff|sql|snippet)$/i.test(key) ? "code" : "data";
  if (/^(?:input|args|arguments)$/i.test(key)) return shellTool.test(tool) ? "command" : codeTool.test(tool) ? "code" : "data";
  return "data";
}

const fence = /^[ \t]*(?:```|~~~)[ \t]*([\w+#.-]*)[^\n]*$/gm;
const shellLanguage = /^(?:bash|sh|shell|console|zsh|terminal|cmd|powershell|mswea_bash_command)$/i;

/** Prose outside fences, code and commands inside. A text without fences that reads like code is code. */
function textSegments(text: string): Segment[] {
  const observed = /^[ \t]*\[?observation\]?[ \t]*:/im.exec(text);
  if (!observed) return fencedSegments(text);
  const rest = /^[ \t]*(?:thought|action|final answer)[ \t]*:/im.exec(text.slice(observed.index + observed[0].length));
  const end = rest ? observed.index + observed[0].length + rest.index : text.length;
  const before = fencedSegments(text.slice(0, observed.index));
  const after = end < text.length ? textSegments(text.slice(end)) : [];
  return [
    ...before, { start: observed.index, end, purpose: "observed" },
    ...after.map((one) => ({ ...one, start: one.start + end, end: one.end + end })),
  ];
}

function fencedSegments(text: string): Segment[] {
  if (text === "") return [];
  const marks = [...text.matchAll(fence)];
  if (marks.length === 0) return looksLikeCode(text) ? [{ start: 0, end: text.length, purpose: "code" }] : proseSegments(text, 0, text.length);
  const segments: Segment[] = [];
  let at = 0;
  for (let i = 0; i < marks.length; i += 2) {
    const open = marks[i]!;
    const close = marks[i + 1];
    const start = Math.min(open.index + open[0].length + 1, text.length);
    const end = close ? Math.max(start, close.index) : text.length;
    if (open.index > at) segments.push(...proseSegments(text, at, open.index));
    segments.push({ start, end, purpose: shellLanguage.test(open[1] ?? "") ? "command" : "code" });
    at = close ? close.index + close[0].length : text.length;
  }
  if (at < text.length) segments.push(...proseSegments(text, at, text.length));
  return segments;
}

const indentedShell = /(?:^|\n)[ \t]*\n((?: {4}|\t)[ \t]*(?:\$ )?(?:sudo|curl|wget|rm|git|pip|npm|apt|apt-get|chmod|chown|docker|python3?|ssh|scp|dd|sh|bash|export|kill|mkfs)\b[^\n]*(?:\n(?: {4}|\t)[^\n]*)*)/g;

/** Prose, with the indented blocks in it that begin with a shell command as commands. */
function proseSegments(text: string, from: number, to: number): Segment[] {
  const segments: Segment[] = [];
  let at = from;
  for (const match of text.slice(from, to).matchAll(indentedShell)) {
    const start = from + match.index + match[0].length - (match[1] ?? "").length;
    if (start > at) segments.push({ start: at, end: start, purpose: "prose" });
    at = from + match.index + match[0].length;
    segments.push({ start, end: at, purpose: "command" });
  }
  if (at < to) segments.push({ start: at, end: to, purpose: "prose" });
  return segments;
}

const codeLine = /[;{}]\s*$|^\s*(?:def|class|import|from|return|if|for|while|elif|else|try|except|with|async|await|const|let|var|function|public|private|protected|static|void|int|char|struct|unsigned|size_t|package|use|fn|impl|SELECT|INSERT|UPDATE|DELETE)\b.*[:;({=,)]\s*$|^\s*[\w.[\]>*-]+\s*(?:=|\+=|\|=)\s*\S|^\s*#\s*(?:include|define)|^\s*@\w+|^\s*[\w.]+\([^)]*\)\s*;?$/;

/** Whether most of a text's lines (its first 200) have the shape of program lines. */
function looksLikeCode(text: string): boolean {
  if (/^\s*(?:@\w[\w.]*(?:\(.*\))?\s*\n\s*)?(?:(?:async )?def \w+\(|class \w+\s*[(:{]|#include\b|import \w|from [\w.]+ import\b|(?:export |async )*function\b\s*\*?\s*\w*\(|package \w+;|(?:static|public|private|protected|unsigned|struct|void|const)\s+[\w*]+[^.!?\n]*[({;])/.test(text)) return true;
  const lines = text.slice(0, 20_000).split("\n").filter((line) => line.trim() !== "").slice(0, 200);
  if (lines.length < 3) return false;
  return lines.filter((line) => line.length < 400 && codeLine.test(line)).length / lines.length >= 0.4;
}
