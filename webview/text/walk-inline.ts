/** Walks a Markdown parser's inline tokens along the text they came from and finds every run's place, or says that it cannot. */
import type MarkdownIt from "markdown-it";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** `run` is verbatim text at UTF-16 offsets of the part. `href` is inert: it is only ever offered to the host. */
export type Inline =
  | { readonly kind: "run"; readonly start: number; readonly end: number }
  | { readonly kind: "stand-in"; readonly start: number; readonly end: number; readonly shown: string }
  | { readonly kind: "break" }
  | { readonly kind: "em" | "strong" | "s" | "code"; readonly inlines: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly inlines: readonly Inline[] };

const named = { em: "em", strong: "strong", s: "s" } as const;

/** What follows the closing bracket of a link: `(destination "title")`; its length in `content` from `at`, or -1. */
function linkTail(content: string, at: number): number {
  if (content[at] !== "(") return -1;
  let depth = 0;
  let quote = "";
  for (let i = at; i < content.length; i++) {
    const char = content[i]!;
    if (char === "\\") i++;
    else if (quote) {
      if (char === quote) quote = "";
    } else if ((char === '"' || char === "'") && /\s/.test(content[i - 1] ?? "")) quote = char;
    else if (char === "<" && depth === 1 && /^\(\s*$/.test(content.slice(at, i))) {
      const close = content.indexOf(">", i);
      if (close < 0) return -1;
      i = close;
    } else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return i + 1 - at;
  }
  return -1;
}

class Walk {
  at = 0;
  constructor(private readonly tokens: readonly Token[], private readonly content: string, private readonly place: (at: number) => number) {}

  private next = 0;

  /** Moves over `expected`, which must stand here. */
  private skip(expected: string): boolean {
    if (!this.content.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** A stretch of the content as runs: one, or one a line where it crosses line ends. */
  private runs(from: number, to: number): Inline[] {
    const runs: Inline[] = [];
    for (let at = from; at < to; ) {
      const feed = this.content.indexOf("\n", at);
      const end = feed < 0 || feed >= to ? to : feed;
      if (end > at) runs.push({ kind: "run", start: this.place(at), end: this.place(end - 1) + 1 });
      if (end < to) runs.push({ kind: "stand-in", start: this.place(end), end: this.place(end) + 1, shown: " " });
      at = end + 1;
    }
    return runs;
  }

  /** The inlines up to a closing token of type `until`, which is taken too; undefined when something is not where it should be. */
  inlines(until?: string): Inline[] | undefined {
    const found: Inline[] = [];
    while (this.next < this.tokens.length) {
      const token = this.tokens[this.next++]!;
      if (token.type === until) return this.close(token) ? found : undefined;
      const inlines = this.one(token);
      if (!inlines) return undefined;
      found.push(...inlines);
    }
    return until ? undefined : found;
  }

  private close(token: Token): boolean {
    if (token.type !== "link_close") return this.skip(token.markup);
    if (token.markup === "autolink") return this.skip(">");
    if (!this.skip("]")) return false;
    const tail = linkTail(this.content, this.at);
    if (tail < 0) return false;
    this.at += tail;
    return true;
  }

  private one(token: Token): Inline[] | undefined {
    const from = this.at;
    switch (token.type) {
      case "text":
        return this.skip(token.content) ? this.runs(from, this.at) : undefined;
      case "text_special":
        return this.special(token);
      case "softbreak":
      case "hardbreak": {
        // Spaces before and after the line end are not drawn; a hard break may be a backslash.
        const found = /^[ \t]*\\?\n[ \t]*/.exec(this.content.slice(from));
        if (!found) return undefined;
        this.at = from + found[0].length;
        return [{ kind: "break" }];
      }
      case "code_inline":
        return this.code(token);
      case "em_open":
      case "strong_open":
      case "s_open": {
        if (!this.skip(token.markup)) return undefined;
        const inlines = this.inlines(token.type.replace("open", "close"));
        return inlines && [{ kind: named[token.tag as keyof typeof named], inlines }];
      }
      case "link_open": {
        if (!this.skip(token.markup === "autolink" ? "<" : "[")) return undefined;
        const inlines = this.inlines("link_close");
        return inlines && [{ kind: "link", href: String(token.attrGet("href") ?? ""), inlines }];
      }
      default:
        return undefined;
    }
  }

  /** An escaped character is drawn as itself and stands where its second half does; an entity is a stand-in. */
  private special(token: Token): Inline[] | undefined {
    const from = this.at;
    if (!this.skip(token.markup)) return undefined;
    if (token.markup === token.content) return this.runs(from, this.at);
    if (token.markup === `\\${token.content}`) return this.runs(from + 1, this.at);
    return [{ kind: "stand-in", start: this.place(from), end: this.place(this.at - 1) + 1, shown: token.content }];
  }

  private code(token: Token): Inline[] | undefined {
    if (!this.skip(token.markup)) return undefined;
    const close = this.content.indexOf(token.markup, this.at);
    let end = close;
    // The closing marks are the first run of exactly as many.
    while (end >= 0 && (this.content[end + token.markup.length] === "`" || this.content[end - 1] === "`")) end = this.content.indexOf(token.markup, end + 1);
    if (end < 0) return undefined;
    const length = end - this.at;
    const padded = length === token.content.length + 2 ? 1 : length === token.content.length ? 0 : undefined;
    if (padded === undefined) return undefined;
    const inlines = this.runs(this.at + padded, end - padded);
    this.at = end + token.markup.length;
    return [{ kind: "code", inlines }];
  }
}

/** The inlines of `content`, each run placed by `place` (content offset to text offset); undefined when any of it is not exactly there. */
export function walkInline(tokens: readonly Token[], content: string, place: (at: number) => number): Inline[] | undefined {
  return new Walk(tokens, content, place).inlines();
}
