/** aider: chat histories (`.aider.chat.history.md`) of many chats, and the pages that are published from them. */
import { decodeUtf8 } from "#core/json/decode";
import type { Step, Tokens, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { chatsOf, type Block, type Chat } from "./aider-blocks";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { row, titleFrom } from "./fields";
import { StepList } from "./step-list";
import { taskOf } from "./step-text";

export const aider = defineFormat({
  id: "aider",
  title: "aider chat history",
  version: 1,
  extensions: [".aider.chat.history.md"],
  keeps: "What the user typed, what the model wrote (edits stay in its text), what the program printed; model, tokens and cost of a reply out of the printed lines.",
  drops: "The marks of the lines; front matter and prose around a published transcript (told).",
  sniff,
  open,
});

const headBytes = 1 << 16;

function sniff(document: SourceDocument): number {
  if (document.kind !== "text") return 0;
  const { text } = decodeUtf8(document.source.bytes(0, Math.min(document.source.size, headBytes)));
  if (/^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$/m.test(text)) return 0.97;
  const isTyped = /^#### /m.test(text) && /^> /m.test(text);
  if (!isTyped) return 0;
  return /^<div class="chat-transcript"|^> (?:\$ aider\b|Aider v\d|Applied edit to |Commit [0-9a-f]{7} aider|Tokens: [\d.,k]+ sent)/m.test(text) ? 0.9 : 0;
}

function open(document: SourceDocument): OpenedFile {
  const chats = chatsOf(document.text());
  // A page holds one transcript; a history is a file of many, even while it holds a single chat.
  const isPage = chats.length === 1 && chats[0]!.started === undefined;
  const heads = chats.map((chat, index): TrajectoryHead => ({ recordId: isPage ? undefined : String(index), title: titleOf(chat), line: chat.line }));
  return { heads, warnings: [], load: (index) => (chats[index] ? load(chats[index]) : emptyTrajectory()) };
}

/** The heading of a page, else the first thing typed that is no command of the program. */
function titleOf(chat: Chat): string | undefined {
  const heading = chat.started === undefined ? chat.outside.find(({ text }) => /^# /.test(text))?.text.slice(2) : undefined;
  const typed = chat.blocks.filter((block) => block.kind === "user").map((block) => block.text);
  return titleFrom(heading ?? typed.find((text) => !/^\s*\//.test(text)) ?? typed[0] ?? (chat.started === undefined ? undefined : `Chat of ${chat.started}`));
}

function load(chat: Chat): Trajectory {
  const list = new StepList();
  const facts: Facts = {};
  let typed = false;
  let reply: Step | undefined;
  for (const block of chat.blocks) {
    if (block.kind === "user") {
      typed = true;
      reply = undefined;
      list.add({ role: "user", parts: [{ kind: "text", text: block.text }], places: [{ line: block.line }] });
    } else if (block.kind === "text") reply = list.add({ role: "assistant", parts: [{ kind: "text", text: block.text }], places: [{ line: block.line }] });
    else addOutput(list, block, typed, reply, facts);
  }
  const { outside } = chat;
  if (outside.length > 0) {
    list.warn("page-text", `${outside.length} lines around the transcript (the first is line ${outside[0]!.line}) are no part of the talk and make no steps.`, { line: outside[0]!.line });
  }
  if (list.steps.length === 0) list.warn("empty-chat", "aider was started and ended without a word: nothing stands below the header of this chat.", { line: chat.line });
  if (facts.model !== undefined) for (const step of list.steps) if (step.role === "assistant") step.model = facts.model;
  const task = taskOf(list.steps.filter((step) => step.role === "user" && !/^\s*\//.test(step.parts[0]?.text ?? ""))) ?? taskOf(list.steps);
  return draftTrajectory(list, {
    title: titleOf(chat), task, agent: "aider", model: facts.model,
    metadata: [...row("started", chat.started), ...row("aider version", facts.version), ...row("command", facts.command), ...row("edit format", facts.editFormat)],
  });
}

interface Facts { model?: string; version?: string; command?: string; editFormat?: string }

/** Printed lines: ahead of the first request and at an interruption the program's own, else what a request led to. */
function addOutput(list: StepList, block: Block, typed: boolean, reply: Step | undefined, facts: Facts): void {
  readFacts(block.text, facts);
  const places = [{ line: block.line }];
  if (!typed || /^\^C/.test(block.text)) list.add({ role: "system", parts: [{ kind: "text", text: block.text }], flags: ["meta"], places });
  else list.add({ role: "tool", parts: [{ kind: "tool_result", text: block.text }], places });
  const line = block.text.split("\n").find((candidate) => candidate.startsWith("Tokens: "))?.slice(0, 300) ?? "";
  const counts = /^Tokens: ([\d.,]+)(k?) sent,.*?([\d.,]+)(k?) received\.(?: Cost: \$([\d.]+) (?:request|message|send))?/.exec(line);
  if (!counts || !reply || reply.tokens) return;
  reply.tokens = { input: countOf(counts[1]!, counts[2]!), output: countOf(counts[3]!, counts[4]!) } satisfies Tokens;
  if (counts[5] !== undefined && Number.isFinite(Number(counts[5]))) reply.costUsd = Number(counts[5]);
}

/** A count as printed: `5,244`, or rounded: `4.2k`. */
function countOf(digits: string, thousands: string): number {
  const number = Number(digits.replace(/,/g, ""));
  return Number.isFinite(number) ? Math.round(number * (thousands === "k" ? 1000 : 1)) : 0;
}

function readFacts(text: string, facts: Facts): void {
  const model = /^(?:Main model|Models?): (\S+) with (?:(\S+(?: \S+)?) edit format)?/m.exec(text);
  const version = /^Aider v(\S+)/m.exec(text);
  const command = /^(?:\$ )?(\S*aider(?: .*)?)$/m.exec(text);
  if (model) {
    facts.model ??= model[1]!;
    if (model[2]) facts.editFormat ??= model[2];
  }
  if (version) facts.version ??= version[1]!;
  if (command && facts.version === undefined) facts.command ??= command[1]!;
}
