/** What a verdict says of itself beside its outcome: why an answer could not be used, and what is odd about one. */
import type { VerdictRecord } from "#core/workspace/schemas";

/** The message of the verdict, then its warnings; run files of others may lack both or hold something else there. */
export function verdictNotes({ message, warnings }: VerdictRecord): string[] {
  const list: unknown[] = [message, ...(Array.isArray(warnings) ? warnings : [])];
  return list.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "");
}
