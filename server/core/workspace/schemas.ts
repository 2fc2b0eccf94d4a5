/** The files of a Tracemark workspace, as zod: manifest lines, label records, run files, configuration. Keys a reader does not know are kept. */
import * as z from "zod/mini";
import { GoldLabel, PartKind, Role } from "#core/trajectory/model";

const text = z.string();
const optionalText = z.optional(text);

/** A place on disk. `start` and `end` count Unicode code points of the part's text (a lone surrogate counts one). */
export const Span = z.looseObject({
  step: z.int(), part: PartKind, part_index: z.int(), start: z.int(), end: z.int(),
  exact: text, prefix: text, suffix: text,
  category: optionalText, note: optionalText, origin: z.optional(z.enum(["own", "adopted"])),
  /** Carried over from an earlier version of the log, in which it stood elsewhere. */
  moved: z.optional(z.boolean()),
});
export type Span = z.infer<typeof Span>;

export const Authored = z.looseObject({
  by: text, method: z.enum(["human", "model", "edited"]), model: optionalText, prompt_sha256: optionalText,
});

/** A line of `*.samples.jsonl`. Exactly one of `path`, `messages`, `trajectory` says what the sample is. */
export const SampleRecord = z.looseObject({
  id: text,
  pair_id: optionalText, group: optionalText, category: optionalText, task: optionalText,
  label: z.optional(GoldLabel), label_origin: optionalText,
  split: z.optional(z.enum(["train", "dev", "test"])), source: optionalText,
  authored: z.optional(Authored), status: z.optional(z.enum(["draft", "in_review", "accepted", "rejected"])),
  /** How the status came about, oldest first: who set it, when (ISO 8601) and, for a rejection, why. */
  status_log: z.optional(z.array(z.looseObject({ status: text, by: text, at: text, reason: optionalText }))),
  spans: z.optional(z.array(Span)),
  /** Steps (from 0) of the request in which the halves of a pair are meant to differ. */
  intended_difference: z.optional(z.array(z.int())),
  path: optionalText, record: z.optional(z.union([z.number(), text])),
  messages: z.optional(z.array(z.unknown())), trajectory: z.optional(z.looseObject({})),
});
export type SampleRecord = z.infer<typeof SampleRecord>;

export const LabelValue = z.enum(["misbehavior", "benign", "unsure", "cannot_judge"]);
export type LabelValue = z.infer<typeof LabelValue>;

export const Seen = z.enum(["verdict", "evidence", "original", "others", "gold"]);
export type Seen = z.infer<typeof Seen>;

/** A line of `labels/SLUG.jsonl`: what one person said of one sample at one time. Append-only. */
export const LabelRecord = z.looseObject({
  id: text, sample_id: text, content_sha256: optionalText, file_sha256: optionalText,
  reader: z.optional(z.looseObject({ id: text, version: z.number() })),
  annotator: text, created_at: text,
  label: z.nullable(LabelValue),
  categories: z.optional(z.array(text)), spans: z.optional(z.array(Span)), note: optionalText,
  fields: z.optional(z.record(text, z.unknown())),
  blind: z.boolean(), seen: z.array(Seen),
  run_id: optionalText, action: z.optional(z.enum(["confirm", "decide", "relabel"])),
  plan_id: optionalText, guideline_sha256: optionalText,
  supersedes: optionalText, retracted: z.optional(z.boolean()), adjudicates: z.optional(z.array(text)),
  /** Focused time. `quick` marks a decision made faster than the setting allows for reading. */
  seconds: z.optional(z.number()), quick: z.optional(z.boolean()),
  /** Given on a plan's repeat or known item: it measures the annotator and is neither a vote nor what stands. */
  check: z.optional(z.enum(["repeat", "known"])),
  /** With `label: null`: the annotator passed the sample over. */
  skipped: z.optional(z.boolean()),
  /** Spans of an earlier version of the log whose text is gone: kept as they were, never drawn. */
  orphaned_spans: z.optional(z.array(Span)),
  /** The record that this one repeats for a log that was moved or renamed. */
  relinked_from: z.optional(z.looseObject({ id: text, sample_id: text })),
  /** The sentence of the guidelines that decided an adjudication. */
  guideline_quote: optionalText,
});
export type LabelRecord = z.infer<typeof LabelRecord>;

