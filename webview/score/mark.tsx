/** The mark of a run in a plot: its shape tells runs apart beside their place; hollow is where the original labels put it. */

const r = 5;

export interface MarkProps { readonly shape: number; readonly x: number; readonly y: number; readonly isHollow?: boolean }

/** Shapes take turns: circle, square, triangle, diamond. */
export function Mark({ shape, x, y, isHollow = false }: MarkProps) {
  const name = isHollow ? "mark-hollow" : "mark-full";
  switch (shape % 4) {
    case 1: return <rect class={name} x={x - r} y={y - r} width={2 * r} height={2 * r} />;
    case 2: return <path class={name} d={`M${x} ${y - r - 1}L${x + r + 1} ${y + r}L${x - r - 1} ${y + r}Z`} />;
    case 3: return <path class={name} d={`M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`} />;
    default: return <circle class={name} cx={x} cy={y} r={r} />;
  }
}
