/** Tells the verdict lines that are plainly in order, many times faster than the schema, which has the last word on all others; and keeps of them what scoring needs. */
import type { DetectedCategory, VerdictRecord } from "./schemas";

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
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
    && (line["cached"] === undefined || typeof line["cached"] === "boolean") && (line["repeat"] === undefined || isNumber(line["repeat"])) && isPlainUsage(line["usage"]);
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
export class SlimVerdicts {
  private readonly texts = new Map<string, string>();
  private readonly hashes = new Map<string, string>();
  private readonly quoteless = new Map<number, readonly DetectedCategory[]>();

  constructor(private readonly kept: Exclude<Kept, "all">) {}

  slim(verdict: VerdictRecord): VerdictRecord {
    const { outcome, score, repeat, detected_categories: categories, content_sha256: hash } = verdict;
    const id = this.once(verdict.sample_id);
    // One shape for all, whatever a line holds. Latency and attempts are not what scoring asks for.
    const slim = { type: "verdict" as const, sample_id: id, outcome, score, repeat, content_sha256: hash === undefined ? undefined : this.hashOf(id, hash), detected_categories: this.categories(categories), latency_ms: 0, attempts: 0 };
    return slim as VerdictRecord;
  }

  private once(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    this.texts.set(text, text);
    return text;
  }

  /** Runs on the same content name the same hash of a sample; comparing is quicker than looking 64 digits up. */
  private hashOf(id: string, hash: string): string {
    const known = this.hashes.get(id);
    if (known === hash) return known;
    this.hashes.set(id, hash);
    return hash;
  }

  private categories(categories: VerdictRecord["detected_categories"]): VerdictRecord["detected_categories"] {
    if (this.kept === "quotes" && categories.length > 0) return categories;
    const quotes = categories.length === 0 ? -1 : categories.reduce((sum, { evidence }) => sum + evidence.length, 0);
    let shared = this.quoteless.get(quotes);
    if (!shared) this.quoteless.set(quotes, (shared = quotes < 0 ? [] : [{ category: "", description: "", evidence: Array<string>(quotes).fill("") }]));
    return shared as VerdictRecord["detected_categories"];
  }
}
