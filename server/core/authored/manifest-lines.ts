/** Changes a manifest's text line by line: what is not concerned stays as it was, byte for byte. */
import type { SampleRecord } from "#core/workspace/schemas";

/** Keys that a line gets; an undefined value changes nothing. */
export type SampleChange = Partial<SampleRecord>;

/**
 * The text with `change` in the line of the sample `id`. Keys that the line has keep their place and whatever else it holds;
 * new ones come behind. Undefined when no line is the sample's.
 */
export function changeSampleLine(text: string, id: string, change: SampleChange): string | undefined {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => idOf(line) === id);
  if (at < 0) return undefined;
  const line = lines[at]!;
  const record = JSON.parse(line) as Record<string, unknown>;
  const added = Object.entries(change).filter(([key, value]) => value !== undefined && !(key in record));
  const changed = Object.entries(change).filter(([key, value]) => value !== undefined && key in record && JSON.stringify(record[key]) !== JSON.stringify(value));
  // Numbers are printed again only where a key that is there changes.
  const kept = changed.length === 0 ? line.trimEnd() : JSON.stringify({ ...record, ...Object.fromEntries(changed) });
  const more = added.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`).join("");
  lines[at] = `${kept.slice(0, -1)}${more}}${line.endsWith("\r") ? "\r" : ""}`;
  return lines.join("\n");
}

/** The text with a line for `record` behind the line of `after`, else at the end. */
export function addSampleLine(text: string, record: SampleRecord, after?: string): string {
  const line = JSON.stringify(record);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const at = after === undefined ? -1 : lines.findIndex((one) => idOf(one) === after);
  lines.splice(at < 0 ? lines.length : at + 1, 0, line);
  return `${lines.join("\n")}\n`;
}

/** The id of a line, or undefined where the line is no record. */
function idOf(line: string): string | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === "object" && record !== null && "id" in record && typeof record.id === "string" ? record.id : undefined;
  } catch {
    return undefined;
  }
}
