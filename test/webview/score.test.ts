/** The score view: the headline's rules, table, plots, live numbers, memory, empty states, accessibility. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { ScoreSnapshot } from "#protocol/webview";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface AxeResult { readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[] }[] }

const axe = skip ? "" : readFileSync(createRequire(`${process.cwd()}/package.json`).resolve("axe-core/axe.min.js"), "utf8");
const tabs = ["runs", "forest", "tradeoff", "category", "task", "heat", "curves", "matrix", "prompting", "faithfulness", "pairs", "changes", "agreement", "compare", "repeats", "notes"];

// Reports travel as loose objects.
type Loose = any;

/** Gives the view its snapshot again, changed by `change`. */
async function resend(view: ViewPage, change: (score: Omit<ScoreSnapshot, "original" | "corrected"> & { original: Loose; corrected: Loose }) => void): Promise<void> {
  const score = await view.page.evaluate(() => structuredClone((window as never as { tracemark: { app: { score: { get(): unknown } } } }).tracemark.app.score.get())) as ScoreSnapshot;
  change(score);
  await view.send({ type: "score/snapshot", score });
}

const headlineOf = async (view: ViewPage): Promise<string> => line(await view.page.innerText(".headline"));

const line = (text: string) => text.replace(/\s+/g, " ").trim();

test("where verdicts chose what was reviewed, the headline is the original gold", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  const headline = line(await view.page.innerText(".headline"));
  // 70 of 240 and 165 of 750 on original labels; 66 of 267 and 134 of 723 on corrected ones.
  assert.match(headline, /^MR 0\.29 \[0\.24, 0\.35\] \(0\.25 corrected\) · FAR 0\.22 \[0\.19, 0\.25\] \(0\.19 corrected\) · 41 corrected/);
  assert.match(headline, /reviewed 314 of 335 flagged, 0 of 655 unflagged: MR cannot be judged from these labels$/);
});

test("else it is the corrected gold, with what it was", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  assert.match(line(await view.page.innerText(".headline")), /^MR 0\.25 \[0\.20, 0\.30\] \(was 0\.29\) · FAR 0\.19 \[0\.16, 0\.22\] \(was 0\.22\)/);
});

test("where a plan with known chances tells the rates, its estimate leads, and says how far it is", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  const rate = (value: number | null, low: number | null, high: number | null) => ({ value, low, high });
  await resend(view, (score) => {
    const estimate = { judged: 140, planned: 300, interim: true, frame: 990, miss_rate: rate(0.31, 0.2, 0.45), false_alarm_rate: rate(0.21, 0.17, 0.26), precision: rate(0.5, 0.4, 0.6), prevalence: rate(0.2, 0.1, 0.3), label_noise: rate(0.04, 0.01, 0.1), notes: ["No miss was seen."] };
    score.corrected.runs[2].estimates = { "plan-a": estimate, "plan-b": { ...estimate, judged: 290, miss_rate: rate(null, null, null) } };
  });
  assert.match(await headlineOf(view), /^MR 0\.31 \[0\.20, 0\.45\] \(0\.25 corrected\) · FAR 0\.21 \[0\.17, 0\.26\] \(0\.19 corrected\) · estimated from plan plan-a, interim, 140 of 300 · 41 corrected/);
  assert.doesNotMatch(await headlineOf(view), /cannot be judged/);
  assert.equal(await view.page.locator(".score .notice").count(), 0);
  const table = view.page.locator(".estimates .data-table tbody tr");
  assert.match(line(await table.first().innerText()), /^plan-a interim, 140 of 300 990 0\.31 \[0\.20, 0\.45\] 0\.21 \[0\.17, 0\.26\] 0\.50/);
  assert.match(await view.page.innerText(".estimates"), /No miss was seen\./);
});

test("the table has both golds side by side, a row chooses its run", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  const cells = (await view.page.locator(".score-table tbody tr").nth(2).innerText()).split("\t").map(line);
  assert.match(cells[0]!, /guard-a/);
  assert.deepEqual(cells.slice(1, 5), ["0.29 [0.24, 0.35]", "0.25 ↓0.04 [0.20, 0.30]", "0.22 [0.19, 0.25]", "0.19 ↓0.03 [0.16, 0.22]"]);
  assert.deepEqual(["201 was 170", "66 was 70", "134 was 165", "589 was 585"].filter((words) => !cells.includes(words)), []);
  await view.page.locator("#tab-tradeoff").click();
  await view.page.locator(".row-button").first().click();
  await view.settled();
  assert.match(line(await view.page.innerText(".headline")), /^MR 0\.50/);
  // The host is told, so that queue and status bar speak of the same run.
  const told = (await view.posted("score/options")) as { type: string; runId?: string }[];
  assert.equal(told.length, 1);
  assert.match(told[0]?.runId ?? "", /^rules-/);
});

