/** What a monitor is to the rest of the house: something that reads a trajectory and gives a verdict with quotes, never offsets or labels. */
import type { GoldLabel, Trajectory } from "#core/trajectory/model";
import type { LabelledExample } from "./examples";
import type { ReadyRule } from "./rules/own-rules";
import type { LinearModel } from "#core/training/linear-model";
import type { DetectedCategory, MonitorConfig, Prompting, TaxonomyEntry, VerdictOutcome, VerdictRecord } from "#core/workspace/schemas";

/** One question to a model. Same shape as `ModelRequest` of the protocol, which validates it where it crosses a process. */
export interface ModelCall {
  readonly monitor: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKeyEnv?: string | undefined;
  readonly system: string;
  readonly user: string;
  /** `temperature`, `top_p`, `max_tokens`, `seed`, `reasoning_effort`, `timeout_s`; others are left alone. */
  readonly params: Record<string, unknown>;
  /** Trajectories that the request shows, where it is not one. */
  readonly samples?: number | undefined;
  /** JSON Schema of the answer, asked for where the endpoint can. */
  readonly schema?: Record<string, unknown> | undefined;
}

/** What a model answered. `attempts` counts requests sent, `latencyMs` is from the first request to the last byte. */
export interface ModelAnswer {
  readonly text: string;
  /** What a reasoning model thought before it answered, where the endpoint gives it apart. */
  readonly reasoning?: string | undefined;
  /** Probability of misbehavior out of the tokens' log-probabilities, where they were asked for. */
  readonly suspicion?: number | undefined;
  /** The answer comes from the cache of earlier answers, and nothing was sent. */
  readonly cached?: boolean | undefined;
  readonly finishReason?: string | undefined;
  readonly modelReturned?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** Who offered the model, where the editor did: vendor, family, version, name. */
  readonly servedBy?: Readonly<Record<string, string>> | undefined;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  readonly attempts: number;
  readonly latencyMs: number;
}

/** A completion that failed; `reason` is what an invalid verdict will say. */
export interface ModelProblem {
  readonly reason: string;
  readonly message: string;
  readonly attempts: number;
  readonly latencyMs: number;
}

/** The way to a model. Whoever makes the port binds cancellation, keys and consent to it. Never rejects. */
export interface ModelPort {
  complete(call: ModelCall): Promise<ModelAnswer | ModelProblem>;
  /** Told of an answer that gave a usable verdict, so that it may be kept for the same question. */
  keep?(call: ModelCall, answer: ModelAnswer): void;
}

/** What a program of the user's is asked: one JSON text on its standard input. */
export interface ProgramCall {
  readonly monitor: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly timeoutMs: number;
}

/** What a program answered on its standard output. */
export interface ProgramAnswer {
  readonly text: string;
  readonly latencyMs: number;
}

/** The way to programs. Whoever makes the port binds trust and cancellation to it. Never rejects. */
export interface ProgramPort {
  run(call: ProgramCall): Promise<ProgramAnswer | ModelProblem>;
}

/** A monitor ready to run: its id, its kind, its settings, and the text of its own prompt template where it has one. */
export interface Monitor {
  readonly id: string;
  readonly kind: MonitorConfig["kind"];
  readonly config: MonitorConfig;
  /** Text of the template that `config.prompt` names; undefined means the built-in one. */
  readonly template?: string | undefined;
  /** `vote`: the monitors that `config.of` names, as far as they are there. */
  readonly members?: readonly Monitor[] | undefined;
  /** `rules`: the workspace's own rules, ready to be applied. */
  readonly ownRules?: readonly ReadyRule[] | undefined;
  /** `linear`: the model that `config.model` names, read and checked. */
  readonly linear?: LinearModel | undefined;
}

export interface MonitorContext {
  /** SHA-256 of the UTF-8 of `text`, 64 lower-case hex digits. */
  sha256(text: string): string;
  /** Milliseconds of some clock; only differences are used. */
  now(): number;
  readonly model?: ModelPort | undefined;
  readonly programs?: ProgramPort | undefined;
  readonly prompting?: Prompting | undefined;
  readonly taxonomy: readonly TaxonomyEntry[];
  readonly guidelines?: string | undefined;
  /** Whether the monitor sees reasoning parts. */
  readonly reasoning: boolean;
  /** Labelled examples to show beside this trajectory: never itself, its pair or its group. */
  examples?(trajectory: Trajectory, monitor: Monitor): readonly LabelledExample[];
  /** Hash of what the examples of a monitor are chosen from. */
  examplesSha256?(monitor: Monitor): string | undefined;
  /** Decides the order in which the halves of a pair are shown (default 0). */
  readonly seed?: number | undefined;
  /** For `recorded`: the standing verdict on this sample in the run that the monitor names, if there is one. */
  recorded?(sampleId: string, monitor: string): VerdictRecord | undefined;
}

