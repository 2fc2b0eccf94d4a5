/** Attributes of spans in every shape that exporters give them, and the ids and times that go with them. */
import { isObject } from "#core/json/access";
import { RawNumber, type Json, type JsonObject } from "#core/json/document";
import { listOf, numberOf, wordOf } from "./fields";

/** Attributes by their dotted names. Values are scalars, lists, or objects where an exporter keeps structure. */
export class Attributes {
  private readonly flat = new Map<string, Json>();

  /** From OTLP's list of `{key, value}`, from a map with dotted names, or from nested objects. */
  constructor(recorded: Json | undefined) {
    if (Array.isArray(recorded)) for (const entry of recorded) this.addEntry(entry);
    else if (isObject(recorded)) for (const [key, value] of Object.entries(recorded)) this.flat.set(key, isTyped(value) ? anyValue(value, 0) : value);
  }

  private addEntry(entry: Json): void {
    const key = isObject(entry) ? wordOf(entry["key"]) : undefined;
    if (key !== undefined && isObject(entry)) this.flat.set(key, anyValue(entry["value"], 0));
  }

  /** The value under a dotted name, whether recorded so or as objects within objects. */
  get(name: string): Json | undefined {
    const direct = this.flat.get(name);
    if (direct !== undefined) return direct;
    for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
      const outer = this.flat.get(name.slice(0, dot));
      if (isObject(outer)) return inside(outer, name.slice(dot + 1));
    }
    return undefined;
  }

  /** The first of several names that has a value. */
  first(...names: string[]): Json | undefined {
    for (const name of names) {
      const found = this.get(name);
      if (found !== undefined && found !== null) return found;
    }
    return undefined;
  }

  word(...names: string[]): string | undefined {
    return wordOf(this.first(...names));
  }

  number(...names: string[]): number | undefined {
    const found = this.first(...names);
    return numberOf(found) ?? (typeof found === "string" && /^\d+$/.test(found) ? Number(found) : undefined);
  }

  /** What stands below a name, put together from `name.0.role`, `name.1.…`: numbers give lists, in the order of the numbers. */
  tree(name: string): Json | undefined {
    const direct = this.get(name);
    if (direct !== undefined) return direct;
    const root: Branch = new Map();
    for (const [key, value] of this.flat) if (key.startsWith(`${name}.`)) put(root, key.slice(name.length + 1).split(".", 40), value);
    return root.size > 0 ? grown(root) : undefined;
  }

  names(): string[] {
    return [...this.flat.keys()];
  }

  /** All attributes as JSON, numbers as recorded. */
  json(): string {
    return jsonOf(Object.fromEntries(this.flat));
  }
}

type Branch = Map<string, Branch | { leaf: Json }>;

function put(branch: Branch, path: readonly string[], value: Json): void {
  let at = branch;
  for (const key of path.slice(0, -1)) {
    const next = at.get(key);
    const inner: Branch = next instanceof Map ? next : new Map();
    if (!(next instanceof Map)) at.set(key, inner);
    at = inner;
  }
  const last = path.at(-1)!;
  if (!(at.get(last) instanceof Map)) at.set(last, { leaf: value });
}

function grown(branch: Branch): Json {
  const keys = [...branch.keys()];
  const value = (key: string): Json => {
    const inner = branch.get(key)!;
    return inner instanceof Map ? grown(inner) : inner.leaf;
  };
  if (keys.every((key) => /^\d{1,6}$/.test(key))) return keys.sort((a, b) => Number(a) - Number(b)).map(value);
  return Object.fromEntries(keys.map((key) => [key, value(key)]));
}

function inside(object: JsonObject, path: string): Json | undefined {
  const direct = Object.hasOwn(object, path) ? object[path] : undefined;
  if (direct !== undefined) return direct;
  const dot = path.indexOf(".");
  const inner = dot > 0 && Object.hasOwn(object, path.slice(0, dot)) ? object[path.slice(0, dot)] : undefined;
  return isObject(inner) ? inside(inner, path.slice(dot + 1)) : undefined;
}

const typeNames = new Set(["stringValue", "intValue", "doubleValue", "boolValue", "arrayValue", "kvlistValue", "bytesValue"]);

function isTyped(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 1 && typeNames.has(Object.keys(value)[0]!);
}

