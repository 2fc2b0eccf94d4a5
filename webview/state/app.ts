/** The one object that the views share: what the host said, what the view remembers, what is open just now. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FindHit } from "#protocol/lsp";
import type { ScoreSnapshot, ToWebview } from "#protocol/webview";
import { plural, strings } from "#protocol/strings";
import type { Host } from "../host/host";
import { drawnRevision, reduceDocument, sampleIdOf, type DocumentState, type ReadyDocument } from "./document";
import { shownVerdict } from "./marks";
import { StepCache } from "./step-cache";
import { createStore, type Store } from "./store";
import { readingOrder } from "../trajectory/reading-order";
import { readViewState, viewStateFor, type ViewState } from "./view-state";

export interface FindState {
  readonly isOpen: boolean;
  readonly query: string;
  readonly caseSensitive: boolean;
  readonly hits: readonly FindHit[];
  /** May be more than `hits` holds. */
  readonly total: number;
  /** Index into `hits`, -1 before the first jump. */
  readonly current: number;
  readonly isRunning: boolean;
  /** The query is being typed already: the field keeps the caret at its end instead of selecting it. */
  readonly isTyping?: boolean | undefined;
  /** How often it was asked for: each time, the field takes the focus. */
  readonly asked?: number | undefined;
  readonly error?: string | undefined;
}

/** A selection of the reader inside one part; UTF-16 offsets of the part. */
export interface TextSelection { readonly step: number; readonly part: number; readonly start: number; readonly end: number; readonly wasCut: boolean }

/** What is shown just now and forgotten with the page. */
export interface Momentary {
  readonly find: FindState;
  readonly selection?: TextSelection | undefined;
  /** Own span whose popup is open. */
  readonly spanId?: string | undefined;
  readonly sheet?: "keys" | "guidelines" | undefined;
  readonly announcement: string;
  /** An error of the host or of a request, until it is dismissed. */
  readonly error?: string | undefined;
  /** Goes up with every change of the loaded steps. */
  readonly stepsVersion: number;
  /** Times a decision key could not be followed, with the reason. */
  readonly refusal?: string | undefined;
}

/** A place to go to: a step, or text in it. `markRef` is flashed when it is there. */
export interface JumpTarget { readonly step: number; readonly part?: number | undefined; readonly start?: number | undefined; readonly end?: number | undefined; readonly markRef?: string | undefined }

/** What the drawn transcript lets the rest of the view do with it. */
export interface TranscriptPort {
  jump(target: JumpTarget): Promise<void>;
  /** Makes a step the current one, scrolled into view. */
  showStep(step: number, focus: boolean): void;
}

export interface App {
  readonly host: Host;
  readonly doc: Store<DocumentState>;
  readonly view: Store<ViewState>;
  readonly now: Store<Momentary>;
  readonly score: Store<ScoreSnapshot | undefined>;
  steps: StepCache | undefined;
  transcript: TranscriptPort | undefined;
  /** When the drawn sample came on screen, in ms of `performance.now()`. */
  shownAt: number;
  /** Called for `view/command` and `view/reveal`; set by the trajectory view. */
  onCommand: ((message: Extract<ToWebview, { type: "view/command" | "view/reveal" }>) => void) | undefined;
}

const noFind: FindState = { isOpen: false, query: "", caseSensitive: false, hits: [], total: 0, current: -1, isRunning: false };

export const readyDocument = (app: App): ReadyDocument | undefined => {
  const doc = app.doc.get();
  return doc.phase === "ready" ? doc : undefined;
};

export function setNow(app: App, change: Partial<Momentary>): void {
  app.now.update((now) => ({ ...now, ...change }));
}

/** Says something to assistive technology. The same words twice in a row are heard twice. */
export function announce(app: App, words: string): void {
  app.now.update((now) => ({ ...now, announcement: now.announcement === words ? `${words}\u00a0` : words }));
}

/** Ops the host has not answered after this long are given up for the host's own state. */
const confirmMs = 5000;

function openSteps(app: App, doc: ReadyDocument, isGrown = false): void {
  const before = app.steps;
  before?.dispose();
  const { index, header } = doc.snapshot;
  app.steps = new StepCache(
    header?.stepCount ?? 0,
    (from, to) => app.host.request("steps/read", { index, from, to }),
    (_steps, error) => app.now.update((now) => ({ ...now, stepsVersion: now.stepsVersion + 1, error: error ?? now.error })),
    (step, part, from, to) => app.host.request("part/read", { index, step, part, from, to }),
  );
  if (isGrown && before) app.steps.takeOver(before);
}

