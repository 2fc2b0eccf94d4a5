/** A run file: the header in its first line, then verdicts, of which the last line of a sample and repeat counts. */
import * as z from "zod/mini";
import type { FileProblem } from "./file-problem";
import { readLine, type LineSchema } from "./json-lines";
import { isPlainVerdict, type SlimVerdicts } from "./plain-verdict";
import { VerdictScanner, type ScannedVerdict } from "./scan-verdict";
import { RunHeader, VerdictRecord } from "./schemas";
import { VerdictColumns } from "./verdict-columns";

export interface RunFile {
  /** As given to `readRunFile`. */
  readonly file: string;
  readonly header: RunHeader;
  /** The verdicts that count, in the order of their lines. */
  readonly verdicts: readonly VerdictRecord[];
  /** The same as columns, where of quotes only their number was kept. */
  readonly columns?: VerdictColumns;
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
  const reader = new RunReader(file, slim);
  let at = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
    reader.push(text.slice(at, end), true);
    at = end + 1;
  }
  if (at < text.length) reader.push(text.slice(at), false);
  return reader.finish();
}

/** Reads a run file line by line, so that a large one is never held whole. */
export class RunReader {
  private readonly standing: StandingVerdicts;
  private readonly problems: FileProblem[] = [];
  private readonly strays: FileProblem[] = [];
  /** Undefined before the first line that can be read, null where that is no header. */
  private header: RunHeader | null | undefined;
  private readonly context = { schema: RunLine as LineSchema<RunHeader | VerdictRecord>, file: "", line: 0, isPlain: isPlainVerdict as (value: unknown) => value is RunHeader | VerdictRecord };

  private readonly scanner = new VerdictScanner();

  constructor(file: string, private readonly slim?: SlimVerdicts) {
    this.context.file = file;
    this.standing = new StandingVerdicts(file, slim);
  }

  /** Takes the line that begins at `start` out of its bytes and answers its end, if it is a plain verdict that ends before `limit`; else -1, and it is to be pushed as text. */
  scan(bytes: Uint8Array, start: number, limit: number): number {
    if (!this.slim?.countsQuotes || !this.header) return -1;
    const end = this.scanner.scan(bytes, start, limit);
    if (end < 0) return -1;
    this.context.line++;
    this.standing.addScanned(bytes, this.scanner.found);
    return end;
  }

  /** The next line, without its end; `ended` is false where the file stops in it. */
  push(line: string, ended: boolean): void {
    this.context.line++;
    const first = line.charCodeAt(0);
    const last = line.charCodeAt(line.length - 1);
    // Trimming also takes a byte order mark away.
    const raw = first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f ? line : line.trim();
    const value = raw === "" ? undefined : readLine(raw, !ended, this.context, this.problems);
    if (value === undefined) return;
    if (this.header === undefined) this.header = value.type === "run" ? value : null;
    else if (this.header === null) return;
    else if (value.type === "verdict") this.standing.add(value, this.context.line);
    else this.strays.push({ file: this.context.file, line: this.context.line, code: "second-run-header", message: "A run header stands in the middle of the file; it is not used." });
  }

  finish(): { run: RunFile | undefined; problems: FileProblem[] } {
    const { header, context: { file } } = this;
    if (!header) {
      return { run: undefined, problems: [...this.problems, { file, line: 1, code: "no-run-header", message: "The first line is not a run header ({\"type\": \"run\", …}); the file is not used." }] };
    }
    const { problems, lines, replaced, verdicts, columns } = this.standing.finish();
    // Of columns, records are made when they are asked for.
    const run: RunFile = { file, header, lines, replaced, ...(columns ? { columns } : {}), get verdicts() { return verdicts(); } };
    return { run, problems: [...this.problems, ...this.strays, ...problems] };
  }
}

/** Verdicts as they come, the last of a sample and repeat in the place of its line. */
class StandingVerdicts {
  private readonly verdicts: (VerdictRecord | undefined)[] = [];
  private readonly columns: VerdictColumns | undefined;
  private readonly lines: number[] = [];
  private readonly placeBySample = new Map<string, number>();
  /** The same plus 1, by the number of the sample, where verdicts are in columns. */
  private readonly placeByNumber: number[] = [];
  private readonly placeByRepeat = new Map<string, number>();
  private readonly problemAt = new Map<number, FileProblem>();
  private replaced = 0;

  constructor(private readonly file: string, private readonly slim: SlimVerdicts | undefined) {
    this.columns = slim?.countsQuotes ? new VerdictColumns(slim) : undefined;
  }

  add(verdict: VerdictRecord, line: number): void {
    const place = this.columns?.length ?? this.verdicts.length;
    if (this.columns) this.slim!.addTo(this.columns, verdict);
    else this.verdicts.push(this.slim ? this.slim.slim(verdict) : verdict);
    if (!this.slim) this.lines.push(line);
    this.takePlace(verdict.sample_id, verdict.repeat, place);
    const problem = contradiction(verdict, this.file, line);
    if (problem) this.problemAt.set(place, problem);
  }

  /** A verdict that a scanner found; only into columns. */
  addScanned(bytes: Uint8Array, found: ScannedVerdict): void {
    const { columns, slim } = this;
    if (!columns || !slim) return;
    slim.addScanned(columns, bytes, found);
    this.takePlace(undefined, found.repeat, columns.length - 1);
  }

  /** Notes the place of a sample (without an id: of the one that came last) and repeat; what stood in its earlier one counts no more. */
  private takePlace(id: string | undefined, repeat: number | undefined, place: number): void {
    let before: number | undefined;
    if (this.columns && !repeat) {
      const { number } = this.slim!;
      while (this.placeByNumber.length <= number) this.placeByNumber.push(0);
      before = this.placeByNumber[number]! - 1;
      this.placeByNumber[number] = place + 1;
    } else {
      const own = id ?? this.slim!.idOf(this.slim!.number);
      const [places, key] = repeat ? [this.placeByRepeat, JSON.stringify([own, repeat])] : [this.placeBySample, own];
      before = places.get(key) ?? -1;
      places.set(key, place);
    }
    if (before < 0) return;
    if (this.columns) this.columns.remove(before);
    else this.verdicts[before] = undefined;
    this.problemAt.delete(before);
    this.replaced++;
  }

  finish(): { verdicts: () => readonly VerdictRecord[]; columns?: VerdictColumns; lines: readonly number[]; replaced: number; problems: FileProblem[] } {
    const { verdicts, lines, replaced, columns } = this;
    const problems = [...this.problemAt.values()];
    if (columns) {
      columns.finish();
      return { verdicts: () => columns.records(), columns, lines: [], replaced, problems };
    }
    const standing = replaced === 0 ? (verdicts as VerdictRecord[]) : verdicts.filter((one) => one !== undefined);
    return { verdicts: () => standing, lines: replaced === 0 ? lines : lines.filter((_, at) => verdicts[at] !== undefined), replaced, problems };
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
