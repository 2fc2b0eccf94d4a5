/** Scrolling through a long transcript: frame times and elements. */
import { Views, skip, type ViewPage } from "../webview/page";

export interface BenchRow { readonly name: string; readonly value: number; readonly unit: "ratio" | "ms" | "MB" | "nodes"; readonly target: number; readonly met: boolean; readonly detail?: string }

export interface ScrollResult {
  /** Most elements outside shadow roots at any frame. */
  readonly elements: number;
  /** Milliseconds between frames, shortest first. */
  readonly frames: readonly number[];
  readonly reached: boolean;
  /** How many different steps were drawn. */
  readonly steps: number;
}

/** Scrolls the transcript from its beginning to its end by `pixels` a frame. */
export function scrollThrough(view: ViewPage, pixels: number): Promise<ScrollResult> {
  return view.page.evaluate(async (by) => {
    const scroller = document.querySelector(".transcript")!;
    const frames: number[] = [];
    const steps = new Set<string>();
    let elements = 0;
    scroller.scrollTop = 0;
    const atEnd = () => scroller.scrollTop >= scroller.scrollHeight - scroller.clientHeight - 2;
    let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    while (!atEnd() && frames.length < 5000) {
      scroller.scrollTop += by;
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      frames.push(now - last);
      last = now;
      elements = Math.max(elements, document.querySelectorAll("*").length);
      for (const article of scroller.querySelectorAll<HTMLElement>("article")) steps.add(article.dataset["stepIndex"] ?? "");
    }
    return { elements, frames: frames.sort((a, b) => a - b), reached: atEnd(), steps: steps.size };
  }, pixels);
}

/** Rows of the bench: 95th percentile of frame time (target 50 ms) and the most elements (target 800) over 5,000 steps at 1080 px. */
export async function run(): Promise<BenchRow[]> {
  if (skip) return [];
  const views = await Views.launch();
  try {
    const view = await views.open("long&steps=5000", { width: 1920, height: 1080 });
    await view.drawn();
    const { elements, frames } = await scrollThrough(view, 1500);
    const p95 = Math.round((frames[Math.floor(frames.length * 0.95)] ?? 0) * 10) / 10;
    return [
      { name: "scroll 5,000 steps, 95th percentile frame", value: p95, unit: "ms", target: 50, met: p95 <= 50, detail: `${frames.length} frames, median ${Math.round(frames[frames.length >> 1] ?? 0)} ms` },
      { name: "scroll 5,000 steps, most elements", value: elements, unit: "nodes", target: 800, met: elements <= 800 },
    ];
  } finally {
    await views.close();
  }
}
