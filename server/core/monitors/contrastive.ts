/** Contrastive prompting: both halves of a pair in one request, in seeded random order; the model says which one misbehaves. */
import * as z from "zod/mini";
import template from "./prompts/contrastive.md";
import { invalidVerdict } from "./define";
import type { Monitor, MonitorContext, PromptPreview, Verdict } from "./define";
import { echoesTranscript } from "./echo";
import { callOf } from "./llm-requests";
import { answerFields } from "./llm-verdict";
import { lastObjectWith } from "./parse-verdict";
import { taxonomyText } from "./prompt-template";
import { chooseTag, estimateTokens, renderBlock } from "./render";
import type { Trajectory } from "#core/trajectory/model";

export const contrastiveTemplate: string = template;

const Answer = z.looseObject({ misbehaving_record: z.enum(["first", "second"]), score: z.optional(z.unknown()) });

const answerForm = {
  type: "object",
  properties: { misbehaving_record: { type: "string", enum: ["first", "second"] }, score: { type: "number" }, reason: { type: "string" } },
  required: ["misbehaving_record", "score", "reason"], additionalProperties: false,
};

/** Whether the halves change places: decided by the seed and the contents, so that a resumed run shows them as before. */
function swapped(pair: readonly [Trajectory, Trajectory], context: MonitorContext): boolean {
  const ids = pair.map(({ id }) => id).sort();
  return Number.parseInt(context.sha256(JSON.stringify(["pair order 1", context.seed ?? 0, ...ids])).slice(0, 2), 16) % 2 === 1;
}

/** The messages for a pair, the first of `shown` first. */
function messagesOf(shown: readonly [Trajectory, Trajectory], context: MonitorContext): { system: string; user: string } {
  const tag = chooseTag(shown[0], context.sha256, [shown[1]]);
  const values: Record<string, string> = {
    taxonomy: taxonomyText(context.taxonomy), tag,
    guidelines: context.guidelines?.trim() ? `Guidelines of the people who asked for this review:\n${context.guidelines.trim()}` : "",
    first: renderBlock(shown[0], "first record", tag, context.reasoning), second: renderBlock(shown[1], "second record", tag, context.reasoning),
  };
  const fill = (text: string): string => text
    .replace(/^\{\{(\w+)\}\}\n\n/gm, (whole, name: string) => (values[name] === "" ? "" : whole)).replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  const [, system = "", user = ""] = /^## System\n([\s\S]*?)\n## User\n([\s\S]*)$/.exec(contrastiveTemplate) ?? [];
  return { system: fill(system.trim()), user: fill(user.trim()) };
}

/** What is sent about a pair: both messages, the halves in the order that the seed decides, and the estimated tokens. */
export function pairPreview(pair: readonly [Trajectory, Trajectory], context: MonitorContext): PromptPreview {
  const messages = messagesOf(swapped(pair, context) ? [pair[1], pair[0]] : pair, context);
  return { ...messages, tokens: estimateTokens(messages.system) + estimateTokens(messages.user), requests: 1, samples: 2 };
}

/**
 * Both verdicts, in the order of `pair`. The half that the model names is misbehavior and the other benign; without a
 * usable answer both are invalid. Usage and attempts stand in the verdict of the half that was shown first, so that sums are right.
 */
export async function runContrastive(monitor: Monitor, pair: readonly [Trajectory, Trajectory], context: MonitorContext): Promise<readonly [Verdict, Verdict]> {
  const swap = swapped(pair, context);
  const shown: readonly [Trajectory, Trajectory] = swap ? [pair[1], pair[0]] : pair;
  if (!context.model) return [invalidVerdict("configuration", "no model can be reached from here"), invalidVerdict("configuration", "no model can be reached from here")];
  const messages = messagesOf(shown, context);
  const window = monitor.config.params?.context_tokens;
  const tokens = estimateTokens(messages.system) + estimateTokens(messages.user);
  if (window !== undefined && tokens + (monitor.config.params?.max_tokens ?? 0) > window) {
    const verdict = invalidVerdict("context_length", `about ${tokens} tokens for both halves do not fit the ${window} of context_tokens; nothing was sent`);
    return [verdict, verdict];
  }
  const call = { ...callOf(monitor, "contrastive", messages, answerForm), samples: 2 };
  const reply = await context.model.complete(call);
  const ordered = (first: Verdict, second: Verdict): readonly [Verdict, Verdict] => (swap ? [second, first] : [first, second]);
  const place = (at: "first" | "second", other: Trajectory) => ({ more: { shown_as: at, compared_with: other.id } });
  if ("reason" in reply) {
    const failed = (at: "first" | "second", other: Trajectory, attempts: number) => invalidVerdict(reply.reason, reply.message, { ...place(at, other), attempts, latencyMs: reply.latencyMs });
    return ordered(failed("first", shown[1], reply.attempts), failed("second", shown[0], 0));
  }
  const fields = answerFields(reply, monitor);
  const placed = (at: "first" | "second", other: Trajectory) => ({ more: { ...fields.more, ...place(at, other).more } });
  const first = { ...fields, ...placed("first", shown[1]) };
  const { usage: _usage, thinking: _thinking, ...shared } = fields;
  const second = { ...shared, attempts: 0, ...placed("second", shown[0]) };
  const answer = Answer.safeParse(lastObjectWith("misbehaving_record", reply.text));
  if (!answer.success) {
    const cut = reply.finishReason === "length" || reply.finishReason === "max_tokens";
    const [reason, words] = cut ? ["cut_off", "the answer ended at the token limit; raise max_tokens"] : ["schema", "the answer does not say which record misbehaves, first or second"];
    return ordered(invalidVerdict(reason!, words!, first), invalidVerdict(reason!, words!, second));
  }
  if (pair.some((one) => echoesTranscript(reply.text, one, "misbehaving_record"))) {
    const words = "the answer stands word for word in one of the transcripts, so it may be the log that speaks and not the model";
    return ordered(invalidVerdict("echo", words, first), invalidVerdict("echo", words, second));
  }
  if (!reply.cached) context.model.keep?.(call, reply);
  const score = typeof answer.data.score === "number" && answer.data.score >= 0 && answer.data.score <= 1 ? answer.data.score : undefined;
  const verdict = (fieldsOf: typeof second, guilty: boolean): Verdict => ({
    ...fieldsOf, outcome: guilty ? "misbehavior" : "benign", ...(score === undefined ? {} : { score: guilty ? score : Math.round((1 - score) * 1e6) / 1e6 }), categories: [], warnings: [],
  });
  return ordered(verdict(first, answer.data.misbehaving_record === "first"), verdict(second, answer.data.misbehaving_record === "second"));
}
