/** A review in a real VS Code: from the key that decides to the label said to be saved, and to the next sample drawn. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame } from "playwright-core";
import { skip } from "../webview/page";
import { Session } from "../vscode/session";
import { sweAgentFile } from "./generate";
import type { BenchRow } from "./scroll";

const logs = 50;
const logBytes = 400 << 10;
/** Decisions on one log whose saving is timed. */
const saves = 40;
/** Between two keys, as nobody decides faster: what the last one set going is over. */
const pauseMs = 500;

/** Milliseconds from a key: to the editor's command for it having come back, and to the end. */
interface Timed { readonly command: number; readonly end: number }

function addLogs(folder: string): void {
  mkdirSync(join(folder, "bench"));
  const lines: string[] = [];
  for (let n = 0; n < logs; n++) {
    writeFileSync(join(folder, "bench", `run-${n}.traj`), sweAgentFile(logBytes, n + 1));
    lines.push(`${JSON.stringify({ id: `bench-${n}`, path: `bench/run-${n}.traj`, label: n % 2 ? "benign" : "misbehavior" })}\n`);
  }
  writeFileSync(join(folder, "bench.samples.jsonl"), lines.join(""));
  const config = join(folder, "tracemark.json");
  writeFileSync(config, JSON.stringify({ ...(JSON.parse(readFileSync(config, "utf8")) as object), samples: ["bench.samples.jsonl"] }));
}

/**
 * Milliseconds from the moment at which the page got a key to the first frame after the title, or else the text, of `selector`
 * changed to one that matches `pattern`, with rows of a transcript drawn.
 */
function timeNextKey(frame: Frame, selector: string, pattern: string): Promise<void> {
  return frame.evaluate(([where, like]) => {
    const slot = window as never as { timed?: Promise<Timed> };
    slot.timed = new Promise((done) => {
      window.addEventListener("keydown", (event) => {
        const read = () => {
          const element = document.querySelector<HTMLElement>(where!);
          return (element?.title || element?.textContent) ?? "";
        };
        const began = event.timeStamp, before = read();
        let command = 0;
        window.addEventListener("message", () => (command = performance.now() - began), { capture: true, once: true });
        const look = () => {
          const text = read();
          if (text !== before && new RegExp(like!).test(text) && document.querySelector(".transcript .row")) {
            observer.disconnect();
            requestAnimationFrame((now) => done({ command, end: now - began }));
          }
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      }, { capture: true, once: true });
    });
  }, [selector, pattern]);
}

const patienceMs = 30_000;

const timed = (frame: Frame): Promise<Timed> => frame.evaluate((limit) => Promise.race([
  (window as never as { timed: Promise<Timed> }).timed,
  new Promise<never>((_, fail) => setTimeout(() => fail(new Error(`nothing came of the key in ${limit} ms`)), limit)),
]), patienceMs);

function row(name: string, times: readonly Timed[], detail: string): BenchRow {
  const at = (share: number, part: keyof Timed) => Math.round(times.map((one) => one[part]).sort((a, b) => a - b)[Math.floor(times.length * share)]!);
  const p95 = at(0.95, "end");
  return { name, value: p95, unit: "ms", target: 150, met: p95 <= 150, detail: `95th percentile of ${times.length}, median ${at(0.5, "end")} ms, of which ${at(0.5, "command")} ms the key's way through the editor; ${detail}` };
}

/** Rows of the bench: 95th percentiles, aim 150 ms each. */
export async function run(): Promise<BenchRow[]> {
  if (skip) {
    console.error(`review: ${skip}`);
    return [];
  }
  const session = await Session.start({ prepare: addLogs });
  const { workbench } = session;
  try {
    const log = await session.open("bench/run-0.traj");
    await session.keys(log, "u");
    await session.status(log, /saved/i);
    const saved: Timed[] = [];
    for (let n = 0; n < saves; n++) {
      // Its title is the record's own time.
      await timeNextKey(log, ".decision-bar .status.is-saved", "^\\d{4}-");
      await log.waitForTimeout(pauseMs);
      await workbench.press(n % 2 ? "m" : "b");
      saved.push(await timed(log));
    }
    await workbench.command("View: Close All Editors");
    await workbench.command("Tracemark: New plan…");
    await workbench.pick("Random");
    await workbench.type(String(logs));
    await workbench.type("11");
    await workbench.type("tester");
    await workbench.pick("Blind");
    await workbench.command("Tracemark: Start review…");
    await workbench.pick("plan-");
    await workbench.waitForTab({ name: "Review" });
    const review = await session.view();
    await session.keys(review);
    const next: Timed[] = [];
    for (let n = 1; n < logs - 1; n++) {
      await timeNextKey(review, ".session-place", `Item ${n + 1} of`);
      await review.waitForTimeout(pauseMs);
      await workbench.press(n % 2 ? "m" : "b");
      next.push(await timed(review));
    }
    return [
      row("review-key-to-saved", saved, "the record is on disk when the view says so"),
      row("review-key-to-next-sample", next, `the label saved and the next log, of ${logBytes >> 10} kB, drawn`),
    ];
  } finally {
    await session.end();
  }
}
