/** Patterns of a workspace's own rules in RE2 syntax: matching takes time linear in the text, whatever the pattern. */
import { RE2JS } from "re2js";

/** Instructions a pattern may come to; `(a{1000}){1000}` would have a million, each of which costs time at each character. */
const largestProgram = 5_000;

/**
 * A search for `pattern`: the first match at or after `from` (UTF-16 units), or undefined. `^` and `$` stand for lines.
 * `problem` is a sentence when the pattern is no RE2 pattern (back-references and look-around are none) or too large.
 */
export function compilePattern(pattern: string, ignoreCase: boolean): { search: (text: string, from: number) => [number, number] | undefined } | { problem: string } {
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
    if (compiled.programSize() > largestProgram) return { problem: "the pattern is too large, mostly by its repeats; shorten it" };
    return {
      search(text, from) {
        const matcher = compiled.matcher(text);
        return matcher.find(from) ? [matcher.start(), matcher.end()] : undefined;
      },
    };
  } catch (error) {
    return { problem: `the pattern cannot be used: ${(error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ")}; write it in RE2 syntax, without look-around and back-references` };
  }
}
