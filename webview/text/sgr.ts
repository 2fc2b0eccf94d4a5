/** The state that ANSI "select graphic rendition" codes leave behind, as class names that the theme's terminal colours fill. */

export interface Sgr {
  readonly fg?: number | undefined;
  readonly bg?: number | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strike?: boolean;
}

export const plainSgr: Sgr = {};

/** The 16 colours as terminals ship them, to find the nearest for colours given by value. */
const palette = [
  [0, 0, 0], [205, 49, 49], [13, 188, 121], [229, 229, 16], [36, 114, 200], [188, 63, 188], [17, 168, 205], [229, 229, 229],
  [102, 102, 102], [241, 76, 76], [35, 209, 139], [245, 245, 67], [59, 142, 234], [214, 112, 214], [41, 184, 219], [255, 255, 255],
] as const;

function nearest(r: number, g: number, b: number): number {
  let best = 0;
  let least = Infinity;
  palette.forEach(([pr, pg, pb], index) => {
    const distance = (r - pr) ** 2 + (g - pg) ** 2 + (b - pb) ** 2;
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

/** A colour of the 256 colour table as one of the 16. */
function fromTable(n: number): number {
  if (n < 16) return n;
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10;
    return nearest(grey, grey, grey);
  }
  const level = (v: number) => (v === 0 ? 0 : 55 + v * 40);
  return nearest(level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6));
}

/** Reads `5;N` or `2;R;G;B` behind 38 or 48; answers the colour and how many codes it took. */
function extended(codes: readonly number[], at: number): { color: number | undefined; used: number } {
  if (codes[at] === 5) return { color: fromTable(Math.min(255, codes[at + 1] ?? 0)), used: 2 };
  if (codes[at] === 2) return { color: nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), used: 4 };
  return { color: undefined, used: 0 };
}

/** The state after a sequence's parameters (`"1;31"`), unknown codes changing nothing. */
export function applySgr(state: Sgr, parameters: string): Sgr {
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map((code) => Number(code) || 0);
  let next: Sgr = state;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 0) next = plainSgr;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 7) next = { ...next, inverse: true };
    else if (code === 9) next = { ...next, strike: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code === 27) next = { ...next, inverse: false };
    else if (code === 29) next = { ...next, strike: false };
    else if (code >= 30 && code <= 37) next = { ...next, fg: code - 30 };
    else if (code >= 40 && code <= 47) next = { ...next, bg: code - 40 };
    else if (code >= 90 && code <= 97) next = { ...next, fg: code - 82 };
    else if (code >= 100 && code <= 107) next = { ...next, bg: code - 92 };
    else if (code === 39) next = { ...next, fg: undefined };
    else if (code === 49) next = { ...next, bg: undefined };
    else if (code === 38 || code === 48) {
      const { color, used } = extended(codes, i + 1);
      next = code === 38 ? { ...next, fg: color } : { ...next, bg: color };
      i += used;
    }
  }
  return next;
}

/** Class names for a state, "" for plain text. */
export function sgrClasses(state: Sgr): string {
  const names: string[] = [];
  if (state.fg !== undefined) names.push(`sgr-fg${state.fg}`);
  if (state.bg !== undefined) names.push(`sgr-bg${state.bg}`);
  for (const name of ["bold", "dim", "italic", "underline", "inverse", "strike"] as const) if (state[name]) names.push(`sgr-${name}`);
  return names.join(" ");
}
