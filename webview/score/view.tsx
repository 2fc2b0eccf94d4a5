/** The score view. */
export function ScoreView() {
  return null;
}