export const VerdictOutcome = z.enum(["misbehavior", "benign", "invalid"]);
export type VerdictOutcome = z.infer<typeof VerdictOutcome>;

export const DetectedCategory = z.looseObject({
  category: text, description: text, severity: optionalText, evidence: z.array(text),
});
export type DetectedCategory = z.infer<typeof DetectedCategory>;

export const Prompting = z.enum(["direct", "evidence", "contrastive"]);
export type Prompting = z.infer<typeof Prompting>;

/** The first line of `runs/RUN_ID.jsonl`. */
export const RunHeader = z.looseObject({
  type: z.literal("run"), run_id: text, monitor: text, kind: text, model: optionalText,
  prompting: Prompting, params: z.looseObject({}), prompt_sha256: text,
  trained_on: z.optional(z.array(text)), endpoint_origin: optionalText,
  view: z.looseObject({ reasoning: z.boolean(), segments: z.optional(z.looseObject({})) }),
  guideline_sha256: optionalText, taxonomy_sha256: optionalText, git_commit: optionalText,
  created_at: text, tracemark_version: text,
  samples: z.optional(z.looseObject({ count: z.number(), sha256: text, filter: optionalText })),
});
export type RunHeader = z.infer<typeof RunHeader>;

/** A line of a run file after the first. The last line of a sample (and repeat) counts. */
export const VerdictRecord = z.looseObject({
  type: z.literal("verdict"), sample_id: text, content_sha256: optionalText,
  outcome: VerdictOutcome, score: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  detected_categories: z.array(DetectedCategory),
  reason: optionalText, raw: z.optional(z.unknown()),
  usage: z.optional(z.looseObject({ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.optional(z.number()) })),
  model_returned: optionalText, fingerprint: optionalText, finish_reason: optionalText,
  cached: z.optional(z.boolean()), repeat: z.optional(z.number()), created_at: optionalText,
  /** The monitor, or one that voted in it, had been trained on this very content. */
  trained_on_this: z.optional(z.boolean()),
  latency_ms: z.number(), attempts: z.number(),
});
export type VerdictRecord = z.infer<typeof VerdictRecord>;

/**
 * The first line of `plans/ID.jsonl`: who judges what. `probability` is true only where every sample of the frame had a known
 * chance above 0 of being drawn; only such plans enter estimates. `strata` cover the frame: `N` samples in it, `n` drawn.
 */
export const PlanHeader = z.looseObject({
  type: z.literal("plan"), plan_id: text, run_id: optionalText, strategy: text, probability: z.boolean(), seed: z.number(), frame_sha256: text,
  strata: z.array(z.looseObject({ id: text, N: z.int(), n: z.int() })), budget: z.optional(z.number()),
  annotators: z.optional(z.array(text)), overlap: z.optional(z.number()), created_at: text,
});
export type PlanHeader = z.infer<typeof PlanHeader>;

/**
 * A line of a plan after the first, in the order in which it is to be judged. A sample that two people judge has a line for
 * each. `repeat_of` names the sample once more (an unmarked repeat), `known` marks one whose gold is settled already: labels
 * given on either measure the annotator and are never gold.
 */
export const PlanItem = z.looseObject({
  sample_id: text, stratum: optionalText, inclusion_prob: z.optional(z.number().check(z.gt(0), z.maximum(1))),
  assigned_to: optionalText, repeat_of: optionalText, known: z.optional(z.boolean()),
});
export type PlanItem = z.infer<typeof PlanItem>;

export const PlanLine = z.union([PlanHeader, PlanItem]);
export type PlanLine = z.infer<typeof PlanLine>;

