/** Every format that is read, in the order in which equal claims to a file are settled. A new format is one line here. */
import type { FormatDefinition } from "../reader";

export const formats: readonly FormatDefinition[] = [];

/** The definition with this id, or undefined. */
export function formatById(id: string): FormatDefinition | undefined {
  return formats.find((format) => format.id === id);
}
