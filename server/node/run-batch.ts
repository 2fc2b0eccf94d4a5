/** Runs one monitor over many samples: several at a time, each verdict on disk before it is told, resumable and stoppable. */
import { setMaxListeners } from "node:events";
import { invalidVerdict } from "#core/monitors/define";
import type { Monitor, MonitorContext, Verdict } from "#core/monitors/define";
import { judge, judgePair, verdictRecord } from "#core/monitors/run-monitor";
import type { Trajectory } from "#core/trajectory/model";
import type { VerdictRecord } from "#core/workspace/schemas";
import { noJsonWords } from "./models/no-json";
import { capReason } from "./models/port";
import { contentSha256 } from "./sha256";

/** What a trajectory is read from. `load` may reject with a sentence; the sample then gets an invalid verdict. */
export interface Loadable {
  readonly id: string;
  load(): Promise<Trajectory> | Trajectory;
}

/** A sample to judge, or with `partner` the two halves of a pair that are judged in one request. */
export interface BatchSample extends Loadable {
  readonly partner?: Loadable | undefined;
}

export interface BatchOptions {
  readonly samples: readonly BatchSample[];
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  /** Resolves when the lines are on disk, all or none. */
  append(...verdicts: readonly VerdictRecord[]): Promise<void>;
  /** Samples in work at once, at least 1. */
  readonly concurrency: number;
  /** How often each sample is judged; repeats are numbered from 0, and a single one is not numbered. */
  readonly repeat: number;
  /** Whether a sample and repeat has its verdict already. */
  isDone?(sampleId: string, repeat: number): boolean;
  /** Ends the run at once: what is under way is given up. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the run gently: nothing new is begun, and what is under way is still judged and written. */
  readonly pause?: AbortSignal | undefined;
  /** Reasons of invalid verdicts that concern every sample alike (a model that is gone, a refused consent): such a verdict is not written and ends the run gently. */
  readonly stopReasons?: ReadonlySet<string> | undefined;
  /**
   * Whether the reason of an invalid verdict, or of a member of a vote, may mean that nothing can be reached at all. Such samples
   * are held back until another one shows the contrary; as many in a row as are in work at once, at least three, or else all that
   * are left, end the run gently, and none of them is written. A single sample never ends it, so that one that always fails is
   * written, and the run can come to its end.
   */
  isOutage?(reason: string, message: string): boolean;
  onVerdict?(verdict: VerdictRecord): void;
  /** `done` of `total` counts verdicts, those that were there before too. */
  onProgress?(done: number, total: number): void;
  /** ISO 8601 time for `created_at`. */
  now?(): string;
}

const downStatus = /\banswered (?:40[1-4]|429|50[234]|529)\b/;

/**
 * The `isOutage` of all runs: nothing is reached, the key is not taken, nothing is left to pay with, the address is wrong or leads
 * elsewhere, or the endpoint is busy or down behind a gateway for as long as it was asked. Another sample would fare no better. 400
 * and 500 may be a sample's own.
 */
export function isOutage(reason: string, message: string): boolean {
  return reason === "network" || reason === "redirect" || (reason === "http_error" && (downStatus.test(message) || message.endsWith(noJsonWords)));
}

export interface BatchResult {
  readonly judged: number;
  readonly invalid: number;
  /** Had a verdict before. */
  readonly skipped: number;
  /** Not asked, or asked and given up, because of a stop. */
  readonly left: number;
  /** The stop was that of a cap on spending. */
  readonly capped: boolean;
  /** The verdict whose reason, one of `stopReasons` or an outage, ended the run. */
  readonly stoppedBy?: { readonly reason: string; readonly message: string } | undefined;
}

/**
 * Judges everything that is not done. Rejects only when a verdict cannot be written; what was written by then stays.
 * After `signal` aborts, or a cap is reached, nothing new is begun, and what was under way is not written, so that a
 * resumed run asks it again.
 */
