/** Text that has to fit into a plot. */

/** Width of a character at 12 px, on average; measuring would need the drawn page. */
const characterWidth = 7;

/** The text as far as there is room for it, in pixels of a plot. */
export function fitText(text: string, room: number): string {
  const most = Math.max(2, Math.floor(room / characterWidth));
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