/** A value of OTLP. Integers are text by rule, numbers or halves by habit; those past 2^53 keep their digits. */
function anyValue(value: Json | undefined, depth: number): Json {
  if (!isObject(value) || depth > 50) return value ?? null;
  const kind = Object.keys(value).find((key) => typeNames.has(key));
  const inner = kind === undefined ? undefined : value[kind];
  if (kind === undefined) return Object.keys(value).length === 0 ? null : value;
  if (kind === "arrayValue") return listOf(isObject(inner) ? inner["values"] : inner).map((one) => anyValue(one, depth + 1));
  if (kind === "kvlistValue") {
    const entries = listOf(isObject(inner) ? inner["values"] : inner);
    return Object.fromEntries(entries.flatMap((entry): [string, Json][] => (isObject(entry) && typeof entry["key"] === "string" ? [[entry["key"], anyValue(entry["value"], depth + 1)]] : [])));
  }
  if (kind !== "intValue") return inner ?? null;
  const integer = bigOf(inner);
  if (integer === undefined) return inner ?? null;
  return integer >= -9007199254740991n && integer <= 9007199254740991n ? Number(integer) : new RawNumber(integer.toString());
}

/** A 64-bit integer written as digits, as a number, or as `{low, high}`. */
export function bigOf(value: Json | undefined): bigint | undefined {
  if (value instanceof RawNumber) return /^-?\d+$/.test(value.source) ? BigInt(value.source) : undefined;
  if (typeof value === "string") return /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  const [low, high] = isObject(value) ? [numberOf(value["low"]), numberOf(value["high"])] : [];
  return low === undefined || high === undefined || !Number.isInteger(low) || !Number.isInteger(high) ? undefined : (BigInt(high) << 32n) + BigInt.asUintN(32, BigInt(low));
}

const sixBits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** An id as hexadecimal digits: recorded so, or in base64 (8 or 16 bytes). Anything else stays as it is. */
export function idOfSpan(value: Json | undefined): string | undefined {
  const text = wordOf(value);
  if (text === undefined || /^0+$/.test(text)) return undefined;
  if (/^(0x)?[0-9a-fA-F]{16,32}$/.test(text)) return text.replace(/^0x/, "").toLowerCase();
  if (!/^([A-Za-z0-9+/]{11}=|[A-Za-z0-9+/]{22}==)$/.test(text)) return text;
  let bits = 0n;
  const digits = text.replace(/=+$/, "");
  for (const digit of digits) bits = (bits << 6n) | BigInt(sixBits.indexOf(digit));
  const bytes = Math.floor((digits.length * 6) / 8);
  return (bits >> BigInt(digits.length * 6 - bytes * 8)).toString(16).padStart(bytes * 2, "0");
}

/** Nanoseconds since 1970 of a time in any of the shapes that spans carry; undefined for none. */
export function nanosOf(value: Json | undefined): bigint | undefined {
  if (Array.isArray(value)) {
    const [seconds, nanos] = [bigOf(value[0]), bigOf(value[1])];
    return seconds === undefined ? undefined : seconds * 1000000000n + (nanos ?? 0n);
  }
  const number = bigOf(value) ?? (typeof value === "number" && Number.isFinite(value) ? BigInt(Math.round(value * 1000)) * 1000000n : undefined);
  if (number !== undefined && typeof value === "number" && !Number.isInteger(value)) return number;
  if (number !== undefined) return number < 100000000000n ? number * 1000000000n : number < 100000000000000n ? number * 1000000n : number < 100000000000000000n ? number * 1000n : number;
  if (typeof value !== "string") return undefined;
  const milliseconds = Date.parse(/([zZ]|[+-]\d\d:?\d\d)$/.test(value) || !value.includes("T") ? value : `${value}Z`);
  return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 1000000n;
}

/** ISO 8601 UTC with milliseconds, or undefined for what is no time that a calendar holds. */
export function timeOfNanos(nanos: bigint | undefined): string | undefined {
  const date = nanos === undefined || nanos <= 0n ? undefined : new Date(Number(nanos / 1000000n));
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** JSON text of a value that may hold numbers kept as their digits. */
export function jsonOf(value: Json, depth = 0): string {
  if (value instanceof RawNumber) return value.source;
  if (depth > 200) return '"nested too deep to be shown"';
  if (Array.isArray(value)) return `[${value.map((inner) => jsonOf(inner, depth + 1)).join(",")}]`;
  if (isObject(value)) return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${jsonOf(inner, depth + 1)}`).join(",")}}`;
  return JSON.stringify(value) ?? "null";
}
