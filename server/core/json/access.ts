/** Small questions asked of parsed JSON: is it an object, a text, a number; what stands under a name. */
import { RawNumber } from "./document";
import type { Json, JsonObject } from "./document";

/** True for a JSON object; arrays, null and `RawNumber` are not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RawNumber);
}

/** The value under `key` where `value` is an object that has it itself, else undefined. */
export function member(value: unknown, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Follows several keys; undefined as soon as one is missing. */
export function memberAt(value: unknown, ...keys: string[]): Json | undefined {
  let at: unknown = value;
  for (const key of keys) at = member(at, key);
  return at as Json | undefined;
}

/** The array under `key`, or undefined. */
export function arrayMember(value: unknown, key: string): Json[] | undefined {
  const found = member(value, key);
  return Array.isArray(found) ? found : undefined;
}

/** A string as it is, a number or boolean as text (NaN and infinities by name); undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof RawNumber ? value.source : undefined;
}

/** One token of a JSON pointer, escaped as RFC 6901 asks. */
export function pointerToken(key: string | number): string {
  return String(key).replace(/~/g, "~0").replace(/\//g, "~1");
}

/** `pointer` extended by keys or indexes. */
export function pointerTo(pointer: string, ...keys: (string | number)[]): string {
  let out = pointer;
  for (const key of keys) out += `/${typeof key === "number" ? key : pointerToken(key)}`;
  return out;
}

/** A table to look recorded names up in: nothing is inherited, so that `constructor` or `__proto__` are names like others. */
export function nameTable<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}