/** Which finding is looked at is said of one verdict: another one that comes to be shown starts without. */
function followVerdict(app: App, before: ReadyDocument, after: ReadyDocument): void {
  const { runId } = app.view.get();
  const shown = ({ snapshot }: ReadyDocument) => shownVerdict(snapshot.verdicts, runId, snapshot.monitorId);
  const [old, now] = [shown(before), shown(after)];
  const isSame = old?.run.run_id === now?.run.run_id && old?.verdict.created_at === now?.verdict.created_at;
  if (!isSame) app.view.update((view) => ({ ...view, findingId: undefined, place: undefined }));
}

/** Follows a change of the document: another sample gets steps and a view state of its own. */
function followDocument(app: App, before: DocumentState, after: DocumentState): void {
  if (after.phase !== "ready") return;
  const id = sampleIdOf(after.snapshot);
  const hash = (doc: DocumentState) => (doc.phase === "ready" ? doc.snapshot.header?.contentSha256 : undefined);
  const isSame = before.phase === "ready" && sampleIdOf(before.snapshot) === id && before.snapshot.index === after.snapshot.index && hash(before) === hash(after);
  if (isSame) return followVerdict(app, before, after);
  // The same trajectory of a file that was written on: the reader stays where he is.
  if (before.phase === "ready" && sampleIdOf(before.snapshot) === id && before.snapshot.index === after.snapshot.index && after.snapshot.outline.length >= before.snapshot.outline.length) {
    return openSteps(app, after, true);
  }
  app.view.update((view) => viewStateFor(view, id, after.snapshot.index, readingOrder(after.snapshot.outline)[0] ?? 0));
  openSteps(app, after);
  app.shownAt = performance.now();
  setNow(app, { find: { ...noFind, isOpen: app.now.get().find.isOpen }, selection: undefined, spanId: undefined, refusal: undefined });
}

/** Says what a monitor found. */
function announceVerdict(app: App, doc: DocumentState): void {
  const last = doc.phase === "ready" && !doc.snapshot.blind ? doc.snapshot.verdicts.at(-1) : undefined;
  if (!last) return;
  const outcome = last.verdict.outcome === "invalid" ? strings.invalid : strings[last.verdict.outcome].toLowerCase();
  announce(app, `${outcome}, ${plural(last.quotes.length, strings.oneFinding, strings.findingsCount)}`);
}

function receive(app: App, message: ToWebview): void {
  switch (message.type) {
    case "view/command":
    case "view/reveal":
      app.onCommand?.(message);
      return;
    case "score/snapshot":
      app.score.set(message.score);
      return;
    case "score/part":
      // The score view listens to these itself.
      return;
    case "error/raised":
      setNow(app, { error: message.message });
      if (readyDocument(app)?.pending.length) app.host.post({ type: "view/snapshotWanted" });
      return;
    default: {
      const before = app.doc.get();
      const after = reduceDocument(before, message);
      if (message.type === "label/changed" && message.announce) announce(app, message.announce);
      if (message.type === "verdicts/changed") announceVerdict(app, after);
      followDocument(app, before, after);
      app.doc.set(after);
    }
  }
}

/** Asks for a snapshot when ops stay unanswered. */
function watchPending(app: App): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting = 0;
  app.doc.subscribe(() => {
    const doc = readyDocument(app);
    const first = doc?.pending[0]?.revision ?? 0;
    if (first === waiting) return;
    waiting = first;
    clearTimeout(timer);
    if (first > 0) timer = setTimeout(() => app.host.post({ type: "view/snapshotWanted" }), confirmMs);
  });
}

/** Builds the shared object and starts listening; nothing is drawn yet. */
export function createApp(host: Host, fileName: string): App {
  const app: App = {
    host,
    doc: createStore<DocumentState>({ phase: "loading", fileName }),
    view: createStore(readViewState(host.getState())),
    now: createStore<Momentary>({ find: noFind, announcement: "", stepsVersion: 0 }),
    score: createStore<ScoreSnapshot | undefined>(undefined),
    steps: undefined, transcript: undefined, onCommand: undefined, shownAt: 0,
  };
  // A hidden page is destroyed without warning: what is to be remembered is handed over at once.
  app.view.subscribe(() => host.setState(app.view.get()));
  watchPending(app);
  host.onMessage((message) => receive(app, message));
  return app;
}

export { drawnRevision };

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("No app around this component.");
  return app;
}
