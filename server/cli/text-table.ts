/** Columns of text, aligned for a fixed-width font: words to the left, numbers to the right. */

/** Lays out `rows`, the first of which is the header; columns without any content are dropped. Lines carry no spaces at their ends. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => width(row[column] ?? ""))));
  const isNumeric = Array.from({ length: count }, (_, column) => rows.slice(1).every((row) => /^[\d/-]*$/.test(row[column] ?? "")));
  return rows
    .map((row) => row.flatMap((cell, column) => {
      const size = widths[column] ?? 0;
      if (size === 0) return [];
      const gap = " ".repeat(size - width(cell));
      return [isNumeric[column] ? gap + cell : cell + gap];
    }).join("  ").trimEnd())
    .join("\n");
}

/** Code points, which is close enough to columns for names and numbers. */
function width(text: string): number {
  return [...text].length;
}
