/** Runs over many samples that this server has under way: begun, told about, paused, ended. */
import { join } from "node:path";
import type { ModelPort, Monitor, MonitorContext } from "#core/monitors/define";
import { monitorAndMembers, needsOf } from "#core/monitors/index";
import { ExpectedFailure } from "#node/expected-failure";
import { ModelWatch } from "#node/model-watch";
import { SpendCap } from "#node/models/spend";
import { modelPort } from "#node/models/port";
import { programPort } from "#node/monitors/program";
import { isOutage, runBatch, type BatchResult } from "#node/run-batch";
import { recordedVerdicts, type PreparedRun } from "#node/run-prepare";
import { AnswerCache, answerCacheFolder } from "#node/store/answer-cache";
import { briefOf, verdictKey } from "#node/store/run-progress";
import type { RunWriter } from "#node/store/run-writer";
import type { BatchState } from "#protocol/batches";
import type { ModelFailure, ModelReply, ModelRequest } from "#protocol/lsp";

/** Failures that the next sample would meet too: the run waits for somebody to mend them. */
const stopReasons: ReadonlySet<string> = new Set(["not_allowed", "untrusted", "no_model", "no_permission", "quota", "configuration"]);
/** Milliseconds between two accounts of a run. */
const tellEvery = 250;

/** An endpoint that answers as two models in turn is told of a few times. */
const mostWarnings = 5;

/** What a batch needs from the server. */
export interface BatchPorts {
  /** Asks the client for a completion; never rejects. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply | ModelFailure>;
  tell(state: BatchState): void;
  log(line: string): void;
}

interface Under {
  readonly pause: AbortController;
  readonly abort: AbortController;
  readonly state: () => BatchState;
  finished: Promise<void>;
}

export class Batches {
  private readonly underWay = new Map<string, Under>();

  constructor(private readonly ports: BatchPorts) {}

  /** Judges what `writer`'s run lacks, and closes it at the end. Resolves at once. */
  async begin(root: string, prepared: PreparedRun, writer: RunWriter, recorded: Pick<MonitorContext, "recorded">, concurrency: number): Promise<void> {
    const batch = new Batch(root, prepared, writer, recorded, concurrency, this.ports);
    const key = join(root, writer.header.run_id);
    const under: Under = { pause: batch.pause, abort: batch.abort, state: () => batch.state, finished: Promise.resolve() };
    this.underWay.set(key, under);
    under.finished = batch.run().finally(() => this.underWay.delete(key));
  }

  /** False when no such run is under way. */
  stop(root: string, runId: string, how: "pause" | "cancel"): boolean {
    const under = this.underWay.get(join(root, runId));
    if (!under) return false;
    (how === "pause" ? under.pause : under.abort).abort();
    this.ports.tell(under.state());
    return true;
  }

  isUnderWay(root: string, runId: string): boolean {
    return this.underWay.has(join(root, runId));
  }

  list(root: string): BatchState[] {
    return [...this.underWay.values()].map(({ state }) => state()).filter((one) => one.root === root);
  }

  /** Ends everything; resolves when all run files are closed. */
  async endAll(): Promise<void> {
    const all = [...this.underWay.values()];
    for (const { abort } of all) abort.abort();
    await Promise.all(all.map(({ finished }) => finished));
  }
}

class Batch {
  readonly pause = new AbortController();
  readonly abort = new AbortController();
  private readonly started = performance.now();
  private counts = { done: 0, total: 0, judged: 0, invalid: 0, cached: 0, costUsd: 0, tokens: 0 };
  private ended: { state: BatchState["state"]; message?: string | undefined } | undefined;
  private toldAt = 0;
  /** Sentences about what makes verdicts of this run differ from each other. */
  private readonly warnings: string[] = [];
  private readonly watch: ModelWatch;

  constructor(
    private readonly root: string, private readonly prepared: PreparedRun, private readonly writer: RunWriter,
    private readonly recorded: Pick<MonitorContext, "recorded">, private readonly concurrency: number, private readonly ports: BatchPorts,
  ) {
    const { costUsd = 0, tokens = 0 } = writer.before?.spent ?? {};
    this.counts = { ...this.counts, costUsd, tokens };
    this.watch = new ModelWatch(writer.before?.lastModel);
  }

  get state(): BatchState {
    const { done, total, judged } = this.counts;
    const seconds = (performance.now() - this.started) / 1000;
    const perSecond = seconds > 0 ? judged / seconds : 0;
    const state = this.ended?.state ?? (this.abort.signal.aborted ? "cancelling" : this.pause.signal.aborted ? "pausing" : "running");
    return {
      root: this.root, runId: this.writer.header.run_id, monitor: this.prepared.monitor.id, state, ...this.counts, perSecond,
      ...(perSecond > 0 && this.ended === undefined ? { secondsLeft: (total - done) / perSecond } : {}),
      ...(this.ended?.message === undefined ? {} : { message: this.ended.message }), ...(this.warnings.length > 0 ? { warnings: [...this.warnings] } : {}),
    };
  }

