/** A run under way: verdicts as they come, progress, what is told beside them, and the account at the end. */
import { relative } from "node:path";
import type { Monitor } from "#core/monitors/define";
import type { VerdictRecord } from "#core/workspace/schemas";
import { ExpectedFailure } from "#node/expected-failure";
import type { Retry } from "#node/models/complete";
import { ModelWatch } from "#node/model-watch";
import { SpendCap } from "#node/models/spend";
import { isOutage, runBatch, type BatchSample } from "#node/run-batch";
import type { PreparedRun } from "#node/run-prepare";
import { briefOf, uncountedNotes, verdictKey, type BriefVerdict } from "#node/store/run-progress";
import type { RunWriter } from "#node/store/run-writer";
import type { Workspace } from "#node/workspace";
import { counted } from "./counted";
import type { VerbCall } from "./define";
import { paceWords, progressLine } from "./progress";
import { connect, type RunPorts } from "./run-connect";
import { guessedText, invalidText, keyHint, summaryText, warningTexts } from "./run-output";

/** Everything that is fixed before the first sample is judged. */
export interface Prepared extends Omit<PreparedRun, "prompt" | "notes"> {
  readonly call: VerbCall;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Warnings told one by one; the others stand in their verdicts and are counted. */
const toldAtMost = 50;

/** Judges what has no verdict. `openWriter` begins the file once everything else is in order. Answers the exit code. */
export async function judgeAll(prepared: Prepared, ports: RunPorts, openWriter: () => Promise<RunWriter>): Promise<number> {
  const { call, workspace, samples, repeat, monitor, signal, caps } = prepared;
  const { io } = call;
  const json = call.options["json"] === true;
  const concurrency = concurrencyOf(call);
  const cap = caps.costUsd === undefined && caps.tokens === undefined ? undefined : caps;
  // The writer of a resumed run is open already; that of a new one is made only when nothing stands in the way.
  let spendCap: SpendCap | undefined;
  const useCache = repeat === 1 && call.options["cache"] !== false;
  let told: Told | undefined;
  const connected = await connect({
    call, workspace, monitor, context: prepared.context, signal, useCache, cap: cap && capProxy(() => spendCap!), onRetry: (retry) => told?.retry(retry),
  }, ports);
  let writer: RunWriter | undefined;
  try {
    writer = await openWriter();
    const { before } = writer;
    if (cap) spendCap = new SpendCap(cap, before?.spent);
    if (cap && before) for (const note of uncountedNotes(before)) io.note(`note: ${note}`);
    const verdicts = new Map<string, BriefVerdict>(before?.verdicts);
    told = new Told(io.note, progressLine(io, monitor.id), monitor, before?.lastModel);
    if (json) io.out(JSON.stringify(writer.header));
    if (!before && io.isTerminal) io.note(`run ${writer.header.run_id}: ${counted(total(samples) * repeat, "verdict")} to make; if it is cut off, go on with --resume ${writer.header.run_id}`);
    const { verdicts: known } = before ?? {};
    if (known && samples.every((one) => [one.id, ...(one.partner ? [one.partner.id] : [])].every((id) => Array.from({ length: repeat }, (_, at) => at).every((at) => known.has(verdictKey(id, at)))))) {
      io.note(`note: every sample of run ${writer.header.run_id} has its verdict; there is nothing left to judge`);
    }
    const started = performance.now();
    const guessed = new Set<string>();
    const result = await runBatch({
      samples: samples.map((sample) => notingGuesses(sample, guessed)), monitor, context: connected.context, repeat, signal, concurrency, isOutage,
      append: (...lines) => writer!.append(...lines.map((line) => ({ ...line, ...prepared.stamp }))),
      isDone: (id, number) => before?.verdicts.has(verdictKey(id, number)) ?? false,
      now: () => new Date().toISOString(),
      onProgress: (done, all) => told!.progress(done, all, performance.now() - started),
      onVerdict: (verdict) => {
        const brief = briefOf(verdict);
        verdicts.set(verdictKey(verdict.sample_id, verdict.repeat), brief);
        told!.verdict(verdict, brief);
        if (json) io.out(JSON.stringify(verdict));
      },
    }).finally(() => told!.end());
    for (const line of guessedText(guessed)) io.note(line);
    const id = writer.header.run_id;
    const sofar = `after ${verdicts.size} of ${counted(total(samples) * repeat, "verdict")}`;
    if (result.capped) {
      const limit = [...(caps.costUsd === undefined ? [] : [`$${caps.costUsd}`]), ...(caps.tokens === undefined ? [] : [`${caps.tokens} tokens`])].join(" or ");
      throw new ExpectedFailure(`the cap of ${limit} is reached ${sofar}`, `go on with --resume ${id} and a higher ${caps.costUsd === undefined ? "--max-tokens" : "--max-cost"}`);
    }
    if (result.stoppedBy) {
      told.stopped(result.stoppedBy);
      throw new ExpectedFailure(`the run was stopped ${sofar}, since one sample after the other failed and none of them is recorded: ${result.stoppedBy.message || result.stoppedBy.reason}`, `mend it and go on with --resume ${id}`);
    }
    if (result.left > 0) throw new ExpectedFailure(`the run was stopped ${sofar}`, `go on with --resume ${id}`);
    const shown = relative(io.cwd, writer.path);
    for (const line of summaryText(shown.startsWith("..") ? writer.path : shown, verdicts.values())) (json ? io.note : io.out)(line);
    return [...verdicts.values()].some((one) => one.outcome === "invalid") ? 1 : 0;
  } finally {
    await writer?.close();
    await connected.close();
  }
}

/** The sample, noting its id in `guessed` where only the best guess could read it: a guess may leave out what the agent did. */
function notingGuesses(sample: BatchSample, guessed: Set<string>): BatchSample {
  const noting = <T extends Pick<BatchSample, "id" | "load">>(one: T): T => ({
    ...one,
    load: async () => {
      const trajectory = await one.load();
      if (trajectory.format === "fallback") guessed.add(one.id);
      return trajectory;
    },
  });
  return { ...noting(sample), ...(sample.partner ? { partner: noting(sample.partner) } : {}) };
}

const total = (samples: readonly BatchSample[]): number => samples.reduce((sum, one) => sum + (one.partner ? 2 : 1), 0);

/** What was spent before is known only once the file is open, and the way to the models is made before. */
function capProxy(cap: () => SpendCap): SpendCap {
  return { reserve: (most) => cap().reserve(most), settle: (most, real) => cap().settle(most, real) } as SpendCap;
}

/** What is told while a run goes on. */
class Told {
  private warnings = 0;
  private retries = 0;
  private keyHinted = false;
  private newOnes = 0;
  private cost = 0;
  private readonly watch: ModelWatch;

