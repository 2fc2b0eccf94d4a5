/** A host without an editor: trajectories in memory, labels with undo, a monitor that answers what it was given. For development and tests. */
import { applyOp, emptyLabelState, type LabelState, type Op } from "#core/labels/state";
import type { Step } from "#core/trajectory/model";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import { imageData, imageFacts } from "#core/trajectory/image";
import type { FindHit, LocatedVerdict, MonitorInfo, StepOutline, TrajectoryHeader, TrajectoryItem, WireStep } from "#protocol/lsp";
import { FromWebview, ToWebview, type SaveStatus, type ScoreSnapshot, type Settings, type Snapshot } from "#protocol/webview";
import type { ScoreGold, ScorePart } from "#protocol/scores";
import type { Host } from "./host";
import { Requester } from "./rpc";

/** One trajectory of a page for development. */
export interface DevTrajectory {
  readonly id: string;
  readonly title?: string;
  readonly label?: "misbehavior" | "benign";
  readonly header?: Partial<TrajectoryHeader>;
  readonly steps: readonly Step[];
  readonly verdicts?: readonly LocatedVerdict[];
  readonly own?: LabelState;
}

export interface DevFile {
  readonly fileName: string;
  readonly formatTitle: string;
  readonly trajectories: readonly DevTrajectory[];
  readonly blind?: boolean;
  readonly monitorId?: string;
  readonly settings?: Partial<Settings>;
  readonly warnings?: Snapshot["fileWarnings"];
  readonly serverDown?: boolean;
  /** What a snapshot has beside or in place of the rest: a review session, questions. */
  readonly snapshot?: Partial<Snapshot>;
  /** The workspace's guidelines. */
  readonly guidelines?: string;
  /** Sent in the place of a snapshot. */
  readonly message?: ToWebview;
  readonly score?: ScoreSnapshot;
  /** Answers what the score view asks for when it looks closer. */
  readonly scorePart?: (part: ScorePart, gold: ScoreGold, runs: readonly string[]) => Record<string, unknown>;
}

interface Labelled { state: LabelState; revision: number; undo: Op[]; redo: Op[]; status: SaveStatus }

const defaults: Settings = { advance: "stay", density: "comfortable", showReasoning: true, renderMarkdown: true };
const now = () => new Date().toISOString();

function outlineOf(step: Step): StepOutline {
  const text = step.parts.find((part) => part.text !== "")?.text ?? "";
  const call = step.parts.find((part) => part.kind === "tool_call");
  const label = call ? `${call.toolName ?? "tool"} ${call.text.slice(0, 60)}` : text.slice(0, 80);
  return {
    index: step.index, role: step.role, label: label.replace(/\s+/g, " ").trim(), length: step.parts.reduce((sum, part) => sum + part.text.length, 0),
    lines: step.parts.reduce((sum, part) => sum + part.text.split("\n").length - 1, 0), error: step.parts.some((part) => part.isError) || undefined, flags: step.flags,
  };
}

/** Long parts travel as they do between the language server and a view: their beginning first. */
const longestPart = 200_000;

function cutStep(whole: Step): WireStep {
  const extras = whole.extras?.map((extra) => ({ ...extra, raw: extra.raw.slice(0, 20_000), ...(extra.raw.length > 20_000 ? { cut: extra.raw.length } : {}), image: imageFacts(extra) }));
  const step: WireStep = extras ? { ...whole, extras } : whole;
  if (step.parts.every((part) => part.text.length <= longestPart)) return step;
  const cut = (text: string) => ({ length: text.length, lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0) });
  return { ...step, parts: step.parts.map((part) => (part.text.length > longestPart ? { ...part, text: part.text.slice(0, longestPart), cut: cut(part.text) } : part)) };
}

export class BrowserHost implements Host {
  readonly ownsKeys = true;
  /** Everything the view said, oldest first. */
  readonly posted: FromWebview[] = [];
  private readonly listeners = new Set<(message: ToWebview) => void>();
  private readonly requester = new Requester((message) => this.post(message));
  private readonly labels = new Map<number, Labelled>();
  private readonly outlines = new Map<number, StepOutline[]>();
  private index = 0;
  private cancelled = false;
  private monitorId: string;
  /** When set, saving fails with these words. */
  failSaving: string | undefined;
  /** When set, edits are taken and never confirmed. */
  isDeaf = false;

  constructor(private readonly file: DevFile, private readonly storageKey = "tracemark-dev") {
    this.monitorId = file.monitorId ?? "rules";
  }

  private trajectory = () => this.file.trajectories[this.index];

