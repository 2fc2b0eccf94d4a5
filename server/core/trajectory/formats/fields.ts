/** Typed reads of recorded JSON whose shape nobody guarantees: a wrong shape answers undefined, never an exception. */
import { isObject } from "#core/json/access";
import { RawNumber, type Json, type JsonDocument, type JsonObject } from "#core/json/document";
import type { ToolArgument, Trajectory } from "../model";

/** The object itself, or undefined for anything else. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function stringOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A non-empty string, or undefined. */
export function wordOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The items of a list; of anything else, none. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number (integers past 2^53 are rounded here, so only for counts), or undefined. */
export function numberOf(value: Json | undefined): number | undefined {
  const number = value instanceof RawNumber ? Number(value.source) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function booleanOf(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** An id that may have been recorded as text or as a number, as text. */
export function idOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (value instanceof RawNumber) return value.source;
  return typeof value === "number" ? String(value) : undefined;
}

/** A value as text: a string decoded, everything else as the recorded JSON. */
export function textOf(document: JsonDocument, value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof RawNumber) return value.source;
  if (value === null || typeof value !== "object") return value === undefined ? "" : String(value);
  return document.rawOf(value) ?? JSON.stringify(value, (_key, inner: unknown) => (inner instanceof RawNumber ? inner.source : inner));
}

/** The arguments of a call recorded as an object, in recorded order, numbers as they were written. */
export function argumentsOf(document: JsonDocument, object: JsonObject): ToolArgument[] {
  const recorded = document.rawMembers(object);
  if (!recorded) return Object.entries(object).map(([key, value]) => argumentOf(key, value, textOf(document, value)));
  return recorded.map(({ key, raw }) => argumentOf(key, raw.startsWith('"') ? decode(raw) : null, raw));
}

function argumentOf(key: string, value: Json | undefined, raw: string): ToolArgument {
  return typeof value === "string" ? { key, text: value } : { key, raw };
}

function decode(raw: string): Json {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return null;
  }
}

/** A time as recorded when it is text; ISO 8601 UTC for a number, whose unit (s, ms, µs, ns) is guessed by its size. */
export function timeOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  const number = numberOf(value);
  if (number === undefined || number <= 0) return undefined;
  const milliseconds = number < 1e11 ? number * 1000 : number < 1e14 ? number : number < 1e17 ? number / 1e3 : number / 1e6;
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Longest text of a metadata or outcome row; what was cut off is counted in the row itself. */
const rowLimit = 4000;

/** JSON text on one line: white space between tokens is left out, numbers and strings stay as recorded. */
export function oneLine(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : ""));
}

/** A row for people. Empty values give no row. */
export function row(name: string, value: string | number | boolean | undefined): Trajectory["metadata"] {
  const text = value === undefined ? "" : String(value);
  if (text === "") return [];
  return [{ name, value: text.length > rowLimit ? `${text.slice(0, rowLimit)} … (${text.length - rowLimit} more characters)` : text }];
}

/** First line of a text, for a list of trajectories; at most 100 characters. */
export function titleFrom(text: string | undefined): string | undefined {
  const lines = text?.split("\n").map((part) => part.trim()).filter((part) => part !== "");
  // A line that is nothing but a tag (`<task>`) says nothing.
  const line = lines?.find((part) => !/^<\/?[\w-]+>$/.test(part)) ?? lines?.[0];
  if (!line) return undefined;
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
