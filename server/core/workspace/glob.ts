/** Path patterns of `tracemark.json`: `*` within a folder, `**` across folders, `?`, `{a,b}`, `[abc]`. */

/** Whether a pattern means more than the one path it spells. */
export function isGlob(pattern: string): boolean {
  return /[*?{[]/.test(pattern);
}

/**
 * A matcher of paths from the root with `/` between folders; the whole path must fit. A leading `./` is ignored. `*` and `?` do
 * not cross folders, `**` as a whole folder name stands for any number of folders. Names beginning with a dot are matched too.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^(\.\/)+/, "");
  const expression = new RegExp(`^${translate(clean)}$`, "u");
  return (path) => expression.test(path);
}

function translate(pattern: string): string {
  let out = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    if (pattern.startsWith("**/", at) && (at === 0 || pattern[at - 1] === "/")) {
      out += "(?:[^/]+/)*";
      at += 2;
    } else if (pattern.startsWith("**", at)) {
      out += ".*";
      at++;
    } else if (character === "*") out += "[^/]*";
    else if (character === "?") out += "[^/]";
    else if (character === "[" && pattern.indexOf("]", at + 2) > 0) {
      const end = pattern.indexOf("]", at + 2);
      out += characterClass(pattern.slice(at + 1, end));
      at = end;
    } else if (character === "{" && pattern.includes("}", at)) {
      depth++;
      out += "(?:";
    } else if (character === "}" && depth > 0) {
      depth--;
      out += ")";
    } else if (character === "," && depth > 0) out += "|";
    else out += escape(character);
  }
  return out + ")".repeat(depth);
}

function characterClass(inside: string): string {
  const negated = inside.startsWith("!") || inside.startsWith("^");
  const characters = (negated ? inside.slice(1) : inside).replace(/[\\[\]^]/g, "\\$&");
  return `(?!/)[${negated ? "^" : ""}${characters}]`;
}

function escape(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
