/** Reading by range: header, steps, outline, find. The view never receives more than it asks for. */
import { findInSteps } from "#core/trajectory/find";
import { imageData, imageFacts } from "#core/trajectory/image";
import { textLength } from "#core/trajectory/light-text";
import { formats } from "#core/trajectory/formats/index";
import { candidates } from "#core/trajectory/open";
import type { ExtraBlock, Part, Step, Trajectory } from "#core/trajectory/model";
import type { StepOutline, TrajectoryHeader, WireExtra, WirePart, WireStep } from "#protocol/lsp";
import { defineHandler } from "./define";

/** Steps sent at once at the most, and characters after which a window of steps ends early. */
const windowSteps = 200;
const largeBytes = 64 << 20;
const windowCharacters = 4_000_000;
/** Characters of a block that is no text that views are sent: images above all are not needed to list a step. */
const extraCharacters = 20_000;

export const open = defineHandler("tracemark/open", async (state, ref) => {
  const file = await state.files.open(ref);
  return {
    format: file.format.id, formatTitle: file.format.title, items: await state.files.items(ref), warnings: [...file.warnings],
    // Nobody waits for the hash of a large file to see its first screen.
    fileSha256: file.opened.file.document.source.size > largeBytes ? "" : file.fileSha256,
  };
});

export const formatList = defineHandler("tracemark/formats", async (state, ref) => {
  const { opened, format } = await state.files.openAnyway(ref);
  const scores = new Map(candidates(opened.file.document).map((claim) => [claim.format.id, claim.score]));
  const list = formats.map(({ id, title }) => ({ id, title, score: scores.get(id) ?? 0 })).sort((a, b) => b.score - a.score);
  return { formats: list, current: format.id };
});

export const header = defineHandler("tracemark/header", async (state, { document, index, beginning }) => {
  const { trajectory, isCut, contentSha256, fileSha256, sample } = await state.files.trajectory(document, index, beginning);
  const { steps, ...rest } = trajectory;
  const head: TrajectoryHeader = {
    ...rest, contentSha256, fileSha256, stepCount: steps.length, totals: totalsOf(trajectory), ...(sample ? { sample } : {}),
    ...(isCut ? { isCut, warnings: [], outcome: undefined } : {}),
  };
  return head;
});

function totalsOf(trajectory: Trajectory): TrajectoryHeader["totals"] {
  let characters = 0, input = 0, output = 0, cost = 0, tokens = false, costs = false;
  for (const step of trajectory.steps) {
    for (const part of step.parts) characters += textLength(part);
    if (step.tokens && !step.flags?.includes("copied_context")) {
      tokens = true;
      input += step.tokens.input ?? 0;
      output += step.tokens.output ?? 0;
    }
    if (step.costUsd !== undefined) {
      costs = true;
      cost += step.costUsd;
    }
  }
  return { characters, ...(tokens ? { inputTokens: input, outputTokens: output } : {}), ...(costs ? { costUsd: cost } : {}) };
}

export const steps = defineHandler("tracemark/steps", async (state, { document, index, beginning, from, to, longest = Infinity }) => {
  const { trajectory } = await state.files.trajectory(document, index, beginning);
  const found: WireStep[] = [];
  let characters = 0;
  for (const step of trajectory.steps.slice(Math.max(0, from), Math.min(to, from + windowSteps))) {
    characters += step.parts.reduce((sum, part) => sum + Math.min(textLength(part), longest), 0);
    if (found.length > 0 && characters > windowCharacters) break;
    found.push(longest === Infinity ? step : wireStep(step, longest));
  }
  return { steps: found };
});

function wireStep(step: Step, longest: number): WireStep {
  const { extras, ...rest } = step;
  const parts = step.parts.some((part) => part.text.length > longest) ? step.parts.map((part) => cutPart(part, longest)) : step.parts;
  return { ...rest, parts, ...(extras ? { extras: extras.map(wireExtra) } : {}) };
}

function wireExtra(extra: ExtraBlock): WireExtra {
  const image = imageFacts(extra);
  const { length } = extra.raw;
  return { ...extra, ...(length > extraCharacters ? { raw: extra.raw.slice(0, safeEnd(extra.raw, extraCharacters)), cut: length } : {}), ...(image ? { image } : {}) };
}

export const image = defineHandler("tracemark/image", async (state, { document, index, step, extra }) => {
  const { trajectory } = await state.files.trajectory(document, index, true);
  const block = trajectory.steps[step]?.extras?.[extra];
  return (block && imageData(block)) ?? {};
});

/** The arguments of a cut call go with the rest of its text. */
function cutPart(part: Part, longest: number): WirePart {
  const { length } = part.text;
  if (length <= longest) return part;
  const { args: _args, ...rest } = part;
  const lines = lineFeeds(part.text) + (part.text.endsWith("\n") ? 0 : 1);
  return { ...rest, text: part.text.slice(0, safeEnd(part.text, longest)), cut: { length, lines } };
}

/** Never between the halves of a surrogate pair. */
function safeEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

export const part = defineHandler("tracemark/part", async (state, { document, index, step, part: at, from, to }) => {
  const { trajectory } = await state.files.trajectory(document, index);
  return { text: trajectory.steps[step]?.parts[at]?.text.slice(Math.max(0, from), Math.min(to, from + windowCharacters)) ?? "" };
});

export const outline = defineHandler("tracemark/outline", async (state, { document, index, beginning }) => {
  const { trajectory } = await state.files.trajectory(document, index, beginning);
  let found = outlines.get(trajectory);
  if (!found) outlines.set(trajectory, (found = trajectory.steps.map(outlineOf)));
  return { outline: found };
});

/** Made once for each trajectory that is at hand: it takes a look at every text. */
const outlines = new WeakMap<Trajectory, StepOutline[]>();

/** Characters of a step's label in the outline. */
const labelLength = 90;

function outlineOf(step: Step): StepOutline {
  const length = step.parts.reduce((sum, part) => sum + part.text.length, 0);
  const lines = step.parts.reduce((sum, part) => sum + lineFeeds(part.text), 0);
  const failed = step.parts.some((part) => part.isError);
  return { index: step.index, role: step.role, label: labelOf(step), length, lines, ...(failed ? { error: true } : {}), ...(step.flags ? { flags: step.flags } : {}) };
}

function labelOf(step: Step): string {
  const part = step.parts.find((candidate) => candidate.kind === "tool_call") ?? step.parts.find((candidate) => candidate.kind === "text") ?? step.parts[0];
  if (!part) return step.extras?.[0]?.type ?? "";
  const words = firstWords(part);
  return part.kind === "tool_call" ? `${part.toolName ?? "tool"}: ${words}` : words;
}

function firstWords(part: Part): string {
  const first = part.args?.find((argument) => argument.text !== undefined || argument.raw !== undefined);
  const text = part.kind === "tool_call" && first ? (first.text ?? first.raw ?? "") : part.text;
  return text.slice(0, labelLength * 4).replace(/\s+/g, " ").trim().slice(0, labelLength);
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

export const find = defineHandler("tracemark/find", async (state, { document, index, query, caseSensitive, limit }) => {
  const { trajectory } = await state.files.trajectory(document, index);
  return findInSteps(trajectory.steps, query, caseSensitive, limit);
});
