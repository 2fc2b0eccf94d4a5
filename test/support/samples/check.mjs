// Checks samples/ without any of Tracemark's own code: node test/support/samples/check.mjs [FOLDER]
// Prints a line a problem (FILE:LINE: what is wrong) and exits 1, or a summary and exits 0.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { checkFiles } from "./check-files.mjs";
import { checkLabels } from "./check-labels.mjs";
import { checkRuns } from "./check-runs.mjs";
import { partOf, readRecords, readSample } from "./read.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const defaultRoot = join(here, "../../../samples");
const CATEGORIES = ["safety_permission", "sycophancy_bias", "specification_gaming"];
const TASKS = ["qa", "code", "reasoning", "agent"];
const GIVE_AWAY = /benign|misbehav|good|bad|safe|honest|cheat|hack|clean(?!up)|evil|gaming/i;

/** Parses a JSON Lines file; a damaged line is a problem and is left out. Returns [line number, value]. */
export function jsonLines(root, path, problem) {
  const out = [];
  readFileSync(join(root, path), "utf8").split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    try {
      out.push([i + 1, JSON.parse(line)]);
    } catch (error) {
      problem(path, i + 1, `no JSON: ${error.message}`);
    }
  });
  return out;
}

/** What is wrong with a span of a sample, or undefined. Offsets count code points. */
export function spanProblem(steps, span) {
  const part = partOf(steps, span);
  if (!part) return `step ${span.step} has no ${span.part} ${span.part_index}`;
  if (part.loose) return `the text of this ${span.part} depends on how the call is parsed; choose another part`;
  const points = [...part.text];
  const cut = (from, to) => points.slice(Math.max(0, from), to).join("");
  if (cut(span.start, span.end) !== span.exact) return `exact is not the slice from ${span.start} to ${span.end}`;
  if (span.exact === "") return "exact is empty";
  if (!cut(0, span.start).endsWith(span.prefix)) return "prefix does not stand before the span";
  if (!cut(span.end).startsWith(span.suffix)) return "suffix does not stand behind the span";
  return undefined;
}

function checkSample(root, path, line, sample, problem) {
  const say = (message) => problem(path, line, `${sample.id}: ${message}`);
  if (!CATEGORIES.includes(sample.category)) say(`unknown category ${sample.category}`);
  if (!TASKS.includes(sample.task)) say(`unknown task ${sample.task}`);
  if (!["benign", "misbehavior"].includes(sample.label)) say(`unknown label ${sample.label}`);
  if (!["dev", "test"].includes(sample.split)) say(`unknown split ${sample.split}`);
  for (const key of ["pair_id", "label_origin", "source"]) if (typeof sample[key] !== "string") say(`${key} is missing`);
  if (sample.authored?.by !== "Tracemark") say("authored is missing");
  if (["path", "messages", "trajectory"].filter((key) => key in sample).length !== 1) say("needs one of path, messages and trajectory");
  if (GIVE_AWAY.test(`${sample.id} ${sample.path ?? ""}`)) say("the name tells the class");
  try {
    const steps = readSample(root, sample);
    for (const span of sample.spans ?? []) {
      const wrong = spanProblem(steps, span);
      if (wrong) say(`span: ${wrong}`);
    }
    return steps;
  } catch (error) {
    say(error.message);
    return undefined;
  }
}

/** Everything that was asked: the texts of system and user steps. */
function requestOf(steps) {
  return JSON.stringify(steps.filter((s) => s.role === "system" || s.role === "user").map((s) => [s.role, s.parts.map((p) => p.text)]));
}

const lengthOf = (steps) => steps.flatMap((s) => s.parts).reduce((n, part) => n + part.text.length, 0);

function checkPairs(path, samples, problem) {
  const pairs = Map.groupBy?.(samples, (s) => s.pair_id) ?? samples.reduce((m, s) => m.set(s.pair_id, [...(m.get(s.pair_id) ?? []), s]), new Map());
  let first = 0;
  for (const [id, halves] of pairs) {
    const say = (message) => problem(path, halves[0].line, `pair ${id}: ${message}`);
    const [a, b] = halves;
    if (halves.length !== 2 || a.label === b.label) { say("needs one benign and one misbehavior half"); continue; }
    for (const key of ["category", "task", "split"]) if (a[key] !== b[key]) say(`the halves differ in ${key}`);
    if (!a.steps || !b.steps) continue;
    if (requestOf(a.steps) !== requestOf(b.steps)) say("the halves were not asked the same");
    const ratio = lengthOf(a.steps) / lengthOf(b.steps);
    if (ratio > 1.35 || ratio < 1 / 1.35) say(`the halves differ in length by a factor of ${ratio.toFixed(2)}`);
    if (a.label === "benign") first++;
  }
  if (Math.abs(first / pairs.size - 0.5) > 0.15) problem(path, 1, `the benign half comes first in ${first} of ${pairs.size} pairs, which gives it away`);
  return pairs.size;
}

/** A record of a file that no sample names would be a sample without a label. */
function checkCoverage(root, path, samples, problem) {
  const byFile = new Map();
  for (const s of samples) if (s.path) byFile.set(s.path, (byFile.get(s.path) ?? 0) + 1);
  for (const [file, n] of byFile) {
    const records = readRecords(root, file).length;
    if (records !== n) problem(path, 1, `${file} holds ${records} records, the manifest names ${n}`);
  }
  return new Set(byFile.keys());
}

/** Runs all checks; returns the problems and a summary in numbers. */
export function checkSamples(root = defaultRoot) {
  const problems = [];
  const problem = (file, line, message) => problems.push(`${file}:${line}: ${message}`);
  const path = "benchmark.samples.jsonl";
  const samples = jsonLines(root, path, problem).map(([line, sample]) => ({ ...sample, line, steps: checkSample(root, path, line, sample, problem) }));
  const byId = new Map(samples.map((s) => [s.id, s]));
  if (byId.size !== samples.length) problem(path, 1, "an id stands twice");
  const pairs = checkPairs(path, samples, problem);
  const used = checkCoverage(root, path, samples, problem);
  const bytes = checkFiles(root, used, problem);
  const labels = checkLabels(root, byId, problem);
  const runs = checkRuns(root, byId, labels, problem);
  return { problems, summary: `${samples.length} samples, ${pairs} pairs, ${used.size} files, ${labels.length} labels, ${runs} runs, ${Math.round(bytes / 1024)} KB` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? defaultRoot;
  const { problems, summary } = checkSamples(root);
  for (const line of problems) console.log(join(relative(process.cwd(), root), line));
  console.error(problems.length ? `${problems.length} problems` : summary);
  process.exit(problems.length ? 1 : 0);
}
