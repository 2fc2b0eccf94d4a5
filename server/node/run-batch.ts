/** Runs one monitor over many samples: several at a time, each verdict on disk before it is told, resumable and stoppable. */
import { invalidVerdict } from "#core/monitors/define";
import type { Monitor, MonitorContext } from "#core/monitors/define";
import { judge, verdictRecord } from "#core/monitors/run-monitor";
import type { Trajectory } from "#core/trajectory/model";
import type { VerdictRecord } from "#core/workspace/schemas";
import { contentSha256 } from "./sha256";

/** A sample to judge. `load` may reject with a sentence; the sample then gets an invalid verdict. */
export interface BatchSample {
  readonly id: string;
  load(): Promise<Trajectory> | Trajectory;
}

export interface BatchOptions {
  readonly samples: readonly BatchSample[];
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  /** Resolves when the line is on disk. */
  append(verdict: VerdictRecord): Promise<void>;
  /** Samples in work at once, at least 1. */
  readonly concurrency: number;
  /** How often each sample is judged; repeats are numbered from 0, and a single one is not numbered. */
  readonly repeat: number;
  /** Whether a sample and repeat has its verdict already. */
  isDone?(sampleId: string, repeat: number): boolean;
  readonly signal?: AbortSignal | undefined;
  onVerdict?(verdict: VerdictRecord): void;
  /** `done` of `total` counts what was there before too. */
  onProgress?(done: number, total: number): void;
  /** ISO 8601 time for `created_at`. */
  now?(): string;
}

export interface BatchResult {
  readonly judged: number;
  readonly invalid: number;
  /** Had a verdict before. */
  readonly skipped: number;
  /** Not asked, or asked and given up, because of a stop. */
  readonly left: number;
}

/**
 * Judges everything that is not done. Rejects only when a verdict cannot be written; what was written by then stays.
 * After `signal` aborts nothing new is begun, and what was under way is not written, so that a resumed run asks it again.
 */
export async function runBatch(options: BatchOptions): Promise<BatchResult> {
  const total = options.samples.length * options.repeat;
  const work = todo(options);
  const state = { judged: 0, invalid: 0, next: 0, failed: undefined as { error: unknown } | undefined };
  const skipped = total - work.length;
  options.onProgress?.(skipped, total);
  const worker = async (): Promise<void> => {
    while (state.next < work.length && !options.signal?.aborted && !state.failed) {
      const { sample, repeat } = work[state.next++]!;
      const verdict = await judgeSample(sample, repeat, options);
      if (!verdict || state.failed) continue;
      try {
        await options.append(verdict);
      } catch (error) {
        state.failed ??= { error };
        return;
      }
      state.judged++;
      if (verdict.outcome === "invalid") state.invalid++;
      options.onVerdict?.(verdict);
      options.onProgress?.(skipped + state.judged, total);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(options.concurrency, work.length)) }, worker));
  if (state.failed) throw state.failed.error;
  return { judged: state.judged, invalid: state.invalid, skipped, left: work.length - state.judged };
}

function todo({ samples, repeat, isDone }: BatchOptions): { sample: BatchSample; repeat: number }[] {
  return Array.from({ length: repeat }, (_, number) => samples.map((sample) => ({ sample, repeat: number })))
    .flat()
    .filter((one) => !isDone?.(one.sample.id, one.repeat));
}

/** The verdict line of one sample; undefined when the run was stopped while it was under way. */
async function judgeSample(sample: BatchSample, repeat: number, options: BatchOptions): Promise<VerdictRecord | undefined> {
  const place = { sampleId: sample.id, createdAt: options.now?.(), ...(options.repeat > 1 ? { repeat } : {}) };
  const trajectory = await load(sample);
  if (typeof trajectory === "string") return verdictRecord(invalidVerdict("unreadable", trajectory), place);
  const verdict = await judge(options.monitor, { ...trajectory, id: sample.id }, options.context);
  if (verdict.reason === "cancelled" || (options.signal?.aborted && verdict.outcome === "invalid")) return undefined;
  return verdictRecord(verdict, { ...place, contentSha256: contentSha256(trajectory.steps) });
}

/** The trajectory, or a sentence why there is none to judge. */
async function load(sample: BatchSample): Promise<Trajectory | string> {
  try {
    const trajectory = await sample.load();
    return trajectory.steps.length > 0 ? trajectory : trajectory.warnings[0]?.message ?? "the sample holds no steps";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
