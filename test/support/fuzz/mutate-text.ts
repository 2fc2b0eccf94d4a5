/** Damage to the bytes of a text file: cut, flipped, repeated, nested very deep, values of another type. */
import { below, pick } from "./random";

const nestDepth = 100_000;

/** Names of the kinds, for reports. */
export const textMutations = ["truncate", "flip", "duplicate", "nest", "swap", "remove", "insert", "lines", "keys"] as const;
export type TextMutation = (typeof textMutations)[number];

/** Scalars as they stand in JSON, so that a file's values come to be of another type. */
const otherValues = [
  "null", "true", "0", "-1", "1e400", "NaN", "-Infinity", "12345678901234567890", '""', '"text"', '"\\ud800"', '"__proto__"', '"../../etc/passwd"', '"https://example.com/a.png"',
  "[]", "[null]", "[[]]", "{}", '{"__proto__":{"x":1}}', '{"type":"text"}', '{"text":1}', '{"role":"user","content":"x"}', '["a",1,null]',
];
const pieces = [",", ":", "]", "}", "[", "{", '"', "\\", "\u0000", "\u001b[31m", "\u2028", "\r", "\n", "\n\n", "\ufeff", "# ", "#### ", "```", "<think>", "</think>", "attachment://", "NaN"];

const encoder = new TextEncoder();

/** One damaged copy of `bytes`. */
export function mutateText(bytes: Uint8Array, kind: TextMutation, random: () => number): Uint8Array {
  const at = below(random, bytes.length + 1);
  switch (kind) {
    case "truncate":
      return bytes.slice(0, at);
    case "flip":
      return flip(bytes, 1 + below(random, 20), random);
    case "duplicate": {
      const to = Math.min(bytes.length, at + 1 + below(random, 2000));
      return join(bytes.subarray(0, to), bytes.subarray(at));
    }
    case "nest":
      return nest(bytes, random);
    case "swap":
      return swap(bytes, 1 + below(random, 6), random);
    case "remove":
      return join(bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + below(random, 60))));
    case "insert":
      return join(bytes.subarray(0, at), encoder.encode(pick(random, random() < 0.5 ? pieces : otherValues)), bytes.subarray(at));
    case "lines":
      return shuffleLines(bytes, random);
    case "keys":
      return renameKey(bytes, random);
  }
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function flip(bytes: Uint8Array, times: number, random: () => number): Uint8Array {
  // Not `slice`: that of a Buffer is no copy, and the file itself would be damaged more and more.
  const copy = new Uint8Array(bytes);
  for (let n = 0; n < times && copy.length > 0; n++) copy[below(random, copy.length)] = below(random, 256);
  return copy;
}

interface Spot { readonly from: number; readonly to: number }

/** Where a scalar value stands, looked for from a place drawn by lot; keys are left alone. */
function scalarSpot(text: string, random: () => number): Spot | undefined {
  const pattern = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/g;
  pattern.lastIndex = below(random, text.length + 1);
  const found = pattern.exec(text) ?? ((pattern.lastIndex = 0), pattern.exec(text));
  return found ? { from: found.index, to: found.index + found[0].length } : undefined;
}

function swap(bytes: Uint8Array, times: number, random: () => number): Uint8Array {
  let text = Buffer.from(bytes).toString("utf8");
  for (let n = 0; n < times; n++) {
    const spot = scalarSpot(text, random);
    if (spot) text = text.slice(0, spot.from) + pick(random, otherValues) + text.slice(spot.to);
  }
  return encoder.encode(text);
}

/** A value becomes brackets in brackets, closed or not, as JSON or as a string that holds them. */
function nest(bytes: Uint8Array, random: () => number): Uint8Array {
  const [open, close] = pick(random, [["[", "]"], ['{"a":', "}"], ['[{"content":', "}]"], ['{"type":"text","text":', "}"], ['{"children":[', "]}"]] as const);
  const depth = Math.ceil(nestDepth / (open.length > 6 ? 4 : 1));
  let deep = open.repeat(depth) + "1" + (random() < 0.75 ? close.repeat(depth) : "");
  if (random() < 0.25) deep = JSON.stringify(deep);
  const text = Buffer.from(bytes).toString("utf8");
  const spot = scalarSpot(text, random) ?? { from: below(random, text.length + 1), to: text.length };
  return encoder.encode(text.slice(0, spot.from) + deep + text.slice(spot.to));
}

function shuffleLines(bytes: Uint8Array, random: () => number): Uint8Array {
  const lines = Buffer.from(bytes).toString("utf8").split("\n");
  const a = below(random, lines.length);
  const b = below(random, lines.length);
  const kind = below(random, 4);
  if (kind === 0) [lines[a], lines[b]] = [lines[b]!, lines[a]!];
  else if (kind === 1) lines.splice(a, 1 + below(random, 3));
  else if (kind === 2) lines.splice(b, 0, ...lines.slice(a, a + 1 + below(random, 5)));
  else lines[a] = lines[a]!.slice(0, below(random, lines[a]!.length + 1));
  return encoder.encode(lines.join("\n"));
}

/** A key gets the name of another one of the file, so that repeated keys and unexpected members come up. */
function renameKey(bytes: Uint8Array, random: () => number): Uint8Array {
  const text = Buffer.from(bytes).toString("utf8");
  const keys = [...text.matchAll(/"[\w.-]{1,40}"(?=\s*:)/g)];
  if (keys.length === 0) return flip(bytes, 3, random);
  const hit = pick(random, keys);
  const name = random() < 0.1 ? '"__proto__"' : pick(random, keys)[0];
  return encoder.encode(text.slice(0, hit.index) + name + text.slice(hit.index + hit[0].length));
}
