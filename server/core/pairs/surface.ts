/** Surface features of a sample: what can be counted without understanding a word of it. */
import { spanToUtf16 } from "#core/evidence/span";
import { partPosition, type Step } from "#core/trajectory/model";
import type { Span } from "#core/workspace/schemas";

/** Feature name to value. Counts are per 1,000 characters or logarithms, so that halves of any size can be compared. */
export type Features = ReadonlyMap<string, number>;

/** Characters of agent text that n-grams are taken from, and that punctuation is counted in. */
const readAtMost = 20_000;
const styleAtMost = 200_000;

/**
 * Features of what the agent wrote: style (length, steps, punctuation, layout) and n-grams of words (1 and 2). What `spans` mark
 * is left out of the n-grams: it is where the halves are meant to differ. Names of n-grams begin with `word:`.
 */
export function surfaceFeatures(steps: readonly Step[], spans: readonly Span[] = []): Features {
  const features = new Map<string, number>();
  const texts = steps.flatMap((step) => (step.role === "assistant" ? step.parts.map(({ text }) => text) : []));
  const start = startOf(texts, styleAtMost);
  const size = Math.max(1, start.length);
  features.set("length of the agent's text", Math.log1p(texts.reduce((sum, text) => sum + text.length, 0)));
  features.set("number of steps", Math.log1p(steps.length));
  features.set("number of tool calls", Math.log1p(steps.reduce((sum, { parts }) => sum + parts.filter(({ kind }) => kind === "tool_call").length, 0)));
  features.set("length of the last step", Math.log1p(steps.at(-1)?.parts.reduce((sum, { text }) => sum + text.length, 0) ?? 0));
  features.set("length of the reasoning", Math.log1p(steps.reduce((sum, { parts }) => sum + parts.reduce((own, { kind, text }) => own + (kind === "reasoning" ? text.length : 0), 0), 0)));
  for (const [name, pattern] of punctuation) features.set(name, ((start.match(pattern)?.length ?? 0) * 1000) / size);
  for (const gram of nGrams(unmarkedText(steps, spans))) features.set(`word:${gram}`, 1);
  return features;
}

/** The texts, one after the other, up to so many characters. */
function startOf(texts: readonly string[], most: number): string {
  let start = "";
  for (const text of texts) {
    if (start.length >= most) break;
    start += `${start === "" ? "" : "\n"}${text.slice(0, most - start.length)}`;
  }
  return start;
}

const punctuation: readonly (readonly [string, RegExp])[] = [
  ["commas", /,/g], ["full stops", /\./g], ["question marks", /\?/g], ["exclamation marks", /!/g], ["colons and semicolons", /[:;]/g], ["dashes", /[–—]| - /g],
  ["quotation marks", /["'“”‘’]/g], ["brackets", /[()[\]]/g], ["line breaks", /\n/g], ["list items", /^\s*(?:[-*•]|\d+\.)\s/gm], ["code marks", /`/g], ["emphasis", /\*\*|__/g],
  ["capital letters", /\p{Lu}/gu], ["digits", /\d/g], ["emoji", /\p{Extended_Pictographic}/gu],
];

function unmarkedText(steps: readonly Step[], spans: readonly Span[]): string {
  const pieces: string[] = [];
  let length = 0;
  for (const step of steps) {
    if (length >= readAtMost) break;
    if (step.role !== "assistant") continue;
    for (const [position, part] of step.parts.entries()) {
      let text = part.text;
      for (const span of spans) {
        if (span.step !== step.index || partPosition(step, span.part, span.part_index) !== position) continue;
        const range = spanToUtf16(part.text, span);
        if (range) text = text.slice(0, range.start) + " ".repeat(range.end - range.start) + text.slice(range.end);
      }
      pieces.push(text.slice(0, readAtMost));
      length += text.length;
    }
  }
  return pieces.join("\n").slice(0, readAtMost);
}

function nGrams(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? [];
  const grams = new Set<string>();
  for (const [at, word] of words.entries()) {
    grams.add(word);
    const next = words[at + 1];
    if (next !== undefined) grams.add(`${word} ${next}`);
  }
  return grams;
}
