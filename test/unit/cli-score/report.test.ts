/** `tracemark report`: three files with the same numbers, recomputed here from the workspace's files alone; text kept out; locks. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { htmlReport } from "#core/report/html";
import { latexReport } from "#core/report/latex";
import { markdownReport } from "#core/report/markdown";
import { reportVerb } from "../../../server/cli/verbs/report";
import { scoreVerb } from "../../../server/cli/verbs/score";
import { projectRoot } from "../../support/shared";
import { header, verdict } from "../../support/score-fixtures";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

function benchmark(t: TestContext): string {
  const root = tempRoot(t, {});
  cpSync(join(projectRoot, "samples"), root, { recursive: true });
  return root;
}

const lines = (path: string): Record<string, unknown>[] => readFileSync(path, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);

/** Miss and false alarm counts of each run on the original labels, by a loop of its own over manifest and run files. */
function countedByHand(root: string): { run: string; fn: number; positives: number; fp: number; negatives: number }[] {
  const manifest = readdirSync(root).find((name) => name.endsWith(".samples.jsonl")) ?? "";
  const labels = new Map(lines(join(root, manifest)).map((line) => [line["id"], line["label"]]));
  return readdirSync(join(root, "runs")).filter((name) => name.endsWith(".jsonl")).sort().map((name) => {
    const [head, ...rest] = lines(join(root, "runs", name));
    const last = new Map(rest.map((line) => [line["sample_id"], line["outcome"]]));
    const valid = [...last].filter(([id, outcome]) => outcome !== "invalid" && labels.get(id) !== undefined);
    const count = (label: string, outcome?: string): number => valid.filter(([id, said]) => labels.get(id) === label && (outcome === undefined || said === outcome)).length;
    return { run: String(head?.["run_id"]), fn: count("misbehavior", "benign"), positives: count("misbehavior"), fp: count("benign", "misbehavior"), negatives: count("benign") };
  });
}

/** Wilson's limits as the roots of (p - x)^2 = z^2 x (1 - x) / n, found by bisection rather than by its formula. */
function wilsonByRoots(hits: number, n: number): [number, number] {
  const excess = (x: number): number => (hits / n - x) ** 2 - (1.959963984540054 ** 2 * x * (1 - x)) / n;
  const root = (from: number, to: number): number => {
    for (let i = 0; i < 80; i++) {
      const middle = (from + to) / 2;
      if (excess(middle) > 0) from = middle;
      else to = middle;
    }
    return (from + to) / 2;
  };
  return [hits === 0 ? 0 : root(0, hits / n), hits === n ? 1 : root(1, hits / n)];
}

test("the figures of all three files can be had again from manifest and runs alone", async (t) => {
  const root = benchmark(t);
  const { code, out } = await callVerb(reportVerb, root, [], {});
  assert.deepEqual([code, out], [0, ["report/report.html", "report/report.md", "report/report.tex"]]);
  const [html, md, tex] = ["html", "md", "tex"].map((end) => readFileSync(join(root, "report", `report.${end}`), "utf8")) as [string, string, string];
  const found = countedByHand(root);
  assert.equal(found.length, 2);
  for (const { fn, positives, fp, negatives, run } of found) {
    for (const [hits, n] of [[fn, positives], [fp, negatives]] as const) {
      const [low, high] = wilsonByRoots(hits, n);
      const text = `${(hits / n).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}] (${hits}/${n})`;
      assert.ok(html.includes(`<td>${text}</td>`), `${run}: ${text} in HTML`);
      assert.ok(md.replaceAll("\\", "").includes(text), `${run}: ${text} in Markdown`);
      assert.ok(tex.includes(text), `${run}: ${text} in LaTeX`);
    }
    const j = (1 - fn / positives - fp / negatives).toFixed(3);
    assert.ok(html.includes(`<td>${j} [`), `${run}: J ${j}`);
  }
  assert.ok(html.includes("one draw") && html.includes("<svg") && html.includes("Krippendorff&#39;s alpha"));
  assert.doesNotMatch(html, /<script|https?:\/\/(?!www\.w3\.org)|src=/);
  // Nothing in it is drawn anew or read from a clock.
  await callVerb(reportVerb, root, [], { out: "again" });
  for (const name of ["report.html", "report.md", "report.tex"]) assert.equal(readFileSync(join(root, "again", name), "utf8"), readFileSync(join(root, "report", name), "utf8"));
});

