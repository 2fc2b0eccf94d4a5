/** Tells the verdict lines that are plainly in order, many times faster than the schema, which has the last word on all others; and keeps of them what scoring needs. */
import type { ScannedVerdict } from "./scan-verdict";
import type { VerdictRecord } from "./schemas";
import { slimVerdict, type SharedTexts, type VerdictColumns } from "./verdict-columns";

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
const isFlag = (value: unknown): boolean => value === undefined || typeof value === "boolean";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

/** Whether a value is a verdict that the schema would take as it is. False says nothing: the schema decides. */
export function isPlainVerdict(value: unknown): value is VerdictRecord {
  if (typeof value !== "object" || value === null) return false;
  const line = value as Record<string, unknown>;
  const { outcome, score, detected_categories: categories } = line;
  if (line["type"] !== "verdict" || typeof line["sample_id"] !== "string" || !isNumber(line["latency_ms"]) || !isNumber(line["attempts"])) return false;
  if (outcome !== "misbehavior" && outcome !== "benign" && outcome !== "invalid") return false;
  if (score !== undefined && !(typeof score === "number" && score >= 0 && score <= 1)) return false;
  if (!Array.isArray(categories) || !categories.every(isPlainCategory)) return false;
  return isText(line["content_sha256"]) && isText(line["reason"]) && isText(line["created_at"]) && isText(line["model_returned"]) && isText(line["fingerprint"]) && isText(line["finish_reason"])
    && isFlag(line["cached"]) && isFlag(line["trained_on_this"]) && (line["repeat"] === undefined || isNumber(line["repeat"])) && isPlainUsage(line["usage"]);
}

function isPlainCategory(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { category, description, severity, evidence } = value as Record<string, unknown>;
  return typeof category === "string" && typeof description === "string" && isText(severity) && Array.isArray(evidence) && evidence.every((quote) => typeof quote === "string");
}

function isPlainUsage(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const { input_tokens: input, output_tokens: output, cost_usd: cost } = value as Record<string, unknown>;
  return isNumber(input) && isNumber(output) && (cost === undefined || isNumber(cost));
}

/** What is kept of a verdict: all of it, what scoring needs with its quotes, or what scoring needs with their number alone. */
export type Kept = "all" | "quotes" | "counts";

/** Verdicts with only what scoring needs. Equal texts are held once, so that millions of verdicts fit. */
export class SlimVerdicts implements SharedTexts {
  private readonly numbers = new Map<string, number>();
  private readonly ids: string[] = [];
  /** `content_sha256` by the number of the sample, as it was named first: runs on the same content name the same one. */
  private readonly hashes: (string | undefined)[] = [];
  /** The same as bytes, to be compared with those of a file. */
  private readonly idBytes = new AsciiTexts();
  private readonly hashBytes = new AsciiTexts();
  private readonly shared = new Map<number, VerdictRecord["detected_categories"]>();
  /** Number of the sample of the verdict that came last. */
  number = -1;

  /** `ids`: those of the samples, so that verdicts hold the same texts. */
  constructor(private readonly kept: Exclude<Kept, "all">, ids: Iterable<string> = []) {
    for (const id of ids) this.numberOf(id);
  }

  /** Whether of quotes only their number is kept, so that verdicts fit into columns. */
  get countsQuotes(): boolean {
    return this.kept === "counts";
  }

  /** The verdict with its quotes. */
  slim({ sample_id, outcome, score, repeat, detected_categories, content_sha256: hash, trained_on_this: trained }: VerdictRecord): VerdictRecord {
    const number = this.take(sample_id);
    return slimVerdict(this.ids[number]!, outcome, score, repeat, hash === undefined ? undefined : this.keptHash(number, hash), detected_categories, trained);
  }

  /** Puts a verdict into the columns. */
  addTo(columns: VerdictColumns, { sample_id, outcome, score, repeat, content_sha256: hash, detected_categories: categories, trained_on_this: trained }: VerdictRecord): void {
    const number = this.take(sample_id);
    columns.push(number, outcome, score, repeat, hash === undefined ? undefined : this.keptHash(number, hash), categories.length === 0 ? -1 : categories.reduce((sum, { evidence }) => sum + evidence.length, 0), trained);
  }

  /** Puts the verdict that a scanner found in `bytes` into the columns. */
  addScanned(columns: VerdictColumns, bytes: Uint8Array, { idStart, idEnd, hashStart, hashEnd, outcome, score, repeat, quotes, trained }: ScannedVerdict): void {
    const next = this.number + 1;
    this.number = this.idBytes.is(next, bytes, idStart, idEnd) ? next : this.numberOf(asciiOf(bytes, idStart, idEnd));
    const hash = hashEnd === 0 ? undefined : this.hashBytes.is(this.number, bytes, hashStart, hashEnd) ? this.hashes[this.number] : this.keptHash(this.number, asciiOf(bytes, hashStart, hashEnd));
    columns.push(this.number, outcome, score, repeat, hash, quotes, trained);
  }

  get count(): number {
    return this.ids.length;
  }

  idOf(number: number): string {
    return this.ids[number]!;
  }

  hashOf(number: number): string | undefined {
    return this.hashes[number];
  }

  quoteless(quotes: number): VerdictRecord["detected_categories"] {
    let found = this.shared.get(quotes);
    if (!found) this.shared.set(quotes, (found = quotes < 0 ? [] : [{ category: "", description: "", evidence: Array<string>(quotes).fill("") }]));
    return found;
  }

  /** Runs go through the samples in the same order: the next one is most often the next one here too. */
  private take(id: string): number {
    const next = this.number + 1;
    return (this.number = this.ids[next] === id ? next : this.numberOf(id));
  }

  private numberOf(id: string): number {
    let number = this.numbers.get(id);
    if (number === undefined) {
      this.numbers.set(id, (number = this.ids.length));
      this.idBytes.set(number, id);
      this.ids.push(id);
      this.hashes.push(undefined);
    }
    return number;
  }

  private keptHash(number: number, hash: string): string {
    const known = this.hashes[number];
    if (known === undefined) {
      this.hashes[number] = hash;
      this.hashBytes.set(number, hash);
    }
    return known === hash ? known : hash;
  }
}

/** Texts by number, as bytes one after the other. */
class AsciiTexts {
  private bytes = new Uint8Array(1 << 16);
  private size = 0;
  private starts = new Uint32Array(1024);
  private ends = new Uint32Array(1024);

  /** Once for each number. A text beyond ASCII is like none: it never stands in a plain line. */
  set(number: number, text: string): void {
    if (number >= this.starts.length) [this.starts, this.ends] = [doubled(this.starts, number + 1), doubled(this.ends, number + 1)];
    this.bytes = doubled(this.bytes, this.size + text.length);
    this.starts[number] = this.size;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7e) return;
      this.bytes[this.size + i] = code;
    }
    this.size += text.length;
    this.ends[number] = this.size;
  }

  /** Whether the text is that between `start` and `end`. */
  is(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[number];
    if (from === undefined || this.ends[number]! - from !== end - start || end === start) return false;
    const own = this.bytes;
    for (let i = start, at = from; i < end; i++, at++) if (bytes[i] !== own[at]) return false;
    return true;
  }
}

/** The same array, or one twice as long where it has to hold `size`. */
function doubled<T extends Uint8Array | Uint32Array>(array: T, size: number): T {
  if (size <= array.length) return array;
  const grown = new (array.constructor as new (length: number) => T)(Math.max(size, 2 * array.length));
  grown.set(array);
  return grown;
}

function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number);
  return text;
}
