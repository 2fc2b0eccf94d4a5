/** A written report as blocks, so that HTML, Markdown and LaTeX say the same. */

export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly caption: string; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  /** Text to be shown letter by letter. */
  | { readonly kind: "verbatim"; readonly caption: string; readonly text: string };

export function heading(text: string, level: 1 | 2 = 2): Block {
  return { kind: "heading", level, text };
}

/** A table, or nothing when it has no rows. */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): Block[] {
  return rows.length === 0 ? [] : [{ kind: "table", caption, columns, rows }];
}

/** Three decimals; a dash for what is not defined. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toFixed(3);
}

/** A p value to four decimals; one that these would make 0 is said to be below them. A dash where there is none. */
export function pValue(p: number | null | undefined): string {
  return p === null || p === undefined ? "–" : p < 0.0001 ? "<0.0001" : p.toFixed(4);
}

/** `0.310 [0.120, 0.600]`. */
export function interval(rate: { readonly value: number | null; readonly low: number | null; readonly high: number | null }): string {
  return rate.value === null ? "–" : `${share(rate.value)} [${share(rate.low)}, ${share(rate.high)}]`;
}

/** `0.310 [0.120, 0.600] (4/13)`. */
export function counted(rate: { readonly value: number | null; readonly low: number | null; readonly high: number | null; readonly numerator: number; readonly denominator: number }): string {
  return `${interval(rate)} (${rate.numerator}/${rate.denominator})`;
}
