/** Texts damaged on purpose, the same way for the same seed: cut, shortened, with values of another kind, noise, pieces twice. */

const tokens = ["null", "true", "0", "1e400", "NaN", "12345678901234567890", '""', '"text"', "[]", "[null]", "{}", '{"role":"user"}', ",", "]", "}", '"', "\\", "\u0000", "\u2028", "\ud83d"];

/** One damaged copy of `text` as bytes; `random` gives numbers from 0 up to, not including, 1. */
export function mutate(text: string, random: () => number): Uint8Array {
  let out = text;
  const at = () => Math.floor(random() * out.length);
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    const kind = random();
    if (kind < 0.15) out = out.slice(0, at());
    else if (kind < 0.3) {
      const from = at();
      out = out.slice(0, from) + out.slice(from + Math.floor(random() * 20));
    } else if (kind < 0.6) {
      // A whole scalar becomes something of another kind.
      const scalars = [...out.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/g)];
      const hit = scalars[Math.floor(random() * scalars.length)];
      if (hit) out = out.slice(0, hit.index) + tokens[Math.floor(random() * 12)]! + out.slice(hit.index + hit[0].length);
    } else if (kind < 0.8) {
      const from = at();
      out = out.slice(0, from) + tokens[Math.floor(random() * tokens.length)]! + out.slice(from);
    } else {
      const from = at();
      const to = at();
      out = out.slice(0, Math.max(from, to)) + out.slice(Math.min(from, to));
    }
  }
  const bytes = new TextEncoder().encode(out);
  if (random() < 0.2 && bytes.length > 0) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return bytes;
}
