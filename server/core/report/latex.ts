/** The tables of a report in LaTeX (booktabs, graphicx), to be put into a paper's appendix with \input. */
import type { Block } from "./document";

export function latexReport(blocks: readonly Block[]): string {
  const parts = blocks.flatMap((block): string[] => {
    if (block.kind === "heading") return block.level === 1 ? [] : [`\\subsection*{${escapeLatex(block.text)}}`];
    if (block.kind !== "table") return [];
    return pages(block.rows).map((rows, at) => latexTable({ ...block, caption: at === 0 ? block.caption : `${block.caption} (continued)`, rows }));
  });
  // A heading without a table under it says nothing here.
  const kept = parts.filter((part, at) => !part.startsWith("\\subsection") || parts[at + 1]?.startsWith("\\begin{table}"));
  return `% Needs \\usepackage{booktabs,graphicx}\n${kept.join("\n\n")}\n`;
}

type TableBlock = Extract<Block, { kind: "table" }>;

/** More rows than these are taller than a page: a table does not break by itself. */
const rowsAtMost = 45;
/** Characters of the widest line that fit a text width in footnotesize; what is wider is scaled down to it. */
const fitting = 95;

function pages(rows: TableBlock["rows"]): TableBlock["rows"][] {
  return Array.from({ length: Math.ceil(rows.length / rowsAtMost) }, (_, at) => rows.slice(at * rowsAtMost, (at + 1) * rowsAtMost));
}

function latexTable({ caption, columns, rows }: TableBlock): string {
  const row = (cells: readonly string[]): string => `${cells.map(escapeLatex).join(" & ")} \\\\`;
  const width = columns.reduce((sum, column, at) => sum + 2 + rows.reduce((most, cells) => Math.max(most, cells[at]?.length ?? 0), column.length), 0);
  const tabular = [`\\begin{tabular}{${"l".repeat(columns.length)}}`, "\\toprule", row(columns), "\\midrule", ...rows.map(row), "\\bottomrule", "\\end{tabular}"];
  return [
    "\\begin{table}[ht]", "\\centering\\footnotesize", `\\caption{${escapeLatex(caption)}}`,
    ...(width > fitting ? ["\\resizebox{\\textwidth}{!}{%", ...tabular.slice(0, -1), "\\end{tabular}}"] : tabular), "\\end{table}",
  ].join("\n");
}

const special: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "–": "--", "×": "$\\times$",
};

function escapeLatex(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ").replace(/[\\{}$&#%_^~<>|–×]/g, (c) => special[c] ?? c);
}
