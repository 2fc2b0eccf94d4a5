/** Everything that may cross between the extension host and a view, as two discriminated unions; both ends check with zod. */
import * as z from "zod/mini";
import { GoldWords } from "#core/labels/gold-words";
import { LabelState, Op, ViewSpan } from "#core/labels/state";
import { Warning } from "#core/trajectory/model";
import { FieldKind, LabelValue, TaxonomyEntry } from "#core/workspace/schemas";
import { Disagreement, SampleSelection, ScoreGold, ScorePart } from "./scores";
import { FindHit, LocatedVerdict, MonitorInfo, StepOutline, TrajectoryHeader, TrajectoryItem, WireStep } from "./lsp";

const text = z.string();

/** pending: no record and no edit; draft: edits not submitted; saving; saved: on disk; failed: not on disk, in `message`. */
export const SaveStatus = z.object({
  state: z.enum(["pending", "draft", "saving", "saved", "failed"]),
  at: z.optional(text), message: z.optional(text),
});
export type SaveStatus = z.infer<typeof SaveStatus>;

export const Settings = z.object({
  advance: z.enum(["next", "ask", "stay"]), density: z.enum(["comfortable", "compact"]), showReasoning: z.boolean(), renderMarkdown: z.boolean(), follow: z.optional(z.boolean()),
});
export type Settings = z.infer<typeof Settings>;

/** One side of a disagreement, without a name while names are hidden. */
export const SessionSide = z.object({
  letter: text, annotator: z.optional(text), label: z.nullable(LabelValue), categories: z.array(text), note: z.optional(text), spans: z.array(ViewSpan),
  /** The label after a reveal, where it was changed. */
  changedTo: z.optional(z.nullable(LabelValue)),
});
export type SessionSide = z.infer<typeof SessionSide>;

/** A review session: where one is in it, what is withheld, what can be done. */
export const Session = z.object({
  kind: z.enum(["plan", "adjudication", "again"]), name: text, position: z.number(), total: z.number(),
  decided: z.number(), unsure: z.number(), skipped: z.number(),
  /** Labels made on another version of their log: to do again. */
  stale: z.optional(z.number()),
  /** `hidden`: the item is judged blind; `canReveal`: it is decided, and what was withheld may be looked at; `revealed`: it was. */
  sight: z.enum(["open", "hidden", "canReveal", "revealed"]),
  /** Why labels of this session are not called blind, where that may surprise. */
  note: z.optional(text),
  /** State of this item where it is more than its label says. */
  state: z.optional(z.enum(["skipped"])),
  sides: z.optional(z.array(SessionSide)), disagreement: z.optional(z.array(text)), gold: z.optional(text), guidelineQuote: z.optional(text),
});
export type Session = z.infer<typeof Session>;

/** What is to be said of a label made on another version of the log (`isStale`, or carried over without its decision), and spans that are gone. */
export const Kept = z.object({
  isStale: z.boolean(), label: z.nullable(LabelValue),
  /** Spans that a carry-over finds where they were, and elsewhere. */
  exact: z.number(), moved: z.number(),
  orphans: z.array(z.object({ step: z.number(), exact: text, category: z.optional(text), note: z.optional(text) })),
});
export type Kept = z.infer<typeof Kept>;

/** A question of the workspace's own. */
export const FieldQuestion = z.object({ id: text, title: text, kind: FieldKind, choices: z.optional(z.array(text)), key: z.optional(text) });
export type FieldQuestion = z.infer<typeof FieldQuestion>;

/** What the view draws of a sample. Steps are read by range; nothing large travels here. */
export const Snapshot = z.object({
  fileName: text, format: text, formatTitle: text,
  items: z.array(TrajectoryItem), index: z.number(),
  header: z.optional(TrajectoryHeader), outline: z.array(StepOutline),
  fileWarnings: z.array(Warning),
  revision: z.number(), label: LabelState, status: SaveStatus, annotator: z.optional(text),
  /** This annotator's standing label for each item that has one, by item index, for the list beside the transcript. */
  labelled: z.array(z.object({ index: z.number(), label: z.nullable(LabelValue) })),
  monitors: z.array(MonitorInfo), monitorId: text,
  verdicts: z.array(LocatedVerdict), blind: z.boolean(),
  taxonomy: z.array(TaxonomyEntry), settings: Settings,
  serverDown: z.boolean(), trusted: z.boolean(),
  /** How many samples of the root (or of the queue) have a decision of this annotator; left out, the view counts the file's own. */
  progress: z.optional(z.object({ decided: z.number(), total: z.number() })),
  session: z.optional(Session), fields: z.optional(z.array(FieldQuestion)), hasGuidelines: z.optional(z.boolean()),
  kept: z.optional(Kept),
  /** The gold over all annotators; left out while others' labels are not to be shown. */
  gold: z.optional(GoldWords),
});
export type Snapshot = z.infer<typeof Snapshot>;

