/** Changes a manifest's text line by line: what is not concerned stays as it was, byte for byte. */
import { listMembers } from "#core/json/walk";
import type { SampleRecord } from "#core/workspace/schemas";

/** Keys that a line gets; an undefined value changes nothing. */
export type SampleChange = Partial<SampleRecord>;

/**
 * The text with `change` in the line of the sample `id`. Of that line only the values of the keys that change are written anew;
 * new keys come behind. Undefined when no line is the sample's.
 */
export function changeSampleLine(text: string, id: string, change: SampleChange): string | undefined {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => idOf(line) === id);
  if (at < 0) return undefined;
  let line = lines[at]!;
  for (const [key, value] of Object.entries(change)) if (value !== undefined) line = setKey(line, key, value);
  lines[at] = line;
  return lines.join("\n");
}

/** The line of an object with one key set; of a key that is repeated the last one counts, as for every JSON reader. */
function setKey(line: string, key: string, value: unknown): string {
  const written = JSON.stringify(value);
  const members = listMembers(line, line.indexOf("{"));
  const there = members.findLast((member) => member.key === key);
  if (there) {
    const isSame = JSON.stringify(JSON.parse(line.slice(there.start, there.end))) === written;
    return isSame ? line : line.slice(0, there.start) + written + line.slice(there.end);
  }
  const end = line.lastIndexOf("}");
  return `${line.slice(0, end)}${members.length === 0 ? "" : ","}${JSON.stringify(key)}:${written}${line.slice(end)}`;
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
    const record: unknown = JSON.parse(line.replace(/^\uFEFF/, ""));
    return typeof record === "object" && record !== null && "id" in record && typeof record.id === "string" ? record.id : undefined;
  } catch {
    return undefined;
  }
}
