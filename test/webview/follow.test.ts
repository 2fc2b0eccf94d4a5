/** A file that is still being written: new steps come in below, and the reader stays in his place. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface DevStep { index: number }
interface DevHost {
  file: { trajectories: { steps: DevStep[] }[] };
  outlines: Map<number, unknown>;
  snapshot(): { header: object; settings: object };
  send(message: unknown): void;
}

/** Appends `count` steps to the file and tells the view, as the host does after it has read the file again. */
async function grow(view: ViewPage, count: number, follow: boolean): Promise<void> {
  await view.page.evaluate(([more, follows]) => {
    const { host } = (window as never as { tracemark: { host: DevHost } }).tracemark;
    const { steps } = host.file.trajectories[0]!;
    for (let n = 0; n < more; n++) steps.push({ index: steps.length, role: "user", parts: [{ kind: "text", text: `appended ${steps.length}` }], places: [] } as DevStep);
    host.outlines.clear();
    const snapshot = host.snapshot();
    host.send({ type: "doc/snapshot", snapshot: { ...snapshot, header: { ...snapshot.header, contentSha256: `grown to ${steps.length}` }, settings: { ...snapshot.settings, follow: follows } } });
  }, [count, follow] as const);
  await view.settled(20);
}

const place = (view: ViewPage) => view.page.evaluate(() => {
  const box = document.querySelector(".transcript")!;
  const top = box.getBoundingClientRect().top;
  const first = [...box.querySelectorAll<HTMLElement>("article[data-step-index]")].find((article) => article.getBoundingClientRect().bottom > top + 1)!;
  return { step: first.dataset["stepIndex"], offset: Math.round(first.getBoundingClientRect().top - top), isAtEnd: box.scrollTop + box.clientHeight >= box.scrollHeight - 4 };
});

test("steps that are appended do not move the reader; one who stands at the end stays at the end", { skip, timeout: 120_000 }, async () => {
  const view = await views.open("long&steps=80");
  await view.drawn();
  await view.page.evaluate(() => (window as never as { tracemark: { app: { transcript: { showStep(step: number, focus: boolean): void } } } }).tracemark.app.transcript.showStep(30, false));
  await view.settled(30);
  const before = await place(view);
  await grow(view, 5, true);
  assert.deepEqual(await place(view), before);
  await view.page.evaluate(() => document.querySelector(".transcript")!.scrollTo({ top: 1e9 }));
  await view.settled(30);
  await view.page.evaluate(() => document.querySelector(".transcript")!.scrollTo({ top: 1e9 }));
  await view.settled(10);
  assert.ok((await place(view)).isAtEnd);
  await grow(view, 20, true);
  assert.ok((await place(view)).isAtEnd, JSON.stringify(await place(view)));
  assert.match(await view.page.textContent(".transcript") ?? "", /appended 104/);
  // Off, the view stays where it is.
  await grow(view, 20, false);
  assert.equal((await place(view)).isAtEnd, false);
  assert.deepEqual(view.errors, []);
});
