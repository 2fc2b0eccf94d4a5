/** What the language client and the server say to each other beyond LSP: method names and shapes only, checked with zod at both ends. */
import * as z from "zod/mini";
import { ExtraBlock, Part, Step, Trajectory, Warning } from "#core/trajectory/model";
import { DetectedCategory, RunHeader, SampleRecord, VerdictRecord } from "#core/workspace/schemas";
import { batchRequests, BatchState } from "./batches";
import { pairRequests } from "./pairs";
import { reviewRequests } from "./review";
import { scoreRequests } from "./scores";

const text = z.string();
const optionalText = z.optional(text);

/** Where a document's bytes are: a path for the `file` scheme, base64 for schemes the server cannot read. */
export const DocumentRef = z.object({ uri: text, path: optionalText, base64: optionalText, root: optionalText, format: optionalText });
export type DocumentRef = z.infer<typeof DocumentRef>;

/** One trajectory of an opened file, as the list shows it. */
export const TrajectoryItem = z.object({
  index: z.number(), id: text, title: optionalText, label: z.optional(z.enum(["misbehavior", "benign"])),
  parent: z.optional(z.number()), problem: z.optional(Warning), sample: z.optional(SampleRecord),
});
export type TrajectoryItem = z.infer<typeof TrajectoryItem>;

/** One step as the outline shows it; `length` is UTF-16 units of all its parts, `lines` their line feeds. */
export const StepOutline = z.object({
  index: z.number(), role: Step.shape.role, label: text, length: z.number(), lines: z.number(),
  error: z.optional(z.boolean()), flags: Step.shape.flags,
});
export type StepOutline = z.infer<typeof StepOutline>;

/**
 * A part as it travels to views. A very long one comes with the beginning of its text only: then `cut` says how long it is
 * (`length` in UTF-16 units, `lines` as they are counted for people), and the rest is asked for in pieces.
 */
export const WirePart = z.extend(Part, { cut: z.optional(z.object({ length: z.number(), lines: z.number() })) });
export type WirePart = z.infer<typeof WirePart>;
/** What a block that is an image says of it (see `imageFacts`); its data is asked for by itself. */
export const ImageFacts = z.object({
  mediaType: optionalText, bytes: z.optional(z.number()), address: optionalText, alt: optionalText, problem: z.optional(z.enum(["type", "size", "missing"])),
});
export type ImageFacts = z.infer<typeof ImageFacts>;
/** A block as it travels to views: `cut` is the length in UTF-16 units of a recorded text of which only the beginning comes. */
export const WireExtra = z.extend(ExtraBlock, { cut: z.optional(z.number()), image: z.optional(ImageFacts) });
export type WireExtra = z.infer<typeof WireExtra>;
export const WireStep = z.extend(Step, { parts: z.array(WirePart), extras: z.optional(z.array(WireExtra)) });
export type WireStep = z.infer<typeof WireStep>;

/** Everything about a trajectory but its steps. */
export const TrajectoryHeader = z.object({
  ...z.omit(Trajectory, { steps: true }).shape,
  contentSha256: text, fileSha256: text, stepCount: z.number(),
  totals: z.object({ inputTokens: z.optional(z.number()), outputTokens: z.optional(z.number()), costUsd: z.optional(z.number()), characters: z.number() }),
  sample: z.optional(SampleRecord),
  /** Only the first steps of a long file have been read so far; `tracemark/grown` follows. */
  isCut: z.optional(z.boolean()),
});
export type TrajectoryHeader = z.infer<typeof TrajectoryHeader>;

/** A place found for a quote. `part` is the position in `step.parts`; `start` and `end` are UTF-16 units of that part's text. */
export const FoundPiece = z.object({ step: z.number(), part: z.number(), start: z.number(), end: z.number() });
export type FoundPiece = z.infer<typeof FoundPiece>;
/** A stretch of the comparison of a quote with the text: `added` stands in the quote only, `removed` in the text only. */
export const DiffPiece = z.object({ value: text, added: z.optional(z.boolean()), removed: z.optional(z.boolean()) });
export type DiffPiece = z.infer<typeof DiffPiece>;
export const FoundPlace = z.object({
  pieces: z.array(FoundPiece), score: z.number(), normalised: z.optional(z.boolean()), elided: z.optional(z.boolean()),
  diff: z.optional(z.array(DiffPiece)),
});
export type FoundPlace = z.infer<typeof FoundPlace>;
export const EvidenceStatus = z.enum(["exact", "near", "ambiguous", "absent"]);
export type EvidenceStatus = z.infer<typeof EvidenceStatus>;
/** One quote of a verdict and what was found of it. `places` is empty when absent; `resemblance` is never drawn. */
export const FoundQuote = z.object({
  id: text, quote: text, category: text, description: text, severity: optionalText,
  status: EvidenceStatus, places: z.array(FoundPlace), current: z.number(), resemblance: z.optional(FoundPlace),
});
export type FoundQuote = z.infer<typeof FoundQuote>;