test("tabs show categories and tasks", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator("#tab-category").click();
  await view.page.waitForSelector(".plot");
  assert.deepEqual((await view.page.locator(".score-table tbody th").allInnerTexts()).map(line), ["Safety & Permission Violations", "Sycophancy & Bias", "Specification Gaming"]);
  await view.page.locator("#tab-task").click();
  await view.page.waitForFunction(() => document.querySelector(".score-table tbody th")?.textContent?.trim() === "qa");
});

test("without runs there is one sentence and one button", { skip }, async () => {
  const view = await views.open("noScores");
  await view.settled();
  assert.match(await view.page.innerText(".empty p"), /^No run yet\./);
  assert.equal(await view.page.locator(".empty vscode-button").count(), 1);
});

test("labels can be limited to blind ones", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator(".score-head vscode-checkbox").click();
  await view.settled();
  assert.deepEqual(await view.posted("score/options"), [{ type: "score/options", labels: "blind" }]);
});

test("new numbers are told and leave tab, run and scrolling as they were", { skip }, async () => {
  const view = await views.open("scores&biased=off", { width: 450, height: 400 });
  await view.settled();
  await view.page.locator(".row-button").first().click();
  await view.page.locator("#tab-category").click();
  await view.page.waitForSelector(".plot");
  await view.page.locator(".score").evaluate((element) => element.scrollTo(0, 120));
  assert.match(await headlineOf(view), /^MR 0\.48 /);
  assert.equal(await view.page.innerText(".live[role=status]"), "");
  await resend(view, (score) => {
    score.corrected.runs[0].miss_rate = { value: 0.5, low: 0.44, high: 0.56, numerator: 123, denominator: 246, worst: 0.5 };
    score.corrected.a_key_of_a_later_version = true;
  });
  assert.equal(await view.page.textContent(".live[role=status]"), "MR 0.50, was 0.48");
  assert.match(await headlineOf(view), /^MR 0\.50 \[0\.44, 0\.56\] · FAR/);
  assert.equal(await view.page.locator(".plot").count(), 1);
  assert.equal(await view.page.locator(".score").evaluate((element) => element.scrollTop), 120);
  await view.page.reload();
  await view.page.waitForSelector(".plot");
  await view.settled();
  assert.match(await headlineOf(view), /^MR 0\.48 /);
  assert.equal(await view.page.locator(".score").evaluate((element) => element.scrollTop), 120);
});

test("other labels asked for are no news of the run", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  await resend(view, (score) => {
    score.labels = "blind";
    score.corrected.runs[2].miss_rate.value = 0.5;
  });
  assert.match(await headlineOf(view), /^MR 0\.50 /);
  assert.equal(await view.page.textContent(".live[role=status]"), "");
});

test("a rate that nothing can be divided for is a dash with its reason; a worst case is in the title", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  const none = { value: null, low: null, high: null, numerator: 0, denominator: 0, worst: null };
  await resend(view, (score) => {
    score.corrected.runs[0].miss_rate = none;
    score.original.runs[0].miss_rate = none;
    score.corrected.runs[0].false_alarm_rate.worst = 0.25;
  });
  const cells = view.page.locator(".score-table tbody tr").first().locator("td.rate");
  assert.equal(line(await cells.nth(1).innerText()), "–");
  assert.equal(await cells.nth(1).getAttribute("title"), "No valid verdict on a misbehaving sample");
  assert.equal(await cells.nth(3).getAttribute("title"), "88 of 744 benign samples flagged; 0.25 if invalid verdicts count against the monitor");
  await view.page.locator("#tab-tradeoff").click();
  await view.page.waitForSelector(".point");
  assert.equal(await view.page.locator(".point").count(), 2);
});

test("with many runs the legend of the trade-off tells whose mark is whose", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator("#tab-tradeoff").click();
  await view.page.waitForSelector(".point");
  assert.equal(await view.page.locator(".point-name").count(), await view.page.locator(".point").count());
  const before = await view.page.locator(".plot-legend li").count();
  await resend(view, (score) => {
    const many = (runs: Loose[]): Loose[] => Array.from({ length: 8 }, (_, n) => ({ ...runs[n % runs.length], run_id: `run-${n}`, monitor: `guard-${n}` }));
    score.original = { ...score.original, runs: many(score.original.runs) };
    score.corrected = { ...score.corrected, runs: many(score.corrected.runs) };
  });
  await view.page.waitForFunction(() => document.querySelectorAll(".point").length === 8);
  const legend = (await view.page.locator(".plot-legend li").allInnerTexts()).map(line);
  assert.deepEqual(legend.slice(-8).map((text) => /^guard-\d/.exec(text)?.[0]), Array.from({ length: 8 }, (_, n) => `guard-${n}`));
  assert.equal(legend.length, before + 8);
});

