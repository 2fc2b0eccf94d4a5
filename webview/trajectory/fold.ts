/** Folding one part. */
import { useApp } from "../state/app";
import { partKey } from "../text/mark";
import type { FoldInfo } from "./rows";

/** Folds or unfolds a part and remembers it. */
export function useFold(step: number, part: number, fold: FoldInfo | undefined): () => void {
  const app = useApp();
  return () => {
    if (fold?.isFolded) void app.steps?.wholePart(step, part);
    if (fold) app.view.update((view) => ({ ...view, folds: { ...view.folds, [partKey(step, part)]: !fold.isFolded } }));
  };
}
