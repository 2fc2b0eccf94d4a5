// Draws the pictures of the documentation from samples/ as the score view draws and saves them: node test/support/pictures/make.mjs [folder]
// Needs dist/cli.cjs (node esbuild.mjs) and a Chromium (TRACEMARK_CHROMIUM names another than /usr/bin/chromium).
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { buildDevPage, serve } from "../../../webview/dev/build.mjs";

const out = resolve(process.argv[2] ?? "webview/score/pictures");
/** Tabs and the part of the scores that each is drawn from; the report of `score` holds them all. */
const tabs = { forest: undefined, tradeoff: undefined, heat: "slices", curves: "curves", faithfulness: "faithfulness", pairs: "pairs" };

const cli = (...args) => execFileSync(process.execPath, [resolve("dist/cli.cjs"), ...args], { cwd: "samples", encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
const [original, corrected] = cli("score", "--gold", "both", "--by", "category,task,category_task", "--json").trim().split("\n").map((line) => JSON.parse(line));

const server = await serve(await buildDevPage());
const browser = await chromium.launch({ executablePath: process.env.TRACEMARK_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
mkdirSync(out, { recursive: true });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  await page.goto(`${server.url}?fixture=noScores&theme=light`);
  await page.waitForSelector(".score");
  const send = (message) => page.evaluate((value) => window.tracemark.host.send(value), message);
  await send({ type: "score/snapshot", score: { workspace: "samples", original, corrected, labels: "all", corrections: corrected.changes.changed, warnings: [], updatedAt: new Date(0).toISOString() } });
  for (const [tab, part] of Object.entries(tabs)) {
    await page.click(`#tab-${tab}`);
    if (part) await send({ type: "score/part", part, gold: "corrected", runs: [], report: corrected, notes: [] });
    await page.waitForSelector(`#view-${tab} .plot`);
    const before = await page.evaluate(() => window.tracemark.host.posted.length);
    await page.getByRole("button", { name: "PNG" }).click();
    await page.waitForFunction((count) => window.tracemark.host.posted.length > count, before);
    const saved = await page.evaluate(() => window.tracemark.host.posted.filter(({ type }) => type === "score/export").at(-1));
    writeFileSync(join(out, `score-${tab}.png`), Buffer.from(saved.content, "base64"));
    console.log(join(out, `score-${tab}.png`));
  }
} finally {
  await browser.close();
  server.close();
}
