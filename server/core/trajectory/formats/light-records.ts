/** What is held of the records of a file that is too large to be held: short values that many records share, and the way back to the line. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { LineDocuments } from "../light-text";
import type { Place } from "../model";

/** The start of a text that tells whose words it holds. */
const startLength = 80;

/** Stands for the document of a record whose line is not held. */
export const lightDocument: JsonDocument = parseJson("null").document!;

/** Stands for the document of a record whose line is another one now. */
export const changedDocument: JsonDocument = parseJson("null").document!;

/** Picks out of records what stays. One for each file: texts that many records repeat are held once. */
export class LightPicker {
  private readonly texts = new Map<string, string>();
  private readonly objects = new Map<string, JsonObject>();

  /** The members of these names that are no objects and no lists. */
  pick(from: JsonObject, keys: readonly string[]): JsonObject {
    const light: JsonObject = {};
    for (const key of keys) {
      const value = from[key];
      if (typeof value === "string") light[key] = this.once(value);
      else if (value !== undefined && (typeof value !== "object" || value === null)) light[key] = value;
    }
    return light;
  }

  /** One object for all that are equal, and is never changed. */
  shared(value: JsonObject): JsonObject {
    const key = JSON.stringify(value);
    const known = this.objects.get(key);
    if (known) return known;
    this.objects.set(key, value);
    return value;
  }

  once<T extends string | undefined>(text: T): T {
    if (text === undefined) return text;
    const known = this.texts.get(text);
    if (known !== undefined) return known as T;
    this.texts.set(text, text);
    return text;
  }
}

/** A text's beginning, as a text of its own: a mere slice would hold all of it. Null for anything else. */
export function startOf(value: Json | undefined): Json {
  if (typeof value !== "string") return null;
  const text = value.trimStart();
  return text.length <= startLength ? text : ` ${text.slice(0, startLength)}`.slice(1);
}

/** A record whose line is not held, or not there any more. */
interface Placed { readonly document: JsonDocument; readonly place: Place }

/**
 * The document of the line of a light record, for as long as the caller holds it; undefined where the record is whole,
 * "changed" where the line is not the one any more that the record was made of: what the light record holds is no text then,
 * but the beginning of one.
 */
export function lineOf({ document, place: { line } }: Placed, light: LineDocuments | undefined): { document: JsonDocument; value: JsonObject } | "changed" | undefined {
  if (document !== lightDocument || !light || line === undefined) return undefined;
  const found = light.lineJson(line);
  return found && isObject(found.value) ? { document: found, value: found.value } : "changed";
}

/** True for a record that has no texts since its line was changed. */
export function isChanged(record: Placed): boolean {
  return record.document === changedDocument;
}

/** What is said of such a record; the code counts as damage. */
export function changedLine({ place: { line } }: Placed): readonly [code: string, message: string] {
  return ["changed-line", `Line ${line} was changed after it had been read: its record is shown without texts; open the file again.`];
}
