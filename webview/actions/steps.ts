/** What can be done to a step: go to it, fold it, see it as recorded. */
import { readyDocument, type App } from "../state/app";
import { partKey } from "../text/mark";
import { readingOrder } from "../trajectory/reading-order";
import { foldPolicy, linesOf } from "../trajectory/rows";

export function toggleSource(app: App, step: number): void {
  app.view.update((view) => {
    const isSource = view.sources.includes(step);
    return { ...view, sources: isSource ? view.sources.filter((index) => index !== step) : [...view.sources, step] };
  });
}

/** Unfolds everything of a step if any of it is folded, else folds what can be folded. */
export function toggleStepFold(app: App, index: number): void {
  const step = app.steps?.get(index);
  const doc = readyDocument(app);
  if (!step || !doc) return;
  const { folds } = app.view.get();
  const parts = step.parts.flatMap((part, at) => {
    const policy = foldPolicy(step, part, linesOf(part), doc.snapshot.settings.showReasoning);
    const key = partKey(index, at);
    return policy.isFoldable ? [{ key, isFolded: folds[key] ?? policy.isFolded }] : [];
  });
  const fold = !parts.some((part) => part.isFolded);
  app.view.update((view) => ({ ...view, folds: { ...view.folds, ...Object.fromEntries(parts.map((part) => [part.key, fold])) } }));
}

/** Moves `by` steps in reading order. The focus follows only where it is on a step or nowhere in particular. */
export function moveStep(app: App, by: number): void {
  const doc = readyDocument(app);
  if (!doc) return;
  const order = readingOrder(doc.snapshot.outline);
  const at = order.indexOf(app.view.get().step);
  const next = order[Math.max(0, Math.min(order.length - 1, at + by))];
  if (next === undefined) return;
  const focused = document.activeElement;
  const isFree = !focused || focused === document.body || focused.matches("[data-step-index], .transcript");
  app.transcript?.showStep(next, isFree);
}
