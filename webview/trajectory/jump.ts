/** Going to a place in the transcript: unfold what hides it, centre it, flash it once, and leave the focus where it was. */
import { setNow, type App, type JumpTarget, type TranscriptPort } from "../state/app";
import { partKey } from "../text/mark";
import { rangeOf } from "../text/places";
import type { RowModel } from "./row-model";
import { rowAt } from "./rows";
import type { TallScroller } from "./tall-scroller";
import type { VirtualList } from "./virtual-list";

const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

/** Two frames: rows drawn in the first are measured in the second. */
async function settle(): Promise<void> {
  await frame();
  await frame();
}

function unfold(app: App, target: JumpTarget): boolean {
  const { step, part } = target;
  if (part === undefined) return false;
  const key = partKey(step, part);
  if (app.view.get().folds[key] === false) return false;
  app.view.update((view) => ({ ...view, folds: { ...view.folds, [key]: false } }));
  return true;
}

/** Whether the target's text is drawn; a rendered link's address or a diff's left out argument is not. */
const drawn = (target: JumpTarget): Range | undefined =>
  target.part === undefined || target.start === undefined ? undefined : rangeOf(target.step, target.part, target.start, target.end ?? target.start + 1);

async function centre(target: JumpTarget, model: () => RowModel, list: VirtualList, scroller: TallScroller): Promise<Range | undefined> {
  const from = model().firstRow.get(target.step);
  if (from === undefined) return undefined;
  const index = rowAt(model().rows, from, target.step, target.part, target.start);
  list.scrollToIndex(index, { align: target.part === undefined ? "start" : "center" });
  await settle();
  if (target.part === undefined) return undefined;
  // Rows were drawn and measured on the way, so the estimate was a little off: correct by what is really there.
  let range = drawn(target);
  for (let i = 0; i < 4 && range && scroller.element; i++) {
    const box = scroller.element.getBoundingClientRect();
    const rect = range.getBoundingClientRect();
    const off = rect.top + Math.min(rect.height, box.height * 0.6) / 2 - (box.top + box.height / 2);
    if (Math.abs(off) < 8) break;
    const before = scroller.scrollTop;
    scroller.scrollTop += off;
    if (scroller.scrollTop === before) break;
    await settle();
    range = drawn(target);
  }
  return range;
}

function flash(target: JumpTarget): void {
  if (!target.markRef) return;
  for (const element of document.querySelectorAll(`mark[data-ref="${CSS.escape(target.markRef)}"]`)) {
    element.classList.remove("is-flashing");
    // Reading a size starts the animation again when the class comes back.
    void (element as HTMLElement).offsetWidth;
    element.classList.add("is-flashing");
  }
}

/** `moves` counts the places gone to, for what would otherwise scroll against it. */
export function createTranscriptPort(app: App, model: () => RowModel, list: VirtualList, scroller: TallScroller, moves: { current: number }): TranscriptPort {
  let latest = 0;
  const setStep = (step: number) => {
    if (app.view.get().step !== step) app.view.update((view) => ({ ...view, step }));
  };
  return {
    async jump(target) {
      const ticket = ++latest;
      moves.current++;
      const stale = () => ticket !== latest;
      await app.steps?.want(target.step, target.step + 1);
      if (stale()) return;
      if (!app.steps?.get(target.step)) return setNow(app, { error: app.now.get().error });
      setStep(target.step);
      // A quote in sight needs no unfolding, in a folded part's first lines for example.
      let range = drawn(target);
      if (!range && target.part !== undefined && target.start !== undefined) await app.steps.wholePart(target.step, target.part);
      if (stale()) return;
      if (!range && unfold(app, target)) await settle();
      if (stale()) return;
      range = await centre(target, model, list, scroller);
      if (stale()) return;
      const isHidden = !range && target.part !== undefined && target.start !== undefined;
      if (isHidden && !app.view.get().sources.includes(target.step)) {
        app.view.update((view) => ({ ...view, sources: [...view.sources, target.step] }));
        await settle();
        if (stale()) return;
        await centre(target, model, list, scroller);
      }
      flash(target);
    },
    showStep(step, focus) {
      latest++;
      moves.current++;
      setStep(step);
      const index = model().firstRow.get(step);
      if (index === undefined || !scroller.element) return;
      const offset = list.getOffsetForIndex(index, "start")?.[0];
      if (offset !== undefined) scroller.scrollTop = Math.max(0, offset - 8);
      if (!focus) return;
      // The article may come into being with the scroll that was just asked for.
      void settle().then(() => scroller.element?.querySelector<HTMLElement>(`[data-step-index="${step}"]`)?.focus({ preventScroll: true }));
    },
  };
}
