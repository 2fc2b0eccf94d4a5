/** The mark of a run in a plot: its shape tells runs apart beside their place; hollow is where the original labels put it. */

const r = 5;

export interface MarkProps { readonly shape: number; readonly x: number; readonly y: number; readonly isHollow?: boolean }

/** Runs past the fourth have another colour too: every sixteen runs are told apart, every eight without colour. */
export const colourSet = (shape: number): string => {
  const set = Math.floor(shape / 4) % 4;
  return set === 0 ? "" : ` set-${set}`;
};

/** Of arms that are as thick as half of their length, upright or turned. */
const cross = (x: number, y: number): string => {
  const [long, thick] = [r + 1, 2];
  return `M${x - thick} ${y - long}h${2 * thick}v${long - thick}h${long - thick}v${2 * thick}h${thick - long}v${long - thick}h${-2 * thick}v${thick - long}h${thick - long}v${-2 * thick}h${long - thick}Z`;
};

/** Shapes take turns: circle, square, triangle, diamond, triangle upside down, plus, cross, hourglass. */
export function Mark({ shape, x, y, isHollow = false }: MarkProps) {
  const name = `${isHollow ? "mark-hollow" : "mark-full"}${colourSet(shape)}`;
  switch (shape % 8) {
    case 1: return <rect class={name} x={x - r} y={y - r} width={2 * r} height={2 * r} />;
    case 2: return <path class={name} d={`M${x} ${y - r - 1}L${x + r + 1} ${y + r}L${x - r - 1} ${y + r}Z`} />;
    case 3: return <path class={name} d={`M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`} />;
    case 4: return <path class={name} d={`M${x} ${y + r + 1}L${x + r + 1} ${y - r}L${x - r - 1} ${y - r}Z`} />;
    case 5: return <path class={name} d={cross(x, y)} />;
    case 6: return <path class={name} d={cross(x, y)} transform={`rotate(45 ${x} ${y})`} />;
    case 7: return <path class={name} d={`M${x - r} ${y - r}L${x + r} ${y - r}L${x - r} ${y + r}L${x + r} ${y + r}Z`} />;
    default: return <circle class={name} cx={x} cy={y} r={r} />;
  }
}