  private labelled(index = this.index): Labelled {
    let entry = this.labels.get(index);
    const own = this.file.trajectories[index]?.own;
    if (!entry) this.labels.set(index, (entry = { state: own ?? emptyLabelState, revision: 0, undo: [], redo: [], status: { state: own?.label ? "saved" : "pending", ...(own?.label ? { at: now() } : {}) } }));
    return entry;
  }

  private monitors = (): MonitorInfo[] => [
    { id: "rules", title: "Rules", kind: "rules", prompting: "evidence", local: true },
    { id: "guard-a", title: "guard-a (evidence)", kind: "llm", model: "guard-a-8b", prompting: "evidence", origin: "http://127.0.0.1:8080", local: false },
    { id: "guard-direct", title: "guard-a (direct)", kind: "llm", model: "guard-a-8b", prompting: "direct", origin: "http://127.0.0.1:8080", local: false },
  ];

  private labelledItems(): Snapshot["labelled"] {
    this.file.trajectories.forEach((_trajectory, index) => this.labelled(index));
    return [...this.labels].filter(([, entry]) => entry.state.label !== null).map(([index, entry]) => ({ index, label: entry.state.label }));
  }

  snapshot(): Snapshot {
    const trajectory = this.trajectory();
    const steps = trajectory?.steps ?? [];
    let outline = this.outlines.get(this.index);
    if (!outline) this.outlines.set(this.index, (outline = steps.map(outlineOf)));
    const label = this.labelled();
    const items: TrajectoryItem[] = this.file.trajectories.map((entry, index) => ({ index, id: entry.id, title: entry.title, label: entry.label }));
    const output = steps.reduce((sum, step) => sum + (step.tokens?.output ?? 0), 0);
    return {
      fileName: this.file.fileName, format: "dev", formatTitle: this.file.formatTitle, items, index: this.index,
      header: {
        id: trajectory?.id ?? "", format: "dev", reader: { id: "dev", version: 1 }, metadata: [], warnings: [], title: trajectory?.title, label: trajectory?.label,
        contentSha256: `dev-${this.index}`, fileSha256: "dev", stepCount: steps.length, totals: { characters: 0, outputTokens: output || undefined }, ...trajectory?.header,
      },
      outline, fileWarnings: [...(this.file.warnings ?? [])], revision: label.revision, label: label.state, status: label.status, annotator: "dev",
      labelled: this.labelledItems(), monitors: this.monitors(), monitorId: this.monitorId, verdicts: this.file.blind ? [] : [...(trajectory?.verdicts ?? [])],
      blind: this.file.blind ?? false, taxonomy: [...builtInTaxonomy], settings: { ...defaults, ...this.file.settings }, serverDown: this.file.serverDown ?? false, trusted: true,
      ...(this.file.guidelines === undefined ? {} : { hasGuidelines: true }), ...this.file.snapshot,
    };
  }

  /** Gives the view a message, as a clone that passed the schema: what a real boundary would do. */
  send(message: ToWebview): void {
    const parsed = ToWebview.parse(structuredClone(message));
    queueMicrotask(() => {
      if (parsed.type === "reply") this.requester.accept(parsed);
      else for (const listener of [...this.listeners]) listener(parsed);
    });
  }

