/** A JSON Lines file that others append to: read once, then only what was added, and anew when it was rewritten. */
import type { FileProblem } from "#core/workspace/file-problem";
import { readJsonLines, type JsonLine, type LineSchema } from "#core/workspace/json-lines";
import type { Disk, FileFacts } from "./disk";

/** Smaller files are read whole whenever they changed: an edit in their middle then cannot be missed. */
const wholeBelow = 1 << 20;
/** Bytes before the known end that must still be the same for what stands before them to be trusted. */
const guardBytes = 4096;

export class GrowingFile<T> {
  /** Counts up whenever what was read before may no longer hold. */
  generation = 0;
  private facts: FileFacts | undefined;
  private ended: JsonLine<T>[] = [];
  private endedProblems: FileProblem[] = [];
  private lineCount = 0;
  /** Bytes up to and with the last line end that was read. */
  private offset = 0;
  private guard = Buffer.alloc(0);
  private tail: { lines: readonly JsonLine<T>[]; problems: readonly FileProblem[] } = { lines: [], problems: [] };

  /** `shown` is the name used in problems. */
  constructor(readonly path: string, readonly shown: string, private readonly schema: LineSchema<T>, private readonly disk: Disk, private readonly isPlain?: (value: unknown) => value is T) {}

  /** Records in the order of their lines; a last line without its end counts when it parses. */
  get lines(): readonly JsonLine<T>[] {
    return [...this.ended, ...this.tail.lines];
  }

  /** Number of ended lines that hold records; they only grow within a generation. */
  get endedCount(): number {
    return this.ended.length;
  }

  /** The ended records from a position on. */
  endedFrom(position: number): readonly JsonLine<T>[] {
    return position === 0 ? this.ended : this.ended.slice(position);
  }

  /** A last line without its end that counts all the same. */
  get tailLines(): readonly JsonLine<T>[] {
    return this.tail.lines;
  }

  get problems(): readonly FileProblem[] {
    return [...this.endedProblems, ...this.tail.problems];
  }

  /** Reads what changed since the last call; answers whether anything did. Rejects when the file cannot be read. */
  async refresh(): Promise<boolean> {
    const facts = await this.disk.facts(this.path);
    const known = this.facts;
    if (known && known.size === facts.size && known.mtimeMs === facts.mtimeMs && known.ino === facts.ino) return false;
    const grown = known !== undefined && known.ino === facts.ino && facts.size >= this.offset && facts.size >= wholeBelow;
    if (!grown || !(await this.guardHolds())) this.forget();
    this.take(await this.disk.readBytes(this.path, this.offset, facts.size));
    this.facts = facts;
    return true;
  }

  private forget(): void {
    this.generation++;
    this.ended = [];
    this.endedProblems = [];
    this.lineCount = 0;
    this.offset = 0;
    this.guard = Buffer.alloc(0);
  }

  private async guardHolds(): Promise<boolean> {
    const bytes = await this.disk.readBytes(this.path, this.offset - this.guard.length, this.offset);
    return bytes.equals(this.guard);
  }

  private take(bytes: Buffer): void {
    const whole = bytes.lastIndexOf(0x0a) + 1;
    const added = readJsonLines(bytes.subarray(0, whole).toString("utf8"), this.schema, this.shown, this.lineCount + 1, this.isPlain);
    // A spread of a hundred thousand arguments would overflow the stack.
    for (const line of added.lines) this.ended.push(line);
    for (const problem of added.problems) this.endedProblems.push(problem);
    this.lineCount += added.lineCount;
    this.offset += whole;
    this.guard = Buffer.concat([this.guard, bytes.subarray(Math.max(0, whole - guardBytes), whole)]);
    if (this.guard.length > guardBytes) this.guard = Buffer.from(this.guard.subarray(-guardBytes));
    this.tail = readJsonLines(bytes.subarray(whole).toString("utf8"), this.schema, this.shown, this.lineCount + 1);
  }
}