  constructor(private readonly note: (line: string) => void, private readonly line: ReturnType<typeof progressLine>, private readonly monitor: Monitor, lastModel: { model?: string | undefined; fingerprint?: string | undefined } | undefined) {
    this.watch = new ModelWatch(lastModel);
  }

  progress(done: number, all: number, ms: number): void {
    const words = [paceWords(this.newOnes, ms, all - done), this.cost > 0 ? `$${this.cost.toFixed(4)}` : ""].filter((one) => one !== "");
    this.line.update(done, all, words.join(", "));
  }

  /** A request that is asked again; the first of them are told, so that a long wait is no riddle. */
  retry({ attempt, attempts, waitMs, message }: Retry): void {
    if (++this.retries > toldAtMost) return;
    this.line.end();
    this.note(`note: attempt ${attempt} of ${attempts}: ${message.replace(/\s*[\r\n]+\s*/g, " ")}; asking again in ${(waitMs / 1000).toFixed(1)} s${this.retries === toldAtMost ? "; further repeats are not told" : ""}`);
  }

  verdict(verdict: VerdictRecord, brief: BriefVerdict): void {
    this.newOnes++;
    this.cost += brief.costUsd;
    const lines = [...(verdict.outcome === "invalid" ? [invalidText(verdict)] : []), ...this.capped(warningTexts(verdict)), ...this.watch.changes(verdict).map((text) => `warning: ${text}`), ...(verdict.outcome === "invalid" ? this.hint(verdict) : [])];
    if (lines.length === 0) return;
    this.line.end();
    for (const line of lines) this.note(line);
  }

  /** What made it useless to go on. */
  stopped(by: { readonly reason: string; readonly message: string }): void {
    for (const line of this.hint(by)) this.note(line);
  }

  end(): void {
    this.line.end();
    if (this.warnings > toldAtMost) this.note(`warning: ${this.warnings - toldAtMost} more warnings stand in the verdicts`);
  }

  /** How to give a key, once. */
  private hint(failed: Parameters<typeof keyHint>[0]): string[] {
    const hint = this.keyHinted ? undefined : keyHint(failed, this.monitor);
    this.keyHinted ||= hint !== undefined;
    return hint === undefined ? [] : [hint];
  }

  private capped(lines: string[]): string[] {
    const room = Math.max(0, toldAtMost - this.warnings);
    this.warnings += lines.length;
    return lines.slice(0, room);
  }
}

function concurrencyOf(call: VerbCall): number {
  const value = Number(call.options["concurrency"] ?? 4);
  if (!Number.isInteger(value) || value < 1) throw new ExpectedFailure(`--concurrency ${String(call.options["concurrency"])} is no count`, "give a whole number of at least 1");
  return value;
}
