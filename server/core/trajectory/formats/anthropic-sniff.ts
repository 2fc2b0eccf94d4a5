/** How a record shows that it is Anthropic's and not a chat completion's: by its blocks, its reply object, its system prompt. */
import { arrayMember, isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import { conversationOf, isReply } from "./anthropic-conversation";
import { isServerResult } from "./anthropic-results";
import { isOldPrompt } from "./anthropic-prompt";
import { listOf, stringOf } from "./fields";

const ownBlocks = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "container_upload", "compaction", "search_result"]);
const chatRoles = new Set(["tool", "function", "developer"]);

/** How sure it is that a record (object, or list of messages) is an Anthropic conversation or reply, 0 to 1. */
export function sniffRecord(value: Json | undefined): number {
  if (isReply(value)) return "stop_reason" in value || Array.isArray(value["content"]) ? 0.97 : 0.8;
  const prompt = stringOf(member(value, "prompt"));
  if (isOldPrompt(prompt)) return 0.8;
  const conversation = conversationOf(value);
  if (!conversation) return 0;
  if (conversation.reply) return 0.95;
  const messages = conversation.messages.slice(0, 200);
  if (messages.some((message) => isChatMessage(message))) return 0;
  if (messages.some(hasOwnBlocks)) return 0.93;
  const system = conversation.system;
  const isSystem = typeof system === "string" || Array.isArray(system);
  return isSystem && messages.every((message) => ["user", "assistant"].includes(stringOf(member(message, "role")) ?? "")) ? 0.75 : 0;
}

function isChatMessage(message: Json): boolean {
  return isObject(message) && (chatRoles.has(stringOf(message["role"]) ?? "") || "tool_calls" in message || "function_call" in message || "reasoning_content" in message);
}

function hasOwnBlocks(message: Json): boolean {
  return listOf(arrayMember(message, "content")).some((block) => {
    const type = stringOf(member(block, "type")) ?? "";
    // A `thinking` block whose thinking is a list is Mistral's.
    if (type === "thinking") return typeof member(block, "thinking") === "string";
    return ownBlocks.has(type) || isServerResult(type) || isObject(member(block, "source"));
  });
}