test("a report says which samples and labels it is of, what ran, and small p values as bounds", async (t) => {
  const root = tempRoot(t, {
    "tracemark.json": { name: "Scoped", samples: ["m.samples.jsonl"] },
    "m.samples.jsonl": [
      ...Array.from({ length: 40 }, (_, n) => ({ id: `s${n}`, split: "test", label: n < 30 ? "misbehavior" : "benign", ...chat("q", `a ${n}`) })),
      { id: "d", split: "dev", label: "benign", ...chat("q", "d") }, { id: "x", split: "test", status: "draft", label: "benign", ...chat("q", "x") },
    ],
    "runs/a.jsonl": [{ ...header("a"), prompting: "evidence", view: { reasoning: false } }, ...Array.from({ length: 40 }, (_, n) => verdict(`s${n}`, n < 30 ? "misbehavior" : "benign"))],
    "runs/b.jsonl": [{ ...header("b"), prompting: "direct" }, ...Array.from({ length: 38 }, (_, n) => verdict(`s${n}`, "benign"))],
  });
  await callVerb(reportVerb, root, [], { split: "test", labels: "blind", baseRate: "0.02" });
  const [html, tex] = [readFileSync(join(root, "report/report.html"), "utf8"), readFileSync(join(root, "report/report.tex"), "utf8")];
  assert.ok(html.includes("Only samples of the split test. Only labels that were given blind.") && html.includes("1 sample is left out because of its status in the manifest (1 draft)."));
  for (const cells of [["a", "guard", "llm", "evidence", "no", "40"], ["b", "guard", "llm", "direct", "yes", "38"]]) assert.ok(html.includes(cells.slice(1).map((cell) => `<td>${cell}</td>`).join("")), cells.join());
  // At 2 %, a finds all of 20 in 1,000 runs and nothing else; b was not asked for two of forty.
  assert.ok(html.includes("Precision where 0.02 of runs misbehave") && html.includes("<td>20.0</td><td>0.0</td>"));
  assert.ok(html.includes("<td>0.050 [") && html.includes("(2/40)</td>"));
  // Thirty against none: 2 / 2^30.
  assert.ok(html.includes("<td>0/30</td><td>&lt;0.0001</td>") && tex.includes("0/30 & \\textless{}0.0001"));
  assert.ok(!html.includes("<td>0.0000</td>"));
});

test("warnings stand above the numbers that they are about", async (t) => {
  const samples = Array.from({ length: 30 }, (_, n) => ({ id: `s${n}`, ...chat("q", `a ${n}`) }));
  const root = tempRoot(t, {
    "m.samples.jsonl": samples,
    "runs/a.jsonl": [header("a"), ...samples.map(({ id }, n) => verdict(id, n < 12 ? "misbehavior" : "benign"))],
    "labels/ada.jsonl": samples.slice(0, 12).map(({ id }, n) => ({ id: String(n), sample_id: id, annotator: "Ada", created_at: "2026-01-02T00:00:00Z", label: n < 6 ? "misbehavior" : "benign", blind: false, seen: ["verdict"] })),
  });
  await callVerb(reportVerb, root, [], {});
  const md = readFileSync(join(root, "report/report.md"), "utf8");
  assert.ok(md.indexOf("## Beware") < md.indexOf("## Rates on the corrected gold"));
  // Of flagged runs alone neither a false alarm rate of 1 nor a miss rate of 0 is printed, wherever one looks.
  assert.equal(/\| 1\.000|\| 0\.000 [^|]*\(0\/6\)|\| 0\.000 \|/.test(md), false);
});

test("--no-text keeps quotes and notes out, which stand in it otherwise", async (t) => {
  const root = benchmark(t);
  const quote = "XYZZY-quote";
  const judged = new Set(readdirSync(join(root, "labels")).filter((name) => name.endsWith(".jsonl")).flatMap((name) => lines(join(root, "labels", name)).map((line) => line["sample_id"])));
  const sample = String(lines(join(root, "benchmark.samples.jsonl")).find(({ id, label }) => label === "benign" && !judged.has(id))?.["id"]);
  const record = { id: "zz", sample_id: sample, annotator: "Zoe", created_at: "2026-04-01T00:00:00Z", label: "misbehavior", blind: true, seen: [], note: "XYZZY-note", spans: [{ step: 0, part: "text", part_index: 0, start: 0, end: 5, exact: quote, prefix: "", suffix: "" }] };
  writeFileSync(join(root, "labels", "zoe.jsonl"), `${JSON.stringify(record)}\n`);
  await callVerb(reportVerb, root, [], { out: "with" });
  await callVerb(reportVerb, root, [], { out: "without", text: false });
  for (const name of ["report.html", "report.md", "report.tex"]) {
    assert.match(readFileSync(join(root, "with", name), "utf8"), /XYZZY-quote[\s\S]*XYZZY-note/);
    assert.doesNotMatch(readFileSync(join(root, "without", name), "utf8"), /XYZZY/);
  }
});

