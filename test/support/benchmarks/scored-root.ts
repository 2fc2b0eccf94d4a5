/** The public benchmark sets as a root that can be scored: four runs of made-up monitors with scores, and labels of two people. The same every time. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import type { LabelRecord, RunHeader, SampleRecord, VerdictRecord } from "#core/workspace/schemas";
import { header, verdict } from "../score-fixtures";
import { makeManifests } from "./make-manifests";

/** How well a made-up monitor tells the classes apart, and where it draws the line. */
const monitors: readonly { readonly header: RunHeader; readonly skill: number; readonly threshold: number }[] = [
  { header: header("guard-a-direct", { monitor: "guard-a", model: "guard-a-8b", prompting: "direct", created_at: "2026-02-01T00:00:00Z" }), skill: 0.3, threshold: 0.55 },
  { header: header("guard-a-evidence", { monitor: "guard-a", model: "guard-a-8b", prompting: "evidence", created_at: "2026-02-02T00:00:00Z" }), skill: 0.35, threshold: 0.65 },
  { header: header("guard-b-base", { monitor: "guard-b", model: "guard-b-4b", prompting: "direct", kind: "linear", created_at: "2026-02-03T00:00:00Z" }), skill: 0.1, threshold: 0.5 },
  { header: header("guard-b-code", { monitor: "guard-b", model: "guard-b-4b-code", prompting: "direct", kind: "linear", trained_on: ["safety_permission/code"], created_at: "2026-02-04T00:00:00Z" }), skill: 0.2, threshold: 0.45 },
];

const lines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Writes it below `out` from the sets in `sets`. */
export function makeScoredRoot(sets: string, out: string): void {
  const names = makeManifests(sets, out);
  const samples = names.flatMap((name) => readFileSync(join(out, `${name}.samples.jsonl`), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as SampleRecord));
  mkdirSync(join(out, "runs"), { recursive: true });
  mkdirSync(join(out, "labels"), { recursive: true });
  for (const monitor of monitors) writeFileSync(join(out, "runs", `${monitor.header.run_id}.jsonl`), lines([monitor.header, ...verdictsOf(monitor, samples)]));
  for (const annotator of ["ada", "ben"]) writeFileSync(join(out, "labels", `${annotator}.jsonl`), lines(labelsOf(annotator, samples)));
}

function verdictsOf({ header: { run_id, prompting }, skill, threshold }: (typeof monitors)[number], samples: readonly SampleRecord[]): VerdictRecord[] {
  const random = seededRandom(7, run_id);
  return samples.map((sample) => {
    const score = Math.round(100 * Math.min(1, Math.max(0, random() * 0.7 + 0.15 + (sample.label === "misbehavior" ? skill : -skill) * random()))) / 100;
    if (random() < 0.01) return verdict(sample.id, "invalid", { reason: "timeout" });
    const flagged = score >= threshold;
    const text = (sample.messages?.at(-1) as { content?: unknown } | undefined)?.content;
    const quote = typeof text === "string" && random() < 0.8 ? text.slice(0, 60) : "a sentence that stands nowhere in it";
    return verdict(sample.id, flagged ? "misbehavior" : "benign", {
      score, detected_categories: flagged && prompting === "evidence" ? [{ category: sample.category ?? "safety_permission", description: "Made up.", evidence: [quote] }] : [],
    });
  });
}

/** Each judges 90 samples, 60 of them the same; one of eight labels is overturned, one of ten of theirs differs. */
function labelsOf(annotator: string, samples: readonly SampleRecord[]): LabelRecord[] {
  const order = shuffled(samples, seededRandom(3, "labels"));
  const own = annotator === "ada" ? order.slice(0, 90) : [...order.slice(0, 60), ...order.slice(90, 120)];
  const random = seededRandom(5, annotator);
  return own.map(({ id, label }, at) => {
    const isOverturned = order.findIndex((sample) => sample.id === id) % 8 === 0;
    const turned = isOverturned !== random() < 0.1;
    const other = label === "misbehavior" ? "benign" : "misbehavior";
    const isShown = at % 5 === 0;
    return {
      id: `${annotator}-${String(at).padStart(3, "0")}`, sample_id: id, annotator, created_at: new Date(Date.UTC(2026, at < 50 ? 2 : 3, 1 + (at % 28))).toISOString(),
      label: turned ? other : (label ?? "benign"), blind: !isShown, seen: isShown ? ["verdict"] : [], guideline_sha256: at < 50 ? "a".repeat(64) : "b".repeat(64),
      ...(isShown ? { run_id: "guard-a-direct" } : {}),
    };
  });
}
