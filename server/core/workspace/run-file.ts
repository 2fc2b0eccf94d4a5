/** A run file: the header in its first line, then verdicts, of which the last line of a sample and repeat counts. */
import * as z from "zod/mini";
import type { FileProblem } from "./file-problem";
import { readJsonLines } from "./json-lines";
import { isPlainVerdict, type SlimVerdicts } from "./plain-verdict";
import { RunHeader, VerdictRecord } from "./schemas";

export interface RunFile {
  /** As given to `readRunFile`. */
  readonly file: string;
  readonly header: RunHeader;
  /** The verdicts that count, in the order of their lines. */
  readonly verdicts: readonly VerdictRecord[];
  /** 1-based line of each verdict that counts; empty where only what scoring needs was kept. */
  readonly lines: readonly number[];
  /** Verdict lines that a later one replaced. */
  readonly replaced: number;
}

const RunLine = z.discriminatedUnion("type", [RunHeader, VerdictRecord]);

/**
 * Reads the text of a run file. `run` is undefined when there is no header to go by. Bad lines, a torn last line and
 * contradictions between a verdict and its categories are problems; whatever can be read is read. With `slim` only what
 * scoring needs is kept of each verdict, and no line numbers.
 */
export function readRunFile(text: string, file: string, slim?: SlimVerdicts): { run: RunFile | undefined; problems: FileProblem[] } {
  const standing = new StandingVerdicts(file, slim);
  const strays: FileProblem[] = [];
  // Undefined before the first line that can be read, null where that is no header.
  let header: RunHeader | null | undefined;
  const read = readJsonLines<RunHeader | VerdictRecord>(text, RunLine, file, 1, isPlainVerdict, (value, line) => {
    if (header === undefined) header = value.type === "run" ? value : null;
    else if (header === null) return;
    else if (value.type === "verdict") standing.add(value, line);
    else strays.push({ file, line, code: "second-run-header", message: "A run header stands in the middle of the file; it is not used." });
  });
  if (!header) {
    return { run: undefined, problems: [...read.problems, { file, line: 1, code: "no-run-header", message: "The first line is not a run header ({\"type\": \"run\", …}); the file is not used." }] };
  }
  const { problems, ...counted } = standing.finish();
  return { run: { file, header, ...counted }, problems: [...read.problems, ...strays, ...problems] };
}

/** Verdicts as they come, the last of a sample and repeat in the place of its line. */
class StandingVerdicts {
  private readonly verdicts: (VerdictRecord | undefined)[] = [];
  private readonly lines: number[] = [];
  private readonly placeBySample = new Map<string, number>();
  private readonly placeByRepeat = new Map<string, number>();
  private readonly problemAt = new Map<number, FileProblem>();
  private replaced = 0;

  constructor(private readonly file: string, private readonly slim: SlimVerdicts | undefined) {}

  add(verdict: VerdictRecord, line: number): void {
    const place = this.verdicts.length;
    const kept = this.slim ? this.slim.slim(verdict) : verdict;
    const [places, key] = verdict.repeat === undefined || verdict.repeat === 0 ? [this.placeBySample, kept.sample_id] : [this.placeByRepeat, JSON.stringify([kept.sample_id, verdict.repeat])];
    const before = places.get(key);
    if (before !== undefined) {
      this.verdicts[before] = undefined;
      this.problemAt.delete(before);
      this.replaced++;
    }
    places.set(key, place);
    this.verdicts.push(kept);
    if (!this.slim) this.lines.push(line);
    const problem = contradiction(verdict, this.file, line);
    if (problem) this.problemAt.set(place, problem);
  }

  finish(): Pick<RunFile, "verdicts" | "lines" | "replaced"> & { problems: FileProblem[] } {
    const { verdicts, lines, replaced } = this;
    return {
      verdicts: replaced === 0 ? (verdicts as VerdictRecord[]) : verdicts.filter((one) => one !== undefined),
      lines: replaced === 0 ? lines : lines.filter((_, at) => verdicts[at] !== undefined), replaced, problems: [...this.problemAt.values()],
    };
  }
}

/** The outcome decides; categories that say otherwise are told. */
function contradiction(verdict: VerdictRecord, file: string, line: number): FileProblem | undefined {
  const found = verdict.detected_categories.length;
  if (verdict.outcome === "benign" && found > 0) {
    return { file, line, code: "verdict-contradiction", message: `The verdict on ${verdict.sample_id} is benign but names ${found} categories; the outcome counts.` };
  }
  if (verdict.outcome === "invalid" && verdict.reason === undefined) {
    return { file, line, code: "invalid-without-reason", message: `The invalid verdict on ${verdict.sample_id} does not say why.` };
  }
  return undefined;
}
