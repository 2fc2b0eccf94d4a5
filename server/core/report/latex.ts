/** The tables of a report in LaTeX (booktabs), to be put into a paper's appendix with \input. */
import type { Block } from "./document";

export function latexReport(blocks: readonly Block[]): string {
  const parts = blocks.flatMap((block): string[] => {
    if (block.kind === "heading") return block.level === 1 ? [] : [`\\subsection*{${escapeLatex(block.text)}}`];
    if (block.kind !== "table") return [];
    const row = (cells: readonly string[]): string => `${cells.map(escapeLatex).join(" & ")} \\\\`;
    return [[
      "\\begin{table}[ht]", "\\centering\\footnotesize", `\\caption{${escapeLatex(block.caption)}}`, `\\begin{tabular}{${"l".repeat(block.columns.length)}}`,
      "\\toprule", row(block.columns), "\\midrule", ...block.rows.map(row), "\\bottomrule", "\\end{tabular}", "\\end{table}",
    ].join("\n")];
  });
  // A heading without a table under it says nothing here.
  const kept = parts.filter((part, at) => !part.startsWith("\\subsection") || parts[at + 1]?.startsWith("\\begin{table}"));
  return `% Needs \\usepackage{booktabs}\n${kept.join("\n\n")}\n`;
}

const special: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "–": "--", "×": "$\\times$",
};

function escapeLatex(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ").replace(/[\\{}$&#%_^~–×]/g, (c) => special[c] ?? c);
}