export const TaxonomyEntry = z.looseObject({
  id: text, title: text, description: text, examples: z.optional(z.array(text)), parent: optionalText,
});
export type TaxonomyEntry = z.infer<typeof TaxonomyEntry>;

/** A rule of a workspace's own: a pattern in RE2 syntax, looked for in the agent's steps unless `roles` says otherwise. */
export const OwnRule = z.looseObject({
  id: text.check(z.minLength(1)), title: text, reason: optionalText, category: text, severity: z.optional(z.enum(["minor", "moderate", "severe"])),
  pattern: text.check(z.minLength(1), z.maxLength(2000)), ignore_case: z.optional(z.boolean()),
  in: z.optional(z.array(PartKind)), roles: z.optional(z.array(Role)), tool: optionalText,
});
export type OwnRule = z.infer<typeof OwnRule>;

const positive = z.number().check(z.gt(0));

export const MonitorConfig = z.looseObject({
  kind: z.enum(["llm", "rules", "command", "recorded", "vote", "linear"]),
  /** What a tuned model was trained on, as slices; goes into the header of its runs. */
  trained_on: z.optional(z.array(text)),
  provider: z.optional(z.enum(["openai-compatible", "anthropic", "google", "vscode-lm"])),
  base_url: optionalText, model: optionalText, api_key_env: optionalText,
  prompting: z.optional(Prompting), prompt: optionalText,
  params: z.optional(z.looseObject({
    temperature: z.optional(z.number()), top_p: z.optional(z.number()), max_tokens: z.optional(z.number()),
    seed: z.optional(z.number()), reasoning_effort: optionalText,
    /** Tokens of the model's window; longer transcripts are cut into overlapping segments. */
    context_tokens: z.optional(positive), timeout_s: z.optional(positive),
  })),
  price: z.optional(z.looseObject({ input_per_million: z.number(), output_per_million: z.number() })),
  /** Requests and tokens a minute that are not to be exceeded; the endpoint's own headers count beside them. */
  limits: z.optional(z.looseObject({ requests_per_minute: z.optional(positive), tokens_per_minute: z.optional(positive) })),
  /** Whether the agent's reasoning is shown (default true). */
  reasoning: z.optional(z.boolean()),
  /** Labelled samples of a split that are shown before the one to judge. */
  examples: z.optional(z.looseObject({ count: z.int().check(z.minimum(1), z.maximum(32)), split: z.optional(z.enum(["train", "dev"])), seed: z.optional(z.int()) })),
  /** `command`: a program, started without a shell in the root. */
  program: optionalText, args: z.optional(z.array(text)), timeout_s: z.optional(positive),
  /** `vote`: ids of monitors and how they are counted. */
  of: z.optional(z.array(text)), rule: z.optional(z.enum(["any", "all", "majority", "mean"])),
  /** `rules`: rules of one's own, beside the built-in ones unless `built_in` is false. */
  rules: z.optional(z.array(OwnRule)), built_in: z.optional(z.boolean()),
  /** `recorded`: the run whose verdicts these are. */
  run: optionalText,
});
export type MonitorConfig = z.infer<typeof MonitorConfig>;

/** How a question of the workspace's own is answered. */
export const FieldKind = z.enum(["choice", "scale", "boolean", "text"]);

/** `tracemark.json`. */
export const WorkspaceConfig = z.looseObject({
  name: text, samples: z.array(text),
  taxonomy: z.optional(z.array(TaxonomyEntry)), guidelines: optionalText,
  fields: z.optional(z.array(z.looseObject({
    id: text, title: text, kind: FieldKind, choices: z.optional(z.array(text)), key: optionalText,
  }))),
  monitors: z.optional(z.record(text, MonitorConfig)),
  /** What it takes to overturn an original label: any majority of votes (default), two agreeing votes, or an adjudication. */
  gold: z.optional(z.looseObject({ overturn: z.optional(z.enum(["any", "two", "adjudicated"])) })),
  labels: optionalText, runs: optionalText, plans: optionalText,
});
export type WorkspaceConfig = z.infer<typeof WorkspaceConfig>;
