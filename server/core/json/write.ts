/** Writes JSON so that recorded numbers and objects come out exactly as they were read. */

/** A piece of JSON text that is written as it is. The caller vouches that it is valid JSON. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** An object whose members are written in exactly this order, whatever their names (`{"10": …}` would be moved to the front). */
export class OrderedJson {
  constructor(readonly members: readonly (readonly [key: string, value: Writable])[]) {}
}

export type Writable = null | boolean | number | string | RawJson | OrderedJson | readonly Writable[] | { readonly [key: string]: Writable | undefined };

/**
 * `value` as JSON, indented by `indent` blanks (0: on one line), members in the order in which they were set, undefined
 * ones left out. Numbers that JSON has no name for become null. Deterministic.
 */
export function writeJson(value: Writable, indent = 0): string {
  return write(value, indent, "\n");
}

function write(value: Writable, indent: number, lineBreak: string): string {
  if (value instanceof RawJson) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = lineBreak + " ".repeat(indent);
  const items: string[] = [];
  if (Array.isArray(value)) for (const item of value as readonly Writable[]) items.push(write(item, indent, inner));
  else {
    const colon = indent > 0 ? ": " : ":";
    const members = value instanceof OrderedJson ? value.members : Object.entries(value as Record<string, Writable | undefined>);
    for (const [key, item] of members) {
      if (item !== undefined) items.push(JSON.stringify(key) + colon + write(item, indent, inner));
    }
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  return indent > 0 ? open + inner + items.join(`,${inner}`) + lineBreak + close : open + items.join(",") + close;
}
