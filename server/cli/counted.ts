/** A number with its noun, in the singular where it is one: `1 verdict`, `0 labels`, `3 trajectories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