test("a warning about another run is told whole, and its verdict is not this run's", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator(".row-button").first().click();
  await view.settled();
  assert.doesNotMatch(await headlineOf(view), /cannot be judged/);
  assert.match(line(await view.page.innerText(".score .notice")), /^Reviewed 317 of 335 flagged and 0 of 655 unflagged verdicts of guard-evidence-0412: .* rates above are those of the original labels/);
});

test("before anything is labelled the view says so", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  await resend(view, (score) => {
    score.corrections = 0;
    score.corrected = { ...score.original, samples: { ...score.original.samples, undecided: 0, contested: 0 }, runs: score.original.runs.map((run: Loose) => ({ ...run, reviewed: { tp: 0, fn: 0, fp: 0, tn: 0 } })) };
  });
  assert.match(await view.page.innerText(".score .notice"), /^Nothing is labelled yet/);
  assert.equal(await view.page.locator(".change").count(), 0);
});

test("the button of the empty view asks for a trajectory", { skip }, async () => {
  const view = await views.open("noScores");
  await view.settled();
  await view.page.locator(".empty vscode-button").click();
  assert.deepEqual(await view.posted("trajectory/open"), [{ type: "trajectory/open" }]);
});

test("a report of another shape is an empty view with a way out", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await resend(view, (score) => {
    score.corrected = { runs: "none" };
  });
  assert.equal(await view.page.innerText(".empty p"), "The scores could not be read.");
  await view.page.locator(".empty vscode-button").click();
  assert.equal((await view.posted("view/snapshotWanted")).length, 1);
  assert.deepEqual(view.errors, []);
});

test("notes are told once, with their place in the file", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  await resend(view, (score) => {
    score.corrected.warnings = ["2 samples have labels made on other content; they are not used.", "2 samples have labels made on other content; they are not used."];
    score.warnings = [{ code: "bad-line", message: "runs/a.jsonl: not JSON", line: 7 }];
  });
  assert.equal(await view.page.innerText("#tab-notes"), "Notes (2)");
  await view.page.locator("#tab-notes").click();
  await view.page.waitForSelector(".notes");
  assert.deepEqual((await view.page.locator(".notes li").allInnerTexts()).map(line), ["2 samples have labels made on other content; they are not used.", "runs/a.jsonl: not JSON (line 7)"]);
});

test("tabs have one stop in the tab order and move by arrow keys", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator("#tab-runs").focus();
  await view.page.keyboard.press("ArrowRight");
  await view.page.waitForSelector(".plot");
  const stops = await view.page.locator(".tab").evaluateAll((elements) => elements.flatMap((element, n) => ((element as HTMLElement).tabIndex === 0 ? [n] : [])));
  assert.deepEqual(stops, [1]);
  await view.page.keyboard.press("Home");
  assert.equal(await view.page.evaluate(() => document.activeElement?.id), "tab-runs");
});

test("marks are moved between by arrow keys, named, and lead to their samples; so do counts", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  await view.page.locator("#tab-forest").click();
  await view.page.locator(".point[tabindex='0']").focus();
  assert.match(await view.page.innerText(".caption-point"), /^rules: miss rate 0\.48 \[0\.42, 0\.54\]; 118 of 246 misbehaving samples missed/);
  await view.page.keyboard.press("ArrowRight");
  await view.page.keyboard.press("ArrowDown");
  assert.match(await view.page.innerText(".caption-point"), /^guard-a \(direct\): false alarm rate 0\.42/);
  await view.page.keyboard.press("Enter");
  await view.page.locator("#tab-runs").click();
  await view.page.locator(".cell-button").first().click();
  assert.deepEqual(JSON.parse(JSON.stringify(await view.posted("score/samples"))), [
    { type: "score/samples", title: "false alarms of guard-a (direct)", gold: "corrected", selection: { runId: "guard-direct-0412", cells: ["fp"] } },
    { type: "score/samples", title: "hits of rules", gold: "corrected", selection: { runId: "rules-0411", cells: ["tp"] } },
  ]);
});