export const ViewCommand = z.enum([
  "step/next", "step/previous", "evidence/next", "evidence/previous", "sample/next", "sample/previous", "sample/nextUndecided",
  "decide/confirm", "decide/benign", "decide/misbehavior", "decide/unsure", "decide/cannot_judge",
  "category/1", "category/2", "category/3", "category/4", "category/5", "category/6", "category/7", "category/8", "category/9",
  "span/fromSelection", "span/adopt", "span/delete", "note/edit", "step/fold", "step/showInFile", "step/source", "monitor/run", "find/open", "keys/show", "findings/toggle",
  "outline/toggle", "guidelines/show", "span/copyReference", "evidence/current",
  "span/pick", "span/pickBack", "span/endOn", "span/endBack", "span/startOn", "span/startBack", "span/next", "span/edit",
  "session/skip", "session/reveal", "side/1", "side/2", "label/carry", "prompt/show",
]);
export type ViewCommand = z.infer<typeof ViewCommand>;

export const Decision = z.enum(["confirm", "benign", "misbehavior", "unsure", "cannot_judge"]);
export type Decision = z.infer<typeof Decision>;

export const ToWebview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("doc/snapshot"), snapshot: Snapshot }),
  /** First paint, before the file is read. */
  z.object({ type: z.literal("doc/loading"), fileName: text, message: z.optional(text) }),
  z.object({ type: z.literal("doc/failed"), fileName: text, message: text, remedy: z.optional(text) }),
  /** The label state after an op, undo, redo, save or revert, for every view of the document. A gap in revisions means: ask for a snapshot. */
  z.object({ type: z.literal("label/changed"), sampleId: text, revision: z.number(), label: LabelState, status: SaveStatus, announce: z.optional(text), labelled: Snapshot.shape.labelled, progress: Snapshot.shape.progress, session: Snapshot.shape.session, kept: Snapshot.shape.kept, gold: Snapshot.shape.gold }),
  z.object({ type: z.literal("verdicts/changed"), sampleId: text, verdicts: z.array(LocatedVerdict) }),
  z.object({ type: z.literal("monitors/changed"), monitors: z.array(MonitorInfo), monitorId: text }),
  z.object({ type: z.literal("monitor/progress"), state: z.enum(["running", "done", "failed", "cancelled"]), message: text, fraction: z.optional(z.number()) }),
  z.object({ type: z.literal("settings/changed"), settings: Settings, annotator: z.optional(text), serverDown: z.boolean(), trusted: z.boolean() }),
  z.object({ type: z.literal("view/command"), command: ViewCommand }),
  z.object({ type: z.literal("view/reveal"), step: z.number(), part: z.optional(z.number()), start: z.optional(z.number()), end: z.optional(z.number()) }),
  z.object({ type: z.literal("reply"), id: z.number(), ok: z.boolean(), result: z.optional(z.unknown()), error: z.optional(text) }),
  z.object({ type: z.literal("error/raised"), message: text }),
  z.object({ type: z.literal("score/snapshot"), score: z.lazy(() => ScoreSnapshot) }),
  /** A part that the score view asked for: its report, or in `message` why there is none. */
  z.object({ type: z.literal("score/part"), part: ScorePart, gold: ScoreGold, runs: z.array(text), report: z.optional(z.looseObject({})), notes: z.array(text), message: z.optional(text) }),
]);
export type ToWebview = z.infer<typeof ToWebview>;

/** The score view: the objects that `tracemark score --gold both --json` prints, and what to call them. */
export const ScoreSnapshot = z.object({
  workspace: text, original: z.looseObject({}), corrected: z.looseObject({}), labels: z.enum(["all", "blind"]),
  warnings: z.array(Warning), updatedAt: text, runId: z.optional(text),
  /** Samples whose label people overturned. */
  corrections: z.optional(z.number()),
});
export type ScoreSnapshot = z.infer<typeof ScoreSnapshot>;

/** Requests a view makes by range or query; the host answers with `reply`. */
export const viewRequests = {
  "steps/read": { params: z.object({ index: z.number(), from: z.number(), to: z.number() }), result: z.object({ steps: z.array(WireStep) }) },
  /** A stretch of the text of a part that came cut, in UTF-16 units. */
  "part/read": { params: z.object({ index: z.number(), step: z.number(), part: z.number(), from: z.number(), to: z.number() }), result: z.object({ text }) },
  /** The data of an image that the file holds, for the moment it is to be drawn. */
  "image/read": { params: z.object({ index: z.number(), step: z.number(), extra: z.number() }), result: z.object({ mediaType: z.optional(text), base64: z.optional(text) }) },
  "find/run": {
    params: z.object({ index: z.number(), query: text, caseSensitive: z.boolean() }),
    result: z.object({ hits: z.array(FindHit), total: z.number() }),
  },
  /** The workspace's own guidelines, where it has any. */
  "guidelines/read": { params: z.object({}), result: z.object({ file: z.optional(text), markdown: z.optional(text) }) },
} as const;
export type ViewRequestMethod = keyof typeof viewRequests;

