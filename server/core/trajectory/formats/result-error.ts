/** Results of calls that failed. */
import type { Part } from "../model";

/**
 * Marks results as failed. An error that the results do not say themselves is what the agent was shown, and becomes a text of
 * its own; an empty result makes way for it. No error leaves the results as they are.
 */
export function withError(results: readonly Part[], error: string): Part[] {
  if (error === "") return [...results];
  const said = results.some((part) => part.text.includes(error));
  const spoken = results.filter((part) => part.text !== "" || said);
  const first = results[0];
  const added: Part[] = said || !first ? [] : [{ ...first, text: error }];
  return [...spoken, ...added].map((part) => ({ ...part, isError: true }));
}
