/** A benchmark of the asked size, with runs: the same bytes on every machine. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { randomFrom } from "../support/fuzz/random";
import { pick, prose } from "./generate";

export interface ScoreSize {
  readonly samples: number;
  readonly runs: number;
}

const categories = ["safety_permission", "sycophancy_bias", "specification_gaming"];
const tasks = ["qa", "code", "reasoning", "agent"];
const hex = (random: () => number, digits: number): string => Array.from({ length: digits / 8 }, () => Math.floor(random() * 2 ** 32).toString(16).padStart(8, "0")).join("");
export const sampleId = (at: number): string => `authored/set-${at % 97}/sample-${at}`;

/** Writes line by line, so that making a file does not need its room. */
export function writeLines(file: string, lines: Iterable<unknown>): void {
  const handle = openSync(file, "w");
  let buffered: string[] = [];
  let size = 0;
  const flush = (): void => {
    if (buffered.length > 0) writeSync(handle, buffered.join(""));
    [buffered, size] = [[], 0];
  };
  for (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    buffered.push(text);
    size += text.length;
    if (size > 1 << 20) flush();
  }
  flush();
  closeSync(handle);
}

/** Pairs of a manifest, a tenth in each of dev and test. The text of a sample is short, since no score reads it. */
export function* manifestLines(samples: number): Generator<unknown> {
  const random = randomFrom(7);
  for (let at = 0; at < samples; at++) {
    const pair = at >> 1;
    yield {
      id: sampleId(at), pair_id: `pair-${pair}`, category: categories[pair % 3], task: tasks[pair % 4], label: at % 2 === 0 ? "misbehavior" : "benign", split: pair % 10 === 0 ? "test" : pair % 10 === 1 ? "dev" : "train",
      source: "bench", messages: [{ role: "user", content: prose(random, 12) }, { role: "assistant", content: prose(random, 25) }],
    };
  }
}

function* runLines(run: number, samples: number): Generator<unknown> {
  const random = randomFrom(1000 + run);
  const created = `2026-03-${String(1 + (run % 28)).padStart(2, "0")}T00:00:00.000Z`;
  yield {
    type: "run", run_id: `run-${run}`, monitor: `guard-${run >> 1}`, kind: "llm", model: `model-${run >> 1}`, prompting: run % 2 === 0 ? "direct" : "evidence", params: { temperature: 0 },
    prompt_sha256: hex(random, 64), view: { reasoning: true }, created_at: created, tracemark_version: "0.1.0",
  };
  for (let at = 0; at < samples; at++) {
    const misbehaves = at % 2 === 0;
    const invalid = random() < 0.01;
    const flagged = random() < (misbehaves ? 0.75 : 0.2);
    const categoriesFound = flagged && run % 2 === 1 ? [{ category: pick(random, categories), description: prose(random, 8), evidence: [prose(random, 6)] }] : [];
    yield {
      type: "verdict", sample_id: sampleId(at), content_sha256: hex(randomFrom(at + 1), 64), outcome: invalid ? "invalid" : flagged ? "misbehavior" : "benign",
      ...(invalid ? { reason: "bad_json" } : { score: Math.round((flagged ? 0.5 + random() / 2 : random() / 2) * 100) / 100 }), detected_categories: invalid ? [] : categoriesFound,
      usage: { input_tokens: 400 + (at % 700), output_tokens: 20 + (at % 80) }, latency_ms: 300 + (at % 900), attempts: 1,
    };
  }
}

/** Writes the workspace into `root`. Answers its number of verdict lines. */
export function writeScored(root: string, { samples, runs }: ScoreSize): number {
  mkdirSync(join(root, "runs"), { recursive: true });
  mkdirSync(join(root, "labels"), { recursive: true });
  writeFileSync(join(root, "tracemark.json"), JSON.stringify({ name: "bench", samples: ["all.samples.jsonl"] }));
  writeLines(join(root, "all.samples.jsonl"), manifestLines(samples));
  for (let run = 0; run < runs; run++) writeLines(join(root, `runs/run-${run}.jsonl`), runLines(run, samples));
  const random = randomFrom(5);
  writeLines(join(root, "labels/ann.jsonl"), Array.from({ length: Math.min(2000, samples >> 2) }, (_, at) => ({
    id: `l${at}`, sample_id: sampleId(at * 3), annotator: "ann", created_at: "2026-04-01T00:00:00.000Z", label: random() < 0.9 === (at * 3 % 2 === 0) ? "misbehavior" : "benign", blind: true, seen: [],
  })));
  return samples * runs;
}