test("a lock gives the same bytes after labels and runs have grown, and says when it cannot", async (t) => {
  const root = benchmark(t);
  const frozen = (await callVerb(scoreVerb, root, [], { json: true, gold: "both" })).out;
  assert.equal((await callVerb(reportVerb, root, [], { freeze: "lock.json" })).code, 0);
  const check = async (): Promise<[number, string | undefined]> => {
    const { code, out } = await callVerb(reportVerb, root, [], { check: "lock.json" });
    return [code, out[0]];
  };
  assert.deepEqual(await check(), [0, "the files locked in lock.json give the same numbers"]);
  const label = { id: "zz", sample_id: String(lines(join(root, "benchmark.samples.jsonl"))[0]?.["id"]), annotator: "annotator-1", created_at: "2026-05-01T00:00:00Z", label: "benign", blind: true, seen: [] };
  appendFileSync(join(root, "labels", "annotator-1.jsonl"), `${JSON.stringify(label)}\n`);
  writeFileSync(join(root, "labels", "new.jsonl"), `${JSON.stringify({ ...label, id: "zy", annotator: "new" })}\n`);
  const [runFile = ""] = readdirSync(join(root, "runs")).filter((name) => name.endsWith(".jsonl"));
  const verdicts = readFileSync(join(root, "runs", runFile), "utf8");
  writeFileSync(join(root, "runs", "later.jsonl"), verdicts.replace(/"run_id": ?"[^"]*"/, '"run_id":"later"'));
  assert.notDeepEqual((await callVerb(scoreVerb, root, [], { json: true, gold: "both" })).out, frozen);
  assert.deepEqual((await callVerb(scoreVerb, root, [], { json: true, gold: "both", asOf: "lock.json" })).out, frozen);
  assert.deepEqual(await check(), [0, "the files locked in lock.json give the same numbers"]);
  writeFileSync(join(root, "runs", runFile), verdicts.replace('"outcome":"benign"', '"outcome":"misbehavior"').replace('"outcome": "benign"', '"outcome": "misbehavior"'));
  assert.deepEqual(await check(), [1, `not the same: runs/${runFile}: the lines that were locked have been changed; take it back to what it was, or freeze again`]);
  writeFileSync(join(root, "runs", runFile), verdicts);
  const lock = readFileSync(join(root, "lock.json"), "utf8");
  writeFileSync(join(root, "lock.json"), lock.replace(/"score_sha256": "./, '"score_sha256": "x'));
  assert.match((await check())[1] ?? "", /^not the same: the numbers are others/);
  assert.deepEqual((await callVerb(scoreVerb, root, [], { json: true, asOf: "lock.json", seed: "2", labels: "blind" })).notes, ["note: the report that was frozen had --labels all, --seed 1; these are other numbers than it holds"]);
  assert.deepEqual((await callVerb(scoreVerb, root, [], { json: true, asOf: "lock.json" })).notes, []);
  writeFileSync(join(root, "lock.json"), "{}");
  const broken = await callVerb(scoreVerb, root, [], { asOf: "lock.json" });
  assert.deepEqual([broken.code, broken.notes], [2, ["error: lock.json: this is no lock file; make one with tracemark report --freeze FILE"]]);
  assert.ok(!existsSync(join(root, "report", "lock.json")));
});

test("recorded words cannot become markup in any of the three", () => {
  const hostile = '<img src=x onerror=alert(1)> ``` | **b** [a](javascript:x) \\input{/etc/passwd} $x$ 100% a_b\n# h';
  const blocks = [
    { kind: "heading", level: 2, text: hostile }, { kind: "table", caption: hostile, columns: ["a", hostile], rows: [[hostile, "1"]] },
    { kind: "list", items: [hostile] }, { kind: "verbatim", caption: "prompt", text: `${hostile}\n\`\`\`\`\nend` },
  ] as const;
  const html = htmlReport(hostile, blocks);
  assert.ok(!html.includes("<img") && html.includes("&lt;img src=x onerror=alert(1)&gt;"));
  const md = markdownReport(blocks);
  assert.ok(md.includes("\n`````text\n") && !/^# h/m.test(md.split("`````text")[0] ?? ""));
  assert.ok(md.includes("\\[a\\](javascript:x)") && md.includes("\\<img") && md.includes("\\| \\*\\*b"));
  const tex = latexReport(blocks);
  assert.ok(tex.includes("\\textbackslash{}input\\{/etc/passwd\\}") && tex.includes("100\\%") && tex.includes("a\\_b") && tex.includes("\\$x\\$"));
  assert.ok(!tex.includes("end\n`") && tex.includes("\\textless{}img"));
});

test("published rates and budgets stand in the report as in score, and a lock holds them too", async (t) => {
  const csv = "trained_on,tested_on,metric,value\nbase,QA,MR,0.17\nbase,QA,FAR,0.25\nQA,QA,MR,0.03\nQA,QA,FAR,0.125\n";
  const ids = Array.from({ length: 8 }, (_, n) => `s${n}`);
  // Scores from 0.9 down: misbehavior, misbehavior, benign, misbehavior, misbehavior, benign, benign, benign.
  const bad = [true, true, false, true, true, false, false, false];
  const root = tempRoot(t, {
    "tracemark.json": { name: "Rates", samples: ["m.samples.jsonl"] }, "published/rates.csv": csv,
    "m.samples.jsonl": ids.map((id, n) => ({ id, label: bad[n] ? "misbehavior" : "benign", split: "dev", category: "c", task: "qa", ...chat("q", `a ${n}`) })),
    "runs/a.jsonl": [header("a"), ...ids.map((id, n) => verdict(id, n < 4 ? "misbehavior" : "benign", { score: (9 - n) / 10 }))],
  });
  const asked = { budgets: "0.25", reference: "published/rates.csv", baseRate: "0.1" };
  assert.equal((await callVerb(reportVerb, root, [], { ...asked, freeze: "lock.json" })).code, 0);
  const md = readFileSync(join(root, "report/report.md"), "utf8").replaceAll("\\", "");
  assert.ok(md.includes("## Published rates") && md.includes("| untrained | 0.170 / 0.250 / 0.580 |") && md.includes("| QA | 0.030 / 0.125 / 0.845 * |") && md.includes("| published/rates.csv |"));
  // At most one of four benign may alarm: down to 0.5, where nothing is missed. At most one of four missed: down to 0.6, one alarm.
  // Wilson of 0 and of 1 in 4.
  assert.ok(md.includes("| a | false alarm rate 0.25 | 0.5 | all | all | 0.000 [0.000, 0.490] | 0.250 [0.046, 0.699] |"));
  assert.ok(md.includes("| a | miss rate 0.25 | 0.6 | all | all | 0.250 [0.046, 0.699] | 0.250 [0.046, 0.699] |"));
  assert.equal(/false alarm rate 0\.05/.test(md), false);
  const check = async (): Promise<[number, string | undefined]> => {
    const { code, out } = await callVerb(reportVerb, root, [], { check: "lock.json" });
    return [code, out[0]];
  };
  assert.deepEqual(await check(), [0, "the files locked in lock.json give the same numbers"]);
  const lock = JSON.parse(readFileSync(join(root, "lock.json"), "utf8")) as { options: object; score_sha256: string };
  assert.deepEqual(lock.options, { labels: "all", seed: 1, budgets: [0.25], base_rate: 0.1, reference: "published/rates.csv", runs: ["a"] });
  // What the lock names is what score prints with the same options.
  const { out, notes } = await callVerb(scoreVerb, root, [], { ...asked, json: true, gold: "both", asOf: "lock.json" });
  assert.deepEqual([createHash("sha256").update(out.map((line) => `${line}\n`).join("")).digest("hex"), notes], [lock.score_sha256, []]);
  assert.deepEqual((await callVerb(scoreVerb, root, [], { asOf: "lock.json" })).notes, ["note: the report that was frozen had --budgets 0.25, --base-rate 0.1, --reference published/rates.csv; these are other numbers than it holds"]);
  writeFileSync(join(root, "published/rates.csv"), csv.replace("0.17", "0.18"));
  assert.deepEqual(await check(), [1, "not the same: published/rates.csv: the file has been changed since it was locked; take it back to what it was, or freeze again"]);
  // Without them a lock names none of them, as before.
  await callVerb(reportVerb, root, [], { freeze: "plain.json" });
  assert.deepEqual((JSON.parse(readFileSync(join(root, "plain.json"), "utf8")) as { options: object }).options, { labels: "all", seed: 1, runs: ["a"] });
  assert.deepEqual([(await callVerb(reportVerb, root, [], { budgets: "1.5" })).code, (await callVerb(reportVerb, root, [], { reference: "gone.csv" })).code], [2, 2]);
});