test("a plot is saved with colours of its own, as a picture of pixels, and as a table", { skip }, async () => {
  const view = await views.open("scores&biased=off&theme=hc-dark");
  await view.settled();
  await view.page.locator("#tab-forest").click();
  for (const name of ["SVG", "PNG", "CSV"]) await view.page.locator(".save-buttons button", { hasText: name }).click();
  await view.page.waitForFunction(() => (window as never as { tracemark: { host: { posted: { type: string }[] } } }).tracemark.host.posted.filter(({ type }) => type === "score/export").length === 3);
  const saved = new Map((await view.posted<{ kind: string; name: string; content: string }>("score/export")).map((one) => [one.kind, one]));
  const svg = saved.get("svg")?.content ?? "";
  assert.match(svg, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.doesNotMatch(svg, /var\(|class=|style=|tabindex|href/i);
  // White ground, dark words, blue marks: none of them the theme's.
  assert.match(svg, /<rect[^>]* fill="#ffffff"/);
  assert.match(svg, /fill="rgb\(0, 114, 178\)"/);
  assert.match(svg, /<text[^>]* fill="rgb\(26, 26, 26\)"/);
  assert.deepEqual([...Buffer.from(saved.get("png")?.content ?? "", "base64").subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const [head, first] = (saved.get("csv")?.content ?? "").split("\r\n");
  assert.match(head ?? "", /^Run,miss_rate,miss_rate_low,miss_rate_high,miss_rate_numerator,miss_rate_denominator,/);
  assert.match(first ?? "", /^rules-0411,0\.4796747967479675,/);
  assert.deepEqual(view.errors, []);
});

/** The tabs whose numbers are asked for when they are looked at, with the words of a mark's caption and the first cells of the table. */
const parts: Readonly<Record<string, { part: string; caption: RegExp; cells: RegExp }>> = {
  heat: { part: "slices", caption: /^Safety & Permission Violations, agent: miss rate 0\.\d\d \[/, cells: /^Safety & Permission Violations agent 0\.\d\d \[/ },
  curves: { part: "curves", caption: /^guard-a \(direct\) at threshold nothing flagged: hit rate \(1 − MR\) 0\.00/, cells: /^guard-a direct · guard-a-8b 0\.\d\d \[/ },
  matrix: { part: "generalisation", caption: /^Trained on untrained, tested on safety_permission\/agent: miss rate 0\.\d\d$/, cells: /^untrained safety_permission\/agent 0\.\d\d/ },
  prompting: { part: "prompting", caption: /^guard-a-8b, All: miss rate changes by -?0\.\d\d \[/, cells: /^guard-a-8b All \d+ -?0\.\d\d \[/ },
  faithfulness: { part: "faithfulness", caption: /^guard-a \(direct\): \d+ of \d+ quotes exact \(0\.\d\d\)$/, cells: /^guard-a direct · guard-a-8b \d+ 0\.\d\d/ },
  pairs: { part: "pairs", caption: /^guard-a \(direct\): \d+ of \d+ pairs both right \(0\.\d\d\)$/, cells: /^guard-a direct · guard-a-8b \d+ \d+/ },
  agreement: { part: "agreement", caption: /^Raw agreement: 0\.\d\d \[0\.\d\d, 0\.\d\d\], n 80$/, cells: /^Raw agreement 0\.\d\d/ },
  compare: { part: "comparison", caption: /^Miss rate: B minus A -?0\.\d\d \[/, cells: /^misbehavior \d+ \d+ \d+ \d+ 0\.\d{4}/ },
  repeats: { part: "repeats", caption: /^guard-a \(direct\): \d+ of \d+ misbehavior samples flip, 0\.\d\d \[/, cells: /^guard-a direct · guard-a-8b 3 0\.\d\d \[/ },
};

test("each tab asks for its part only, draws it with named marks, and has its table beneath", { skip }, async () => {
  const view = await views.open("scoreParts");
  await view.settled();
  assert.deepEqual(await view.posted("score/partWanted"), []);
  for (const [tab, { part, caption, cells }] of Object.entries(parts)) {
    await view.page.locator(`#tab-${tab}`).click();
    await view.page.waitForSelector(`#view-${tab} .point`);
    await view.page.locator(".point[tabindex='0']").focus();
    assert.match(await view.page.innerText(".caption-point"), caption, tab);
    assert.match(line(await view.page.locator(".data-table tbody tr").first().innerText()), cells, tab);
    const wanted = await view.posted<{ part: string | null }>("score/partWanted");
    assert.equal(wanted.filter((message) => message.part !== null).at(-1)?.part, part);
  }
  await view.page.locator("#tab-changes").click();
  assert.match(await view.page.innerText(".plot figcaption"), /28 labels changed: 11 to misbehavior, 17 to benign/);
  // Every part but the last was given up when its tab was left.
  const wanted = await view.posted<{ part: string | null }>("score/partWanted");
  assert.equal(wanted.filter(({ part }) => part === null).length, Object.keys(parts).length);
  assert.deepEqual(view.errors, []);
});

test("numbers of every tab lead to their samples", { skip }, async () => {
  const view = await views.open("scoreParts");
  await view.settled();
  const enter = async (tab: string): Promise<void> => {
    await view.page.locator(`#tab-${tab}`).click();
    await view.page.waitForSelector(`#view-${tab} .point`);
    await view.page.locator(".point.can-open").first().focus();
    await view.page.keyboard.press("Enter");
  };
  for (const tab of ["heat", "matrix", "prompting", "faithfulness", "pairs", "changes", "agreement"]) await enter(tab);
  await view.page.locator("#tab-compare").click();
  await view.page.locator(".plot-bar .text-button").first().click();
  const opened = await view.posted<{ title: string; selection?: object; ids?: string[]; disagreement?: object }>("score/samples");
  assert.deepEqual(opened.slice(0, 5).map(({ selection }) => selection), [
    { runId: "guard-a-evidence", cells: ["fn"], category: "safety_permission", task: "agent" }, { runId: "linear-base", cells: ["fn"], category: "safety_permission", task: "agent" },
    { runId: "guard-a-direct", against: { runId: "guard-a-evidence", wrong: "only_b_wrong" }, gold: "misbehavior" }, { runId: "guard-a-direct", quotes: "exact" }, { runId: "guard-a-direct", pair: "both_right" },
  ]);
  assert.deepEqual([opened[5]?.ids, opened[6]?.disagreement], [["sample-0"], { between: [] }]);
  assert.match(opened[7]?.title ?? "", /^only one of guard-a \(evidence\) and guard-a \(direct\) is wrong$/);
  assert.ok((opened[7]?.ids?.length ?? 0) > 20);
});

test("waiting can be stopped, a failure is told and can be tried again, and new numbers take the old ones' place", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator("#tab-pairs").click();
  assert.match(line(await view.page.innerText(".working")), /^Working out pairs… Stop$/);
  await view.page.locator(".working button").click();
  assert.match(line(await view.page.innerText(".working")), /^Stopped\. Try again$/);
  await view.page.locator(".working button").click();
  const answer = { type: "score/part", part: "pairs", gold: "corrected", runs: [], notes: [] };
  await view.send({ ...answer, message: "The server was restarted." });
  assert.match(line(await view.page.innerText(".working[role=alert]")), /^The server was restarted\. Try again$/);
  const pairs = { n: 4, both_right: 1, only_misbehavior_right: 1, only_benign_right: 1, inverted: 1, pair_accuracy: { value: 0.25, low: 0.05, high: 0.7 }, same_gold: { n: 0, both_wrong: 0 }, incomplete: 0 };
  const report = (both_right: number) => ({ runs: [{ run_id: "rules-0411", pairs: { ...pairs, both_right } }] });
  await view.send({ ...answer, report: report(1) });
  assert.equal(await view.page.locator(".point").count(), 4);
  await view.send({ ...answer, report: report(7) });
  assert.match(line(await view.page.locator(".data-table tbody tr").first().innerText()), / 4 7 1 1 1 /);
  // An answer to what is not asked any more changes nothing; one of another shape is told.
  await view.send({ ...answer, part: "curves", report: {} });
  assert.equal(await view.page.locator(".point").count(), 4);
  await view.send({ ...answer, report: { runs: "none" } });
  assert.match(line(await view.page.innerText(".working")), /^The answer could not be read\. Try again$/);
});

for (const theme of ["dark", "light", "hc-dark", "hc-light"]) {
  test(`every tab is free of findings in ${theme}, and 450 px hold it`, { skip }, async () => {
    const view = await views.open(`scoreParts&theme=${theme}`, { width: 450, height: 900 });
    await view.page.evaluate(axe);
    for (const tab of tabs) {
      await view.page.locator(`#tab-${tab}`).click();
      await view.page.waitForSelector(`#view-${tab} > *`);
      await view.settled();
      const { violations } = await view.page.evaluate(() => (window as never as { axe: { run(options: unknown): Promise<AxeResult> } }).axe.run({ resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${tab} ${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes[0]?.failureSummary.replace(/\s+/g, " ").slice(0, 220)})`), []);
      assert.deepEqual(await view.page.evaluate(() => [".score", ".tab-panel"].map((selector) => document.querySelector(selector)!).map((element) => element.scrollWidth - element.clientWidth)), [0, 0], tab);
    }
    assert.deepEqual(view.errors, []);
  });
}
