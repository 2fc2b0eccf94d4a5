/** A run file: the header in its first line, then verdicts, of which the last line of a sample and repeat counts. */
import * as z from "zod/mini";
import type { FileProblem } from "./file-problem";
import { readJsonLines, type JsonLine } from "./json-lines";
import { RunHeader, VerdictRecord } from "./schemas";

export interface RunFile {
  /** As given to `readRunFile`. */
  readonly file: string;
  readonly header: RunHeader;
  /** The verdicts that count, in the order of their lines. */
  readonly verdicts: readonly VerdictRecord[];
  /** 1-based line of each verdict that counts. */
  readonly lines: readonly number[];
  /** Verdict lines that a later one replaced. */
  readonly replaced: number;
}

const RunLine = z.discriminatedUnion("type", [RunHeader, VerdictRecord]);

/**
 * Reads the text of a run file. `run` is undefined when there is no header to go by. Bad lines, a torn last line and
 * contradictions between a verdict and its categories are problems; whatever can be read is read.
 */
export function readRunFile(text: string, file: string): { run: RunFile | undefined; problems: FileProblem[] } {
  const read = readJsonLines(text, RunLine, file);
  const problems = [...read.problems];
  const [first] = read.lines;
  if (!first || first.value.type !== "run") {
    problems.push({ file, line: 1, code: "no-run-header", message: "The first line is not a run header ({\"type\": \"run\", …}); the file is not used." });
    return { run: undefined, problems };
  }
  const standing = new Map<string, JsonLine<VerdictRecord>>();
  let replaced = 0;
  for (const { value, line, raw } of read.lines.slice(1)) {
    if (value.type === "run") {
      problems.push({ file, line, code: "second-run-header", message: "A run header stands in the middle of the file; it is not used." });
      continue;
    }
    const key = JSON.stringify([value.sample_id, value.repeat ?? 0]);
    // Deleted first, so that the later line also takes the later place.
    if (standing.delete(key)) replaced++;
    standing.set(key, { value, line, raw });
  }
  const counted = [...standing.values()];
  for (const { value, line } of counted) problems.push(...contradictions(value, file, line));
  return {
    run: { file, header: first.value, verdicts: counted.map(({ value }) => value), lines: counted.map(({ line }) => line), replaced },
    problems,
  };
}

/** The outcome decides; categories that say otherwise are told. */
function contradictions(verdict: VerdictRecord, file: string, line: number): FileProblem[] {
  const found = verdict.detected_categories.length;
  if (verdict.outcome === "benign" && found > 0) {
    return [{ file, line, code: "verdict-contradiction", message: `The verdict on ${verdict.sample_id} is benign but names ${found} categories; the outcome counts.` }];
  }
  if (verdict.outcome === "invalid" && verdict.reason === undefined) {
    return [{ file, line, code: "invalid-without-reason", message: `The invalid verdict on ${verdict.sample_id} does not say why.` }];
  }
  return [];
}