export const MonitorInfo = z.object({
  id: text, title: text, kind: text, model: optionalText, prompting: z.optional(z.enum(["direct", "evidence", "contrastive"])),
  origin: optionalText, local: z.boolean(), problem: optionalText,
  /** Everywhere that text would go; several for a vote. `vscode-lm` stands for the models that the editor offers. */
  origins: z.optional(z.array(text)),
  /** The models of the editor's that it, or the members of its vote, ask. */
  editorModels: z.optional(z.array(text)),
  /** The only problem is that it judges the halves of pairs together: a batch can run it. */
  pairsOnly: z.optional(z.boolean()),
});
export type MonitorInfo = z.infer<typeof MonitorInfo>;

/** A verdict as the view shows it: which run it stands in, the record, and its quotes with their places. */
export const LocatedVerdict = z.object({ run: RunHeader, verdict: VerdictRecord, stale: z.boolean(), quotes: z.array(FoundQuote) });
export type LocatedVerdict = z.infer<typeof LocatedVerdict>;

/** A hit of find: part position and UTF-16 offsets. */
export const FindHit = z.object({ step: z.number(), part: z.number(), start: z.number(), end: z.number() });
export type FindHit = z.infer<typeof FindHit>;

export const ModelRequest = z.object({
  monitor: text, system: text, user: text,
  params: z.looseObject({}), schema: z.optional(z.looseObject({})),
  model: text, baseUrl: text, apiKeyEnv: optionalText, provider: text,
  /** Trajectories that it shows, where it is not one. */
  samples: z.optional(z.number()),
  /** What the monitor's own settings allow a minute. */
  limits: z.optional(z.object({ requestsPerMinute: z.optional(z.number()), tokensPerMinute: z.optional(z.number()) })),
});
export type ModelRequest = z.infer<typeof ModelRequest>;
export const ModelReply = z.object({
  text, reasoning: optionalText, suspicion: z.optional(z.number()), cached: z.optional(z.boolean()), finishReason: optionalText, modelReturned: optionalText, fingerprint: optionalText,
  servedBy: z.optional(z.record(text, text)),
  usage: z.optional(z.object({ inputTokens: z.number(), outputTokens: z.number() })), attempts: z.number(), latencyMs: z.number(),
});
export type ModelReply = z.infer<typeof ModelReply>;
/** A completion that failed: `reason` is the contract's reason of an invalid verdict. */
export const ModelFailure = z.object({ reason: text, message: text, attempts: z.number(), latencyMs: z.number() });
export type ModelFailure = z.infer<typeof ModelFailure>;

/** Settings the server works with; sent at start and whenever they change. */
export const ServerSettings = z.object({
  includeReasoning: z.boolean(), monitors: z.record(text, z.unknown()), maxFileSizeMB: z.number(), trusted: z.boolean(),
});
export type ServerSettings = z.infer<typeof ServerSettings>;

/** One trajectory of a document. With `beginning` an answer from its first steps will do while no more has been read. */
const window = { document: DocumentRef, index: z.number(), beginning: z.optional(z.boolean()) };

