/** Members of a Python dict or JSON object written as text, with each value exactly as it stands there. Never evaluates anything. */
import type { ToolArgument } from "../model";

/**
 * Reads `{…}` from `text` at `start` (UTF-16): string keys, and values that are strings, numbers, words or nested brackets.
 * Answers the members in recorded order and the index behind the closing brace; undefined when it does not parse.
 */
export function parseBraces(text: string, start: number): { args: ToolArgument[]; end: number } | undefined {
  if (text[start] !== "{") return undefined;
  const args: ToolArgument[] = [];
  let at = skipBlank(text, start + 1);
  while (text[at] !== "}") {
    const key = readString(text, at);
    if (!key) return undefined;
    at = skipBlank(text, key.end);
    if (text[at] !== ":") return undefined;
    at = skipBlank(text, at + 1);
    const string = readString(text, at);
    const end = string?.end ?? valueEnd(text, at);
    if (end === undefined) return undefined;
    args.push(string ? { key: key.value, text: string.value } : { key: key.value, raw: text.slice(at, end).trimEnd() });
    at = skipBlank(text, end);
    if (text[at] === ",") at = skipBlank(text, at + 1);
    else if (text[at] !== "}") return undefined;
  }
  return { args, end: at + 1 };
}

function skipBlank(text: string, at: number): number {
  let i = at;
  while (i < text.length && /\s/.test(text[i] ?? "")) i++;
  return i;
}

const simpleEscapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07", "0": "\0", "\\": "\\", "'": "'", '"': '"', "/": "/", "\n": "" };

/** A quoted string, decoded as Python and JSON do; an escape that neither knows keeps its backslash. */
function readString(text: string, at: number): { value: string; end: number } | undefined {
  const quote = text[at];
  if (quote !== "'" && quote !== '"') return undefined;
  let value = "";
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i] ?? "";
    if (char === quote) return { value, end: i + 1 };
    if (char !== "\\") {
      value += char;
      continue;
    }
    const next = text[++i] ?? "";
    const digits = /^(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8}))/.exec(text.slice(i, i + 9));
    const code = digits ? Number.parseInt(digits[1] ?? digits[2] ?? digits[3] ?? "", 16) : -1;
    if (digits && code <= 0x10ffff) {
      value += code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
      i += digits[0].length - 1;
    } else value += simpleEscapes[next] ?? `\\${next}`;
  }
  return undefined;
}

const word = /(?:None|True|False|null|true|false|NaN|-?Infinity|[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)/y;

/** Index behind a value that is no string: a number, a word, or brackets that close in order. */
function valueEnd(text: string, at: number): number | undefined {
  if (!"[{(".includes(text[at] ?? " ")) {
    word.lastIndex = at;
    const found = word.exec(text);
    return found ? at + found[0].length : undefined;
  }
  const open: string[] = [];
  for (let i = at; i < text.length; i++) {
    const char = text[i] ?? "";
    if (char === "'" || char === '"') {
      const string = readString(text, i);
      if (!string) return undefined;
      i = string.end - 1;
    } else if ("[{(".includes(char)) open.push(char === "[" ? "]" : char === "{" ? "}" : ")");
    else if ("]})".includes(char)) {
      if (open.pop() !== char) return undefined;
      if (open.length === 0) return i + 1;
    }
  }
  return undefined;
}
