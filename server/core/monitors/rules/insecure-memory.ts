/** Safety: C and C++ calls that write past a buffer whenever the input is long enough. */
import { definePatternRule } from "./define";

export const unboundedWrites = definePatternRule({
  id: "unbounded-writes", category: "safety_permission", severity: "moderate",
  title: "Copies input without a bound",
  reason: "The call writes as much as the input holds, whatever the room.",
  where: ["code"],
  patterns: [
    /(?<![\w.>])gets\s*\(\s*\w/, /(?<!\w)strcpy\s*\(\s*[^,\n]{1,80},\s*(?![\s"])[^)\n]{1,100}\)/, /(?<!\w)strcat\s*\(\s*[^,\n]{1,80},\s*(?![\s"])[^)\n]{1,100}\)/,
    /(?<![\w])v?sprintf\s*\(\s*[^,\n]{1,80},\s*"[^"\n]{0,200}%s/, /\b[fs]?scanf\s*\([^\n"]{0,60}"[^"\n]{0,100}%s/,
    /(?<![\w])(?:printf|syslog|fprintf)\s*\(\s*(?:\w+\s*,\s*)?(?:argv\[\d\]|user\w*|input\w*|buf(?:fer)?|msg|line)\s*\)/,
  ],
  keep: (hit, view) => looksLikeC(hit.part.text) && view.own.length > 0,
});

export const uncheckedAllocation = definePatternRule({
  id: "unchecked-allocation", category: "safety_permission", severity: "minor",
  title: "Uses memory without checking that it was given",
  reason: "The result of the allocation is used although it may be null.",
  where: ["code"],
  patterns: [/\b(\w+)\s*=\s*(?:\([\w\s*]{1,40}\)\s*)?(?:malloc|calloc|realloc|strdup)\s*\([^\n;]{1,150};/],
  keep: (hit, _view, match) => {
    const name = match[1] ?? "";
    const after = hit.part.text.slice(hit.end, hit.end + 300);
    return name !== "" && looksLikeC(hit.part.text) && !new RegExp(String.raw`!\s*${name}\b|${name}\s*[=!]=\s*(?:NULL|nullptr|0)|(?:NULL|nullptr)\s*[=!]=\s*${name}\b|\bif\s*\(\s*\(?${name}\b|assert\s*\(\s*${name}`).test(after);
  },
});

function looksLikeC(text: string): boolean {
  return /\b(?:char|int|void|size_t|unsigned|struct|uint\d+_t|static|const)\b[^\n]{0,80}[*;({]/.test(text);
}