  onMessage(listener: (message: ToWebview) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  readonly request: Host["request"] = (method, params) => this.requester.request(method, params);

  getState(): unknown {
    return JSON.parse(sessionStorage.getItem(this.storageKey) ?? "null");
  }

  setState(state: unknown): void {
    sessionStorage.setItem(this.storageKey, JSON.stringify(state));
  }

  post(raw: FromWebview): void {
    const message = FromWebview.parse(structuredClone(raw));
    this.posted.push(message);
    switch (message.type) {
      case "view/ready":
      case "view/snapshotWanted":
        if (this.file.message) this.send(this.file.message);
        else if (this.file.score) this.send({ type: "score/snapshot", score: this.file.score });
        else this.send({ type: "doc/snapshot", snapshot: this.snapshot() });
        break;
      case "request":
        this.answer(message);
        break;
      case "edit/apply":
        if (!this.isDeaf) this.edit(message.op);
        break;
      case "decision/submit":
        this.decide(message);
        break;
      case "label/retry":
        void this.save("Saved");
        break;
      case "history/undo":
      case "history/redo":
        this.history(message.type === "history/undo");
        break;
      case "sample/select":
        this.select(message.index);
        break;
      case "monitor/select":
        this.monitorId = message.monitorId;
        this.send({ type: "monitors/changed", monitors: this.monitors(), monitorId: this.monitorId });
        break;
      case "monitor/run":
        void this.runMonitor();
        break;
      case "monitor/cancel":
        this.cancelled = true;
        break;
      case "score/partWanted":
        if (message.part !== null && this.file.scorePart) {
          const { part, gold, runs } = message;
          this.send({ type: "score/part", part, gold, runs, report: this.file.scorePart(part, gold, runs), notes: [] });
        }
        break;
      case "score/options":
        if (this.file.score) this.send({ type: "score/snapshot", score: { ...this.file.score, labels: message.labels ?? this.file.score.labels } });
    }
  }

  private select(index: number): void {
    if (!this.file.trajectories[index]) return;
    this.index = index;
    this.send({ type: "doc/snapshot", snapshot: this.snapshot() });
  }

  private answer(message: Extract<FromWebview, { type: "request" }>): void {
    const steps = this.trajectory()?.steps ?? [];
    if (message.method === "guidelines/read") {
      this.send({ type: "reply", id: message.id, ok: true, result: { file: "guidelines.md", markdown: this.file.guidelines ?? "" } });
      return;
    }
    if (message.method === "steps/read") {
      const { from, to } = message.params as { from: number; to: number };
      this.send({ type: "reply", id: message.id, ok: true, result: { steps: steps.slice(from, to).map(cutStep) } });
      return;
    }
    if (message.method === "image/read") {
      const { step, extra } = message.params as { step: number; extra: number };
      const block = steps[step]?.extras?.[extra];
      this.send({ type: "reply", id: message.id, ok: true, result: (block && imageData(block)) ?? {} });
      return;
    }
    if (message.method === "part/read") {
      const { step, part, from, to } = message.params as { step: number; part: number; from: number; to: number };
      this.send({ type: "reply", id: message.id, ok: true, result: { text: steps[step]?.parts[part]?.text.slice(from, to) ?? "" } });
      return;
    }
    const { query, caseSensitive } = message.params as { query: string; caseSensitive: boolean };
    const hits: FindHit[] = [];
    const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
    const wanted = fold(query);
    for (const step of steps) {
      step.parts.forEach((part, at) => {
        const text = fold(part.text);
        for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + wanted.length)) hits.push({ step: step.index, part: at, start, end: start + wanted.length });
      });
    }
    this.send({ type: "reply", id: message.id, ok: true, result: { hits: hits.slice(0, 2000), total: hits.length } });
  }

  private changed(announce?: string): void {
    const { revision, state, status } = this.labelled();
    this.send({ type: "label/changed", sampleId: this.trajectory()?.id ?? "", revision, label: state, status, announce, labelled: this.labelledItems() });
  }

  private edit(op: Op): void {
    const entry = this.labelled();
    const { state, inverse } = applyOp(entry.state, op);
    entry.state = state;
    entry.undo.push(inverse);
    entry.redo = [];
    entry.revision++;
    entry.status = { state: "draft" };
    this.changed();
  }

  private decide(message: Extract<FromWebview, { type: "decision/submit" }>): void {
    const outcome = this.trajectory()?.verdicts?.at(-1)?.verdict.outcome;
    const label = message.decision !== "confirm" ? message.decision : outcome === "misbehavior" ? "misbehavior" : "benign";
    this.edit({ type: "label/set", label, categories: message.categories });
    void this.save("Saved");
  }

  private async save(announce: string): Promise<void> {
    const entry = this.labelled();
    entry.status = { state: "saving" };
    this.changed();
    await new Promise((resolve) => setTimeout(resolve, 30));
    entry.status = this.failSaving ? { state: "failed", message: this.failSaving } : { state: "saved", at: now() };
    this.changed(this.failSaving ? undefined : announce);
    if (!this.failSaving && this.file.settings?.advance === "next" && this.index + 1 < this.file.trajectories.length) this.select(this.index + 1);
  }

  private history(isUndo: boolean): void {
    const entry = this.labelled();
    const op = (isUndo ? entry.undo : entry.redo).pop();
    if (!op) return;
    const { state, inverse } = applyOp(entry.state, op);
    entry.state = state;
    (isUndo ? entry.redo : entry.undo).push(inverse);
    entry.revision++;
    entry.status = { state: "draft" };
    this.changed(isUndo ? "Undone" : "Redone");
  }

  private async runMonitor(): Promise<void> {
    this.cancelled = false;
    for (let n = 0; n < 5; n++) {
      this.send({ type: "monitor/progress", state: "running", message: `Reading step ${n * 20}`, fraction: n / 5 });
      await new Promise((resolve) => setTimeout(resolve, 60));
      if (this.cancelled) return this.send({ type: "monitor/progress", state: "cancelled", message: "" });
    }
    this.send({ type: "monitor/progress", state: "done", message: "" });
    this.send({ type: "verdicts/changed", sampleId: this.trajectory()?.id ?? "", verdicts: [...(this.trajectory()?.verdicts ?? [])] });
  }
}
