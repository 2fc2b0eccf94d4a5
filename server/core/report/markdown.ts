/** A report as Markdown, with nothing in it that a recorded text could turn into markup. */
import type { Block } from "./document";

export function markdownReport(blocks: readonly Block[]): string {
  return `${blocks.map(markdownOf).join("\n\n")}\n`;
}

function markdownOf(block: Block): string {
  switch (block.kind) {
    case "heading": return `${"#".repeat(block.level)} ${escaped(block.text)}`;
    case "text": return escaped(block.text);
    case "list": return block.items.map((item) => `- ${escaped(item)}`).join("\n");
    case "table": {
      const row = (cells: readonly string[]): string => `| ${cells.map(escaped).join(" | ")} |`;
      return [`**${escaped(block.caption)}**`, "", row(block.columns), `|${block.columns.map(() => " --- |").join("")}`, ...block.rows.map(row)].join("\n");
    }
    case "verbatim": {
      // A fence longer than any run of back ticks inside cannot be closed from inside.
      const longest = Math.max(2, ...[...block.text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
      const fence = "`".repeat(longest + 1);
      return `**${escaped(block.caption)}**\n\n${fence}text\n${block.text}\n${fence}`;
    }
  }
}

function escaped(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ").replace(/[\\`*_{}[\]<>#|~&$]/g, "\\$&").replace(/^(\d+)([.)])(?=\s|$)/, "$1\\$2").replace(/^([-+=])/, "\\$1");
}