export async function runBatch(options: BatchOptions): Promise<BatchResult> {
  const { samples, repeat, signal } = options;
  // Every request under way listens for the stop.
  if (signal) setMaxListeners(0, signal);
  const total = samples.reduce((sum, one) => sum + halves(one), 0) * repeat;
  const skipped = countDone(options);
  const work = todo(options);
  const state = { judged: 0, invalid: 0, capped: false, stoppedBy: undefined as BatchResult["stoppedBy"], failed: undefined as { error: unknown } | undefined };
  options.onProgress?.(skipped, total);
  const write = async (verdicts: readonly VerdictRecord[]): Promise<void> => {
    if (verdicts.length === 0) return;
    try {
      await options.append(...verdicts);
    } catch (error) {
      state.failed ??= { error };
      return;
    }
    for (const verdict of verdicts) {
      state.judged++;
      if (verdict.outcome === "invalid") state.invalid++;
      options.onVerdict?.(verdict);
    }
    options.onProgress?.(skipped + state.judged, total);
  };
  const outage = new Outage(options);
  const worker = async (): Promise<void> => {
    // The next sample is asked about while the last one's verdict is on its way to the disk: waiting for both in turn would
    // add the disk's time to every request. A second verdict waits, so that never more than one a worker is unwritten.
    let writing: Promise<void> = Promise.resolve();
    for (let next = work.next(); !next.done && !signal?.aborted && !options.pause?.aborted && !state.failed && !state.capped && !state.stoppedBy; next = work.next()) {
      const verdicts = await judgeSample(next.value.sample, next.value.repeat, options);
      await writing;
      if (verdicts === "capped") state.capped = true;
      if (typeof verdicts !== "string" && "stop" in verdicts) state.stoppedBy ??= verdicts.stop;
      if (typeof verdicts === "string" || "stop" in verdicts || state.failed) continue;
      const now = outage.pass(verdicts);
      if ("stop" in now) state.stoppedBy ??= now.stop;
      else if (now.length > 0) writing = write(now);
    }
    await writing;
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(options.concurrency, samples.length * repeat)) }, worker));
  if (!state.stoppedBy && !state.failed && !signal?.aborted && !options.pause?.aborted) await write(outage.rest());
  if (state.failed) throw state.failed.error;
  return { judged: state.judged, invalid: state.invalid, skipped, left: total - skipped - state.judged, capped: state.capped, stoppedBy: state.stoppedBy };
}

const halves = ({ partner }: BatchSample): number => (partner ? 2 : 1);

/** A pair is done when both of its verdicts are there; else it is asked again as a whole. */
function isDone({ id, partner }: BatchSample, repeat: number, options: BatchOptions): boolean {
  const done = options.isDone;
  return done !== undefined && done(id, repeat) && (partner === undefined || done(partner.id, repeat));
}

function countDone(options: BatchOptions): number {
  let done = 0;
  if (!options.isDone) return 0;
  for (let repeat = 0; repeat < options.repeat; repeat++) for (const sample of options.samples) if (isDone(sample, repeat, options)) done += halves(sample);
  return done;
}

/** Samples (or pairs) and repeats that are to be judged. */
function countLeft(options: BatchOptions): number {
  let left = 0;
  for (let repeat = 0; repeat < options.repeat; repeat++) for (const sample of options.samples) if (!isDone(sample, repeat, options)) left++;
  return left;
}

/** What is to be done, one after the other; shared by all workers. */
function* todo(options: BatchOptions): Generator<{ sample: BatchSample; repeat: number }, undefined> {
  for (let repeat = 0; repeat < options.repeat; repeat++) {
    for (const sample of options.samples) if (!isDone(sample, repeat, options)) yield { sample, repeat };
  }
  return undefined;
}

interface Stop {
  readonly stop: NonNullable<BatchResult["stoppedBy"]>;
}

/** The verdict lines of one sample, or of both halves of a pair, and why they, or members of a vote, are invalid. */
interface Judged {
  readonly lines: readonly VerdictRecord[];
  readonly reasons: readonly { readonly reason: string; readonly message: string }[];
}

