/** What a run file holds already, read as fast as its lines can be parsed, and in memory that does not grow with its texts. */
import { open } from "node:fs/promises";
import type { FileProblem } from "#core/workspace/file-problem";
import { describeIssues } from "#core/workspace/file-problem";
import { RunHeader, type VerdictRecord } from "#core/workspace/schemas";

/** A verdict that counts, without its texts. */
export interface BriefVerdict {
  readonly outcome: VerdictRecord["outcome"];
  readonly reason?: string | undefined;
  readonly warned: boolean;
  readonly cached: boolean;
  readonly tokens: number;
  readonly costUsd: number;
}

export interface RunProgress {
  readonly header: RunHeader;
  /** By `verdictKey`; of several lines the last one counts. */
  readonly verdicts: ReadonlyMap<string, BriefVerdict>;
  /** Everything that was paid for, replaced verdicts too. */
  readonly spent: { readonly tokens: number; readonly costUsd: number };
  /** Verdicts that may have been paid for and name no usage, so that `spent` holds nothing of them. */
  readonly uncounted: number;
  /** Model and fingerprint that the last verdict names. */
  readonly lastModel: { readonly model?: string | undefined; readonly fingerprint?: string | undefined };
  readonly problems: readonly FileProblem[];
}

const chunk = 1 << 20;
/** What was sent and got no whole answer may have been charged all the same. */
const maybePaid: ReadonlySet<string> = new Set(["timeout", "too_large", "network"]);

/** What tells verdicts of a run apart: sample and repeat. */
export function verdictKey(sampleId: string, repeat: number | undefined): string {
  return `${repeat ?? 0}\n${sampleId}`;
}

/** The brief form of a verdict line. */
export function briefOf(line: VerdictRecord): BriefVerdict {
  const { usage, warnings } = line as { usage?: VerdictRecord["usage"]; warnings?: unknown };
  const cached = line.cached === true;
  return {
    outcome: line.outcome, reason: line.reason, warned: Array.isArray(warnings) && warnings.length > 0, cached,
    tokens: cached ? 0 : (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0), costUsd: cached ? 0 : usage?.cost_usd ?? 0,
  };
}

/** What a cap cannot know of a run that goes on, as a sentence; none where it knows all. */
export function uncountedNotes({ uncounted }: Pick<RunProgress, "uncounted">): string[] {
  return uncounted === 0 ? [] : [`${uncounted === 1 ? "1 verdict" : `${uncounted} verdicts`} of this run ${uncounted === 1 ? "names" : "name"} no tokens, so the cap counts nothing for what ${uncounted === 1 ? "it" : "they"} came to`];
}

/** Reads `path`. `undefined` when its first line is no run header (`problems` says so). Rejects with the errors of `node:fs`. */
export async function readRunProgress(path: string): Promise<RunProgress | { header: undefined; problems: readonly FileProblem[] }> {
  const problems: FileProblem[] = [];
  const verdicts = new Map<string, BriefVerdict>();
  let header: RunHeader | undefined;
  let spent = { tokens: 0, costUsd: 0 };
  let uncounted = 0;
  let lastModel: RunProgress["lastModel"] = {};
  const readLine = (text: string, line: number, ended: boolean): void => {
    if (text === "") return;
    let value: Partial<VerdictRecord> | null;
    try {
      value = JSON.parse(text) as Partial<VerdictRecord> | null;
    } catch {
      problems.push(ended ? { file: path, line, code: "bad-json", message: "The line is not JSON; it is not used. Correct or delete it." }
        : { file: path, line, code: "torn-line", message: `The last line is cut off after ${text.length} characters and is no record; the next writer removes it.` });
      return;
    }
    if (line === 1) {
      const parsed = RunHeader.safeParse(value);
      if (parsed.success) header = parsed.data;
      else problems.push({ file: path, line, code: "no-run-header", message: `The first line is not a run header: ${describeIssues(parsed.error.issues, value)}.` });
    } else if (value?.type === "verdict" && typeof value.sample_id === "string" && (value.outcome === "misbehavior" || value.outcome === "benign" || value.outcome === "invalid")) {
      const brief = briefOf(value as VerdictRecord);
      verdicts.set(verdictKey(value.sample_id, value.repeat), brief);
      spent = { tokens: spent.tokens + brief.tokens, costUsd: spent.costUsd + brief.costUsd };
      if (value.usage === undefined && !brief.cached && (value.attempts ?? 0) > 0 && (value.model_returned !== undefined || maybePaid.has(value.reason ?? ""))) uncounted++;
      if (value.model_returned !== undefined) lastModel = { model: value.model_returned, fingerprint: value.fingerprint };
    } else problems.push({ file: path, line, code: "bad-record", message: "The line is no verdict; it is not used." });
  };
  await eachLine(path, readLine);
  return header ? { header, verdicts, spent, uncounted, lastModel, problems } : { header, problems };
}

/**
 * Calls `take` with every line of a file, its 1-based number, and whether it has its end. White space around lines is taken off.
 * Rejects with the errors of `node:fs`.
 */
export async function eachLine(path: string, take: (text: string, line: number, ended: boolean) => void | Promise<void>): Promise<void> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(chunk);
    let kept: Buffer[] = [];
    let line = 1;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, chunk);
      if (bytesRead === 0) break;
      let at = 0;
      for (let end = buffer.indexOf(0x0a, at); end >= 0 && end < bytesRead; end = buffer.indexOf(0x0a, at)) {
        const piece = buffer.subarray(at, end);
        const text = (kept.length > 0 ? Buffer.concat([...kept, piece]) : piece).toString("utf8").trim();
        kept = [];
        at = end + 1;
        // Waiting only where there is something to wait for keeps a hundred thousand lines cheap.
        const waited = take(line === 1 ? text.replace(/^\uFEFF/, "") : text, line++, true);
        if (waited) await waited;
      }
      if (at < bytesRead) kept.push(Buffer.from(buffer.subarray(at, bytesRead)));
    }
    if (kept.length > 0) await take(Buffer.concat(kept).toString("utf8").trim(), line, false);
  } finally {
    await handle.close();
  }
}
