/** What the score view remembers while its page is gone: the tab, the chosen run, how far it was scrolled. */
import * as z from "zod/mini";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Host } from "../host/host";

export const tabIds = ["runs", "forest", "tradeoff", "category", "task", "heat", "curves", "matrix", "prompting", "faithfulness", "pairs", "changes", "agreement", "compare", "repeats", "notes"] as const;
export type TabId = (typeof tabIds)[number];

const ScoreState = z.object({ version: z.literal(1), view: z.literal("score"), tab: z.enum(tabIds), runId: z.optional(z.string()), gold: z.optional(z.enum(["original", "corrected"])), against: z.optional(z.string()), scroll: z.number() });
export type ScoreState = z.infer<typeof ScoreState>;

const fresh: ScoreState = { version: 1, view: "score", tab: "runs", scroll: 0 };

/** The state and the way to change it; each change is kept at once. Scrolling is kept too and draws nothing. */
export function useScoreState(host: Host): [ScoreState, (change: Partial<ScoreState>) => void] {
  const [state, setState] = useState<ScoreState>(() => {
    const stored = ScoreState.safeParse(host.getState());
    return stored.success ? stored.data : fresh;
  });
  const latest = useRef(state);
  return [state, (change) => {
    latest.current = { ...latest.current, ...change };
    host.setState(latest.current);
    if (Object.keys(change).some((key) => key !== "scroll")) setState(latest.current);
  }];
}

/** Scrolls an element to where it was left, and tells where it is scrolled to from then on. Pixels. */
export function useKeptScroll(wanted: number, keep: (top: number) => void) {
  const ref = useRef<HTMLElement>(null);
  const isRestored = useRef(false);
  useLayoutEffect(() => {
    const restore = () => ref.current?.scrollTo(0, wanted);
    restore();
    // The kit draws its tabs a frame later, and the browser then holds on to what it saw: only now is the height the real one.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        restore();
        isRestored.current = true;
      });
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return { ref, onScroll: () => { if (isRestored.current && ref.current) keep(ref.current.scrollTop); } };
}