/** From so many samples on that fail in a row the endpoint is taken to be down, where as many are left. */
const outageAtLeast = 3;

/** Holds back samples whose verdicts may be those of an endpoint that is down. */
class Outage {
  private held: (readonly VerdictRecord[])[] = [];
  /** Samples (or pairs) in a row that end the run. */
  private readonly most: number;

  constructor(private readonly options: BatchOptions) {
    const left = countLeft(options);
    this.most = left < 2 ? Infinity : Math.min(left, Math.max(options.concurrency, outageAtLeast));
  }

  /** What is to be written now that one more has been judged, or the end of the run. */
  pass({ lines, reasons }: Judged): readonly VerdictRecord[] | Stop {
    const cause = reasons.find(({ reason, message }) => this.options.isOutage?.(reason, message));
    if (!cause) return [...this.rest(), ...lines];
    this.held.push(lines);
    return this.held.length < this.most ? [] : { stop: cause };
  }

  /** What was held back, which is not any more. */
  rest(): VerdictRecord[] {
    return this.held.splice(0).flat();
  }
}

/** The verdict lines of one sample or pair, or why there are none: the run was stopped while it was under way. */
async function judgeSample(sample: BatchSample, repeat: number, options: BatchOptions): Promise<Judged | "stopped" | "capped" | Stop> {
  const { monitor, context, signal } = options;
  const parts: Loadable[] = sample.partner ? [sample, sample.partner] : [sample];
  const loaded = await Promise.all(parts.map(load));
  // Before anything is asked: long texts of large files are read again when they are wanted, and the file may change meanwhile.
  const hashes = loaded.map((trajectory) => (typeof trajectory === "string" ? undefined : contentSha256(trajectory.steps)));
  const verdicts = await verdictsOf(parts, loaded);
  const reasons = verdicts.flatMap(reasonsOf);
  if (reasons.some(({ reason }) => reason === capReason)) return "capped";
  const stop = reasons.find(({ reason }) => options.stopReasons?.has(reason));
  if (stop) return { stop };
  if (verdicts.some(({ reason, outcome }) => reason === "cancelled" || (signal?.aborted && outcome === "invalid"))) return "stopped";
  const lines = verdicts.map((verdict, at) => verdictRecord(verdict, {
    sampleId: parts[at]!.id, createdAt: options.now?.(), ...(options.repeat > 1 ? { repeat } : {}),
    ...(hashes[at] === undefined ? {} : { contentSha256: hashes[at] }),
  }));
  return { lines, reasons };

  async function verdictsOf(of: readonly Loadable[], given: readonly (Trajectory | string)[]): Promise<readonly Verdict[]> {
    const broken = given.find((one) => typeof one === "string");
    if (broken !== undefined) return given.map((one) => invalidVerdict("unreadable", typeof one === "string" ? one : `the other half of the pair cannot be read: ${String(broken)}`));
    const [first, second] = given.map((one, at) => ({ ...(one as Trajectory), id: of[at]!.id }));
    return second ? judgePair(monitor, [first!, second], context) : [await judge(monitor, first!, context)];
  }
}

/** Why a verdict, or a member of a vote, is invalid. */
function reasonsOf({ reason, message = "", more }: Verdict): { reason: string; message: string }[] {
  const votes = (more?.["votes"] ?? []) as readonly { readonly monitor: string; readonly reason?: string; readonly message?: string }[];
  return [...(reason === undefined ? [] : [{ reason, message }]), ...votes.flatMap((vote) => (vote.reason === undefined ? [] : [{ reason: vote.reason, message: `${vote.monitor}: ${vote.message ?? vote.reason}` }]))];
}

/** The trajectory, or a sentence why there is none to judge. */
async function load(sample: Loadable): Promise<Trajectory | string> {
  try {
    const trajectory = await sample.load();
    return trajectory.steps.length > 0 ? trajectory : trajectory.warnings[0]?.message ?? "the sample holds no steps";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
