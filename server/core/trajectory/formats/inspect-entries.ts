/** JSON entries of an Inspect container, read one by one; what cannot be read is a warning that names the entry. */
import { decodeUtf8 } from "#core/json/decode";
import type { JsonDocument } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import { DataProblem } from "../data-problem";
import type { Warning } from "../model";
import type { Archive } from "../reader";

export class EntryReader {
  private readonly names: ReadonlySet<string>;

  constructor(private readonly archive: Archive) {
    this.names = new Set(archive.entries.map((entry) => entry.name));
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  /** Names that begin with `prefix`, in the order of the directory. */
  below(prefix: string): string[] {
    return this.archive.entries.map((entry) => entry.name).filter((name) => name.startsWith(prefix));
  }

  /** The entry as JSON, as far as it can be read; undefined, with a warning, where it cannot. */
  json(name: string, warnings: Warning[]): JsonDocument | undefined {
    let bytes: Uint8Array;
    try {
      bytes = this.archive.read(name);
    } catch (problem) {
      const sentence = problem instanceof DataProblem ? problem.message : String(problem);
      warnings.push({ code: "damaged-entry", message: `${name} could not be read: ${sentence}` });
      return undefined;
    }
    const { text, invalidAt } = decodeUtf8(bytes);
    if (invalidAt !== undefined) warnings.push({ code: "invalid-utf-8", message: `${name} holds bytes that are no UTF-8; they are shown as U+FFFD.` });
    const parsed = parseJson(text, { recover: true });
    if (!parsed.document) {
      warnings.push({ code: "damaged-entry", message: `${name} holds no JSON: ${parsed.problem}` });
      return undefined;
    }
    for (const note of parsed.document.notes) warnings.push({ code: note.code === "json-cut" ? "truncated-json" : note.code, message: `${name}: ${note.message}` });
    return parsed.document;
  }
}