export const FromWebview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("view/ready") }),
  z.object({ type: z.literal("view/snapshotWanted") }),
  z.object({ type: z.literal("request"), id: z.number(), method: z.enum(["steps/read", "part/read", "image/read", "find/run", "guidelines/read"]), params: z.unknown() }),
  /**
   * One op of the annotator on the drawn sample. The host refuses another sample's. `revision` is the last confirmed
   * revision plus the ops that this view sent since: the host adds exactly 1 for each op it accepts, so the op became
   * revision + 1. A refused op is answered by `label/changed` with the state as it stands and an unchanged revision.
   */
  z.object({ type: z.literal("edit/apply"), sampleId: text, revision: z.number(), op: Op }),
  z.object({ type: z.literal("decision/submit"), sampleId: text, revision: z.number(), decision: Decision, categories: z.array(text), seconds: z.optional(z.number()) }),
  /** What is done with the drawn item of a session beside deciding it; `side` sides with that letter. */
  z.object({ type: z.literal("session/act"), sampleId: text, revision: z.number(), act: z.enum(["skip", "reveal", "side"]), letter: z.optional(text) }),
  /** The sentence of the guidelines that decides the item in hand. */
  z.object({ type: z.literal("guidelines/quote"), sampleId: text, quote: text }),
  z.object({ type: z.literal("guidelines/open") }),
  /** Carries a label made on another version of the log over to this one. */
  z.object({ type: z.literal("label/carry"), sampleId: text, revision: z.number() }),
  z.object({ type: z.literal("label/retry"), sampleId: text }),
  /** The save key was pressed in the page; the edits before it are on their way. */
  z.object({ type: z.literal("label/save") }),
  z.object({ type: z.literal("label/copy"), sampleId: text }),
  z.object({ type: z.literal("sample/select"), index: z.number() }),
  z.object({ type: z.literal("monitor/select"), monitorId: text }),
  z.object({ type: z.literal("monitor/run"), monitorId: text }),
  z.object({ type: z.literal("monitor/cancel") }),
  z.object({ type: z.literal("place/show"), step: z.number() }),
  /** The file itself, where it could not be read as a trajectory. */
  z.object({ type: z.literal("file/openAsText") }),
  z.object({ type: z.literal("link/open"), href: text }),
  z.object({ type: z.literal("text/copy"), text }),
  /** What a monitor would be sent, or with `runId` what it was sent in that run. */
  z.object({ type: z.literal("prompt/show"), monitorId: text, runId: z.optional(text) }),
  z.object({ type: z.literal("server/restart") }),
  z.object({ type: z.literal("score/open") }),
  /** Which labels count, and which run is looked at. */
  z.object({ type: z.literal("score/options"), labels: z.optional(z.enum(["all", "blind"])), runId: z.optional(text) }),
  /** The part that is looked at from now on, which is kept current; `null`: none, and what is being worked out is given up. */
  z.object({ type: z.literal("score/partWanted"), part: z.nullable(ScorePart), gold: ScoreGold, runs: z.array(text) }),
  /** Shows samples in the review queue under a title: those that a selection counts, or those that are named. */
  z.object({ type: z.literal("score/samples"), title: text, gold: ScoreGold, selection: z.optional(SampleSelection), disagreement: z.optional(Disagreement), ids: z.optional(z.array(text)), runId: z.optional(text) }),
  /** Saves what is drawn to a file that the host asks for; a PNG comes as base64. */
  z.object({ type: z.literal("score/export"), name: text, kind: z.enum(["svg", "png", "csv"]), content: text }),
  /** The host asks for a file with published rates, or with `forget` takes them away. */
  z.object({ type: z.literal("score/reference"), forget: z.optional(z.boolean()) }),
  z.object({ type: z.literal("sample/open"), sampleId: text }),
  /** The host asks which file. */
  z.object({ type: z.literal("trajectory/open") }),
  z.object({ type: z.literal("history/undo") }),
  z.object({ type: z.literal("history/redo") }),
  /** Whether single keys are commands now: false while a text field of the view has the focus. */
  z.object({ type: z.literal("view/focus"), keysActive: z.boolean() }),
  z.object({ type: z.literal("error/raised"), message: text }),
]);
export type FromWebview = z.infer<typeof FromWebview>;