  /** Never rejects: how it ended is told. */
  async run(): Promise<void> {
    const { monitor, samples, repeat } = this.prepared;
    const { before } = this.writer;
    const ways = this.ways();
    try {
      const result = await runBatch({
        samples, monitor, repeat, context: { ...this.prepared.context, ...this.recorded, ...ways.context }, concurrency: this.concurrency, signal: this.abort.signal, pause: this.pause.signal, stopReasons, isOutage,
        append: (...lines) => this.writer.append(...lines.map((line) => ({ ...line, ...this.prepared.stamp }))),
        isDone: (id, number) => before?.verdicts.has(verdictKey(id, number)) ?? false,
        now: () => new Date().toISOString(),
        onVerdict: (verdict) => {
          if (this.warnings.length < mostWarnings) this.warnings.push(...this.watch.changes(verdict));
          const { tokens, costUsd, cached, outcome } = briefOf(verdict);
          const { counts } = this;
          this.counts = { ...counts, judged: counts.judged + 1, tokens: counts.tokens + tokens, costUsd: counts.costUsd + costUsd, cached: counts.cached + (cached ? 1 : 0), invalid: counts.invalid + (outcome === "invalid" ? 1 : 0) };
        },
        onProgress: (done, total) => {
          this.counts = { ...this.counts, done, total };
          this.tellNowAndThen();
        },
      });
      this.ended = endOf(result, this.abort.signal.aborted, this.prepared.caps);
    } catch (error) {
      this.ended = { state: "failed", message: error instanceof ExpectedFailure ? error.sentence() : error instanceof Error ? error.message : String(error) };
    } finally {
      await ways.settle();
      await this.writer.close().catch((error: unknown) => this.ports.log(`closing the run: ${String(error)}`));
      this.ports.tell(this.state);
    }
  }

  private tellNowAndThen(): void {
    const now = performance.now();
    if (now - this.toldAt < tellEvery) return;
    this.toldAt = now;
    this.ports.tell(this.state);
  }

  /** The ways to models, through the client, and to programs. */
  private ways(): { context: { model?: ModelPort; programs?: MonitorContext["programs"] }; settle(): Promise<void> } {
    const { monitor, caps, repeat } = this.prepared;
    const members = monitorAndMembers(monitor);
    const { signal } = this.abort;
    const programs = needsOf(monitor).program ? { programs: programPort({ root: this.root, signal }) } : {};
    if (!needsOf(monitor).model) return { context: programs, settle: async () => undefined };
    // Repeats are asked anew each time.
    const cache = repeat === 1 ? new AnswerCache(answerCacheFolder()) : undefined;
    const cap = caps.costUsd === undefined && caps.tokens === undefined ? undefined : new SpendCap(caps, this.writer.before?.spent);
    const model = modelPort({
      monitors: members.filter(({ kind }) => kind === "llm").map((one) => ({ monitor: one })), signal, cache, cap,
      models: { complete: (request) => this.ports.complete({ ...request, ...limitsOf(members, request.monitor) }, signal) },
    });
    return { context: { ...programs, model }, settle: async () => cache?.settle() };
  }
}

/** What the settings of a monitor allow a minute, as its requests carry it. */
export function limitsOf(members: readonly Monitor[], id: string): Pick<ModelRequest, "limits"> {
  const limits = members.find((one) => one.id === id)?.config.limits;
  if (!limits) return {};
  const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = limits;
  return { limits: { ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }), ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }) } };
}

function endOf(result: BatchResult, aborted: boolean, caps: PreparedRun["caps"]): { state: BatchState["state"]; message?: string | undefined } {
  if (result.capped) {
    const limit = [...(caps.costUsd === undefined ? [] : [`$${caps.costUsd}`]), ...(caps.tokens === undefined ? [] : [`${caps.tokens} tokens`])].join(" or ");
    return { state: "capped", message: `the cap of ${limit} is reached` };
  }
  if (result.stoppedBy) return { state: "stopped", message: result.stoppedBy.message || result.stoppedBy.reason };
  if (result.left === 0) return { state: "done" };
  return { state: aborted ? "cancelled" : "paused" };
}

/** The verdicts that recorded members of a vote give. Rejects with an `ExpectedFailure` where their run is not there. */
export function recordedOf(prepared: PreparedRun, workspace: Parameters<typeof recordedVerdicts>[0]): Promise<Pick<MonitorContext, "recorded">> {
  return recordedVerdicts(workspace, monitorAndMembers(prepared.monitor));
}
