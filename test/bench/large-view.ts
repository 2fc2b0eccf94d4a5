/**
 * The view on a run of 100,000 steps and on one with a tool output of 50 MB: what opening it, going to the end and to evidence
 * and finding cost the page, and what scrolling through it does. The page answers itself here; what it does for that is not
 * counted.
 */
import { Views, skip, type ViewPage } from "../webview/page";
import { scrollThrough, type BenchRow, type ScrollResult } from "./scroll";

interface Dev {
  readonly tracemark: {
    readonly app: { readonly transcript: { showStep(step: number, focus: boolean): void } };
    readonly host: { snapshot(): { header: object; items: object[] }; readonly listeners: Set<(message: unknown) => void>; send(message: unknown): void; post(message: unknown): void };
  };
}

/** The whole height is scrolled through in about so many frames. */
const frames = 250;

/** Live JavaScript heap of the page in MB, garbage collected. */
async function heap(view: ViewPage): Promise<number> {
  const session = await view.page.context().newCDPSession(view.page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0) / 1e6;
}

/** Lets the page's host answer as one in another process does: each answer comes in a task of its own, and so does the host's work, which is noted. */
function moveHostAway(view: ViewPage): Promise<void> {
  return view.page.evaluate(() => {
    const { host } = (window as never as Dev).tracemark;
    const works: number[] = [];
    const post = host.post.bind(host);
    const send = host.send.bind(host);
    host.post = (message) => void setTimeout(() => {
      works.push(performance.now());
      post(message);
    });
    host.send = (message) => void setTimeout(() => send(message));
    Object.assign(window, { works });
  });
}

/** The longest task of the page's main thread while `work` runs, in ms, without those of the host; 0 where none took 50 ms. */
async function longestTask(view: ViewPage, work: () => Promise<unknown>): Promise<number> {
  await view.page.evaluate(() => {
    const seen = { longest: 0 };
    const { works } = window as never as { works: number[] };
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        if (!works.some((at) => at >= startTime && at < startTime + duration)) seen.longest = Math.max(seen.longest, duration);
      }
    }).observe({ type: "longtask" });
    Object.assign(window, { seen });
  });
  await work();
  await view.settled(10);
  return view.page.evaluate(() => (window as never as { seen: { longest: number } }).seen.longest);
}

/** Gives the page the snapshot that it has once more, as of another sample: all of it is laid out anew. */
function openAgain(view: ViewPage): Promise<void> {
  return view.page.evaluate(async () => {
    const { host } = (window as never as Dev).tracemark;
    const before = host.snapshot();
    const snapshot = { ...before, header: { ...before.header, contentSha256: "another" }, items: before.items.map((item, index) => ({ ...item, id: `another ${index}` })) };
    await new Promise((resolve) => setTimeout(resolve, 100));
    await new Promise<void>((resolve) => setTimeout(() => {
      for (const listener of host.listeners) listener({ type: "doc/snapshot", snapshot });
      resolve();
    }));
  });
}

function row(name: string, value: number, unit: BenchRow["unit"], target: number, detail?: string): BenchRow {
  return { name, value: Math.round(value * 10) / 10, unit, target, met: value <= target, ...(detail ? { detail } : {}) };
}

const percentile95 = ({ frames }: ScrollResult) => frames[Math.floor(frames.length * 0.95)] ?? 0;

async function measured(views: Views, name: string, query: string, last: number): Promise<BenchRow[]> {
  const view = await views.open(query, { width: 1920, height: 1080 });
  await view.drawn();
  await moveHostAway(view);
  const opened = await longestTask(view, async () => {
    await openAgain(view);
    await view.drawn();
  });
  const gone = await longestTask(view, async () => {
    await view.page.evaluate((step) => (window as never as Dev).tracemark.app.transcript.showStep(step, false), last);
    await view.page.waitForSelector(`[data-step-index="${last}"] .window`, { timeout: 60_000 });
    await view.command("evidence/next");
    await view.page.waitForSelector("mark.mark-evidence", { timeout: 90_000 });
  });
  const found = await longestTask(view, async () => {
    await view.command("find/open");
    await view.page.keyboard.type("value", { delay: 20 });
    await view.settled(30);
  });
  await view.page.keyboard.press("Escape");
  // Once while steps come in, then again until as many are held as ever will be: what stays from then on is a leak.
  const height = await view.page.evaluate(() => document.querySelector(".transcript")!.scrollHeight);
  const first = await scrollThrough(view, Math.ceil(height / frames));
  await scrollThrough(view, Math.ceil(height / frames));
  const before = await heap(view);
  const third = await scrollThrough(view, Math.ceil(height / frames));
  const after = await heap(view);
  if (!first.reached || !third.reached) throw new Error(`${name}: the end was not reached`);
  return [
    row(`${name}: 95th percentile frame, end to end`, percentile95(first), "ms", 50, `${first.frames.length} frames over ${Math.round(height / 1000).toLocaleString("en")} thousand px, ${first.steps} steps drawn; the third time ${Math.round(percentile95(third))} ms`),
    row(`${name}: most elements`, Math.max(first.elements, third.elements), "nodes", 800),
    row(`${name}: heap after scrolling through again`, after - before, "MB", 10, `${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`),
    row(`${name}: longest task, opening`, opened, "ms", 200),
    row(`${name}: longest task, to the end and to evidence`, gone, "ms", 200),
    row(`${name}: longest task, find`, found, "ms", 200),
  ];
}

export async function run(): Promise<BenchRow[]> {
  if (skip) return [];
  const views = await Views.launch();
  try {
    return [...(await measured(views, "100,000 steps", "long&steps=100000", 99_999)), ...(await measured(views, "an output of 50 MB", "big&mb=50", 5))];
  } finally {
    await views.close();
  }
}
