/** Long texts and images that an Inspect log keeps apart: references to them are replaced by what they stand for. */
import type { Json, JsonDocument } from "#core/json/document";
import type { ToolArgument } from "../model";
import { argumentsOf, textOf } from "./fields";
import type { StepList } from "./step-list";

/** A 32-digit hash in whole logs, a running number in chunked ones. */
const reference = /attachment:\/\/([0-9a-f]{32}|\d{1,9})(?![0-9a-zA-Z])/g;

export class Attachments {
  private readonly missing = new Set<string>();

  constructor(private readonly find: (key: string) => string | undefined, private readonly list: StepList) {}

  /** `text` with its references replaced; one that leads nowhere stays, with a warning. */
  resolve(text: string): string {
    return text.includes("attachment://") ? text.replace(reference, (whole, key: string) => this.lookUp(key) ?? whole) : text;
  }

  /** Recorded JSON with the references inside its strings replaced, escaped as JSON asks. */
  resolveJson(raw: string): string {
    if (!raw.includes("attachment://")) return raw;
    return raw.replace(reference, (whole, key: string) => {
      const found = this.lookUp(key);
      return found === undefined ? whole : JSON.stringify(found).slice(1, -1);
    });
  }

  /** A value as text (strings decoded, the rest as recorded JSON), references replaced. */
  textOf(document: JsonDocument, value: Json | undefined): string {
    return typeof value === "string" ? this.resolve(value) : this.resolveJson(textOf(document, value));
  }

  argumentsOf(document: JsonDocument, object: Parameters<typeof argumentsOf>[1]): ToolArgument[] {
    return argumentsOf(document, object).map(({ key, text, raw }) => (text !== undefined ? { key, text: this.resolve(text) } : { key, raw: this.resolveJson(raw ?? "") }));
  }

  private lookUp(key: string): string | undefined {
    const found = this.find(key);
    if (found === undefined && !this.missing.has(key)) {
      this.missing.add(key);
      this.list.warn("attachment-missing", `The attachment ${key} is not in the log; the reference is shown instead.`);
    }
    return found;
  }
}