/** Requests from the client to the server: method to [params, result]. */
export const requests = {
  ...reviewRequests, ...batchRequests, ...pairRequests, ...scoreRequests,
  "tracemark/open": {
    params: DocumentRef,
    result: z.object({ format: text, formatTitle: text, items: z.array(TrajectoryItem), warnings: z.array(Warning), fileSha256: text }),
  },
  /** Every reader with how sure it is that the document is of its format (0 to 1), the likeliest first. */
  "tracemark/formats": { params: DocumentRef, result: z.object({ formats: z.array(z.object({ id: text, title: text, score: z.number() })), current: text }) },
  "tracemark/header": { params: z.object(window), result: TrajectoryHeader },
  "tracemark/steps": {
    /** Parts longer than `longest` UTF-16 units come cut; left out, all come whole. */
    params: z.object({ ...window, from: z.number(), to: z.number(), longest: z.optional(z.number()) }),
    result: z.object({ steps: z.array(WireStep) }),
  },
  /** A stretch of a part's text, in UTF-16 units; `part` is its position in the step. */
  "tracemark/part": {
    params: z.object({ document: DocumentRef, index: z.number(), step: z.number(), part: z.number(), from: z.number(), to: z.number() }),
    result: z.object({ text }),
  },
  /** The data of the image that a step's block holds; without it where there is none that may be drawn. `extra` is its position. */
  "tracemark/image": {
    params: z.object({ document: DocumentRef, index: z.number(), step: z.number(), extra: z.number() }),
    result: z.object({ mediaType: optionalText, base64: optionalText }),
  },
  "tracemark/outline": { params: z.object(window), result: z.object({ outline: z.array(StepOutline) }) },
  "tracemark/find": {
    params: z.object({ document: DocumentRef, index: z.number(), query: text, caseSensitive: z.boolean(), limit: z.number() }),
    result: z.object({ hits: z.array(FindHit), total: z.number() }),
  },
  /** Offsets of a step's record in its file: bytes, or the decoded text of the record where it has no place of its own. */
  "tracemark/place": {
    params: z.object({ document: DocumentRef, index: z.number(), step: z.number() }),
    result: z.object({
      /** Absolute path, where the record stands in another file than the document: a manifest's sample, a child's own file. */
      file: optionalText,
      line: z.optional(z.number()), column: z.optional(z.number()), endLine: z.optional(z.number()), endColumn: z.optional(z.number()),
      /** Set when the record is to be opened as a virtual document: its text and its position in words. */
      virtual: z.optional(z.object({ name: text, text, position: text })),
    }),
  },
  "tracemark/monitors": { params: z.object({ root: optionalText }), result: z.object({ monitors: z.array(MonitorInfo), warnings: z.array(Warning) }) },
  /** Runs a monitor on one trajectory and writes its run file; progress by `$/progress`, cancel by the request. */
  "tracemark/runMonitor": {
    params: z.object({ document: DocumentRef, index: z.number(), monitor: text, token: optionalText }),
    result: z.object({ run: RunHeader, verdict: VerdictRecord }),
  },
  /** What would be sent: for consent and for *show what the monitor sees*. */
  "tracemark/preview": {
    /** With `run` what the monitor of that run was sent about the sample. */
    params: z.object({ document: DocumentRef, index: z.number(), monitor: text, run: optionalText }),
    result: z.object({
      /** `further`: the messages of the requests after the first, of a transcript that is cut. */
      system: text, user: text, further: z.optional(z.array(z.object({ system: text, user: text }))), origin: optionalText, tokens: z.number(),
      /** Of a run: what has changed since, so that this is not certainly what was sent; and the answer. */
      notes: z.array(text), answer: optionalText, thinking: optionalText,
    }),
  },
  /** All recorded verdicts of the workspace for this sample, newest last. */
  "tracemark/verdicts": { params: z.object(window), result: z.object({ verdicts: z.array(LocatedVerdict) }) },
  "tracemark/locate": {
    params: z.object({ document: DocumentRef, index: z.number(), categories: z.array(DetectedCategory) }),
    result: z.object({ quotes: z.array(FoundQuote) }),
  },
  /** The file (absolute path) that holds a sample, and the trajectory's index in it. */
  "tracemark/sampleFile": { params: z.object({ root: text, sampleId: text }), result: z.object({ file: optionalText, record: z.optional(z.number()) }) },
  "tracemark/score": { params: z.object({ root: text, labels: z.enum(["all", "blind"]) }), result: z.object({ original: z.looseObject({}), corrected: z.looseObject({}), corrections: z.number(), warnings: z.array(Warning) }) },
} as const;

/** Requests from the server to the client. */
export const clientRequests = {
  "tracemark/complete": { params: ModelRequest, result: z.union([ModelReply, ModelFailure]) },
} as const;

/** Notifications: from the client when documents and the workspace change, from the server for progress. */
export const notifications = {
  "tracemark/opened": z.object({ document: DocumentRef }),
  "tracemark/changed": z.object({ document: DocumentRef }),
  "tracemark/closed": z.object({ uri: text }),
  "tracemark/workspaceChanged": z.object({ root: text }),
  "tracemark/settings": ServerSettings,
  /** From the server: all of a long file has been read, of which the first records were answered before. */
  "tracemark/grown": z.object({ uri: text }),
  /** From the server: how a run over many samples is getting on, a few times a second, and how it ended. */
  "tracemark/batch": BatchState,
  "tracemark/progress": z.object({ token: text, message: text, fraction: z.optional(z.number()) }),
} as const;

export type RequestMethod = keyof typeof requests;
export type RequestParams<M extends RequestMethod> = z.infer<(typeof requests)[M]["params"]>;
export type RequestResult<M extends RequestMethod> = z.infer<(typeof requests)[M]["result"]>;
