/** Catches answers that are nothing but a verdict which stands in the transcript itself. */
import type { Trajectory } from "#core/trajectory/model";
import { lastObjectWith, objectAt } from "./parse-verdict";

/** Occurrences looked at in one part, opening brackets tried before each, and characters of an object: enough for any answer. */
const mostPlaces = 200, mostBrackets = 24, longestObject = 20_000;

/**
 * Whether the verdict in `raw` stands in the transcript, key for key: then it may be the log that speaks, and not the model,
 * and the two cannot be told apart. Strings inside JSON strings are looked into too. `word` is the key that makes an object a verdict.
 */
export function echoesTranscript(raw: string, trajectory: Trajectory, word = "misbehavior_detected"): boolean {
  const verdict = lastObjectWith(word, raw);
  if (verdict === undefined) return false;
  const answered = canonical(verdict);
  return trajectory.steps.some((step) => step.parts.some(({ text }) => text.includes(word)
    && [text, text.replace(/\\"/g, '"')].some((form) => holds(form, answered, word))));
}

/** Looks from every occurrence of the word back to the brackets that may open its object, so that nothing in front can hide it. */
function holds(text: string, answered: string, word: string): boolean {
  let at = text.indexOf(word);
  for (let place = 0; at >= 0 && place < mostPlaces; place++, at = text.indexOf(word, at + 1)) {
    let open = at;
    for (let tries = 0; tries < mostBrackets && open > 0; tries++) {
      open = text.lastIndexOf("{", open - 1);
      if (open < 0 || at - open > longestObject) break;
      const found = objectAt(text.slice(open, open + longestObject), 0);
      if (found && canonical(found) === answered) return true;
    }
  }
  return false;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "object" && inner !== null && !Array.isArray(inner)
    ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner));
}