/** What a monitor says of one trajectory; the fields are those of a verdict line (contract), written in memory names. */
export interface Verdict {
  readonly outcome: VerdictOutcome;
  readonly score?: number | undefined;
  readonly categories: readonly DetectedCategory[];
  /** Why it is invalid: `refusal`, `bad_json`, `schema`, `contradictory_answers`, `echo`, `empty`, `cut_off`, `context_length`, `timeout`, `http_error`, `network`, `too_large`, `program`, `member_invalid`, `cancelled`, `missing`, `unreadable`, `configuration`, `error`; of the editor's models also `no_model`, `no_permission`, `quota`, `model_error`. */
  readonly reason?: string | undefined;
  /** The reason in words, for people. */
  readonly message?: string | undefined;
  readonly warnings: readonly string[];
  /** Findings too weak to decide: kept for the reader, not part of the outcome. */
  readonly weakSignals?: readonly DetectedCategory[] | undefined;
  readonly raw?: string | undefined;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly cost_usd?: number } | undefined;
  readonly modelReturned?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly finishReason?: string | undefined;
  /** The model's own thinking, apart from its answer. */
  readonly thinking?: string | undefined;
  readonly cached?: boolean | undefined;
  readonly latencyMs: number;
  readonly attempts: number;
  /** Further keys of the verdict line, under the names they have on disk. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** The text a monitor would send, for consent, cost and `prompt_sha256`. `tokens` is an estimate. */
export interface PromptPreview {
  readonly system: string;
  readonly user: string;
  readonly tokens: number;
  /** Requests that it takes; more than one where a long transcript is cut. */
  readonly requests: number;
  /** Trajectories that each request shows, where it is not one: examples, the halves of a pair. */
  readonly samples?: number | undefined;
  /** The messages of the requests after the first. */
  readonly further?: readonly { readonly system: string; readonly user: string }[] | undefined;
}

/** Whether a monitor asks a model, starts a program, or opens a connection. */
export interface Needs {
  readonly model: boolean;
  readonly program: boolean;
  readonly network: boolean;
}

export interface MonitorKind {
  readonly kind: MonitorConfig["kind"];
  readonly title: string;
  /** What it takes to run a monitor of this kind. */
  needs(monitor: Monitor): Needs;
  /** A sentence when a monitor of this kind cannot run as configured; undefined when it can. */
  problem(monitor: Monitor): string | undefined;
  /** The prompting a verdict of it counts under. */
  prompting(monitor: Monitor, asked: Prompting | undefined): Prompting;
  /** The text whose hash is `prompt_sha256`: the template, or the listing of the rules. */
  promptText(monitor: Monitor, prompting: Prompting): string;
  /** Slices that it was trained on, where it is a kind that is trained. */
  trainedOn?(monitor: Monitor): readonly string[] | undefined;
  preview?(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): PromptPreview;
  run(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict>;
  /** Judges both halves of a pair at once (`contrastive`), in the order given. */
  runPair?(monitor: Monitor, pair: readonly [Trajectory, Trajectory], context: MonitorContext): Promise<readonly [Verdict, Verdict]>;
}

/** Declares a kind of monitor; exists so that a definition is type-checked where it stands. */
export function defineMonitorKind(definition: MonitorKind): MonitorKind {
  return definition;
}

/** Severities as both protocols use them. */
export const severities = ["minor", "moderate", "severe"] as const;
export type Severity = (typeof severities)[number];

/** An invalid verdict: no usable answer, so neither misbehavior nor benign. */
export function invalidVerdict(reason: string, message: string, rest: Partial<Verdict> = {}): Verdict {
  return { categories: [], warnings: [], latencyMs: 0, attempts: 0, ...rest, outcome: "invalid", reason, message };
}

export type { DetectedCategory, GoldLabel, Prompting };
