/** What the annotator does to the label: ops go to the host, and on the page they show at once. */
import type { LabelState, Op, ViewSpan } from "#core/labels/state";
import type { FoundQuote } from "#protocol/lsp";
import type { Decision } from "#protocol/webview";
import { strings } from "#protocol/strings";
import { announce, readyDocument, setNow, type App, type TextSelection } from "../state/app";
import { applyLocally, drawnRevision, sampleIdOf, type ReadyDocument } from "../state/document";
import { shownVerdict } from "../state/marks";
import { readSelection } from "../trajectory/selection";

export function applyOp(app: App, op: Op): void {
  const doc = readyDocument(app);
  if (!doc) return;
  app.host.post({ type: "edit/apply", sampleId: sampleIdOf(doc.snapshot), revision: drawnRevision(doc), op });
  app.doc.set(applyLocally(doc, op));
}

/** The verdict that is looked at just now. */
export function currentVerdict(app: App, doc: ReadyDocument) {
  return shownVerdict(doc.snapshot.verdicts, app.view.get().runId, doc.snapshot.monitorId);
}

/** Why confirming is off, or undefined when it is on. */
export function whyNoConfirm(app: App, doc: ReadyDocument): string | undefined {
  if (doc.snapshot.blind) return strings.confirmOffBlind;
  const verdict = currentVerdict(app, doc);
  if (!verdict || verdict.verdict.outcome === "invalid") return strings.confirmOffNone;
  return verdict.stale ? strings.confirmOffStale : undefined;
}

/** Sends a note that is still only on the page. Returns whether there was one. */
export function commitNote(app: App): void {
  const doc = readyDocument(app);
  if (!doc) return;
  const id = sampleIdOf(doc.snapshot);
  const draft = app.view.get().drafts[id];
  if (draft === undefined) return;
  if (draft !== doc.label.note) applyOp(app, { type: "note/set", note: draft });
  app.view.update((view) => {
    const { [id]: _sent, ...drafts } = view.drafts;
    return { ...view, drafts };
  });
}

/** The categories that a decision takes along: the verdict's when it is confirmed, none for benign, else the chosen ones. */
function categoriesFor(app: App, doc: ReadyDocument, decision: Decision): string[] {
  if (decision === "benign") return [];
  if (decision !== "confirm") return [...doc.label.categories];
  const verdict = currentVerdict(app, doc)?.verdict;
  return verdict?.outcome === "misbehavior" ? [...new Set(verdict.detected_categories.map((found) => found.category))] : [];
}

/** Submits a decision on the drawn sample. It shows at once as saving; the host says when it is on disk. */
export function decide(app: App, decision: Decision): void {
  const before = readyDocument(app);
  if (!before) return;
  const refusal = decision === "confirm" ? whyNoConfirm(app, before) : undefined;
  if (refusal) {
    announce(app, refusal);
    return setNow(app, { refusal });
  }
  commitNote(app);
  const doc = readyDocument(app);
  if (!doc) return;
  const categories = categoriesFor(app, doc, decision);
  const outcome = currentVerdict(app, doc)?.verdict.outcome;
  const label = decision !== "confirm" ? decision : outcome === "misbehavior" ? "misbehavior" : "benign";
  app.host.post({
    type: "decision/submit", sampleId: sampleIdOf(doc.snapshot), revision: drawnRevision(doc), decision, categories,
    seconds: Math.round((performance.now() - app.shownAt) / 100) / 10,
  });
  setNow(app, { refusal: undefined });
  app.doc.set({ ...doc, label: { ...doc.label, label, categories }, status: { state: "saving" } });
}

/** Carries a label made on another version of the log over to this one. */
export function carrySpans(app: App): void {
  if (!readyDocument(app)?.snapshot.kept?.isStale) return;
  commitNote(app);
  const doc = readyDocument(app);
  if (doc) app.host.post({ type: "label/carry", sampleId: sampleIdOf(doc.snapshot), revision: drawnRevision(doc) });
}

export function toggleCategory(app: App, id: string): void {
  const { label } = readyDocument(app) ?? {};
  if (!label) return;
  const categories = label.categories.includes(id) ? label.categories.filter((category) => category !== id) : [...label.categories, id];
  applyOp(app, { type: "categories/set", categories });
}

/** An id that no other span has; the annotator's own machine makes it up. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_");
}

function spanFrom(app: App, place: Pick<TextSelection, "step" | "part" | "start" | "end">, rest: Pick<ViewSpan, "origin" | "category">): ViewSpan | undefined {
  const text = app.steps?.get(place.step)?.parts[place.part]?.text;
  if (text === undefined || place.end <= place.start || place.end > text.length) return undefined;
  return { id: newId(), step: place.step, part: place.part, start: place.start, end: place.end, exact: text.slice(place.start, place.end), ...rest };
}

/** Marks the selected text. A single chosen category goes along. */
export function markSelection(app: App): void {
  const doc = readyDocument(app);
  const selection = app.now.get().selection ?? readSelection(app);
  const categories: LabelState["categories"] = doc?.label.categories ?? [];
  const span = selection && spanFrom(app, selection, { origin: "own", ...(categories.length === 1 ? { category: categories[0]! } : {}) });
  if (!span) return announce(app, strings.nothingSelected);
  applyOp(app, { type: "span/add", span });
  document.getSelection()?.removeAllRanges();
  setNow(app, { selection: undefined });
  announce(app, selection.wasCut ? strings.spanCut : strings.spanAdded);
}

/** Makes the current place of a finding the annotator's own span, one for each piece. */
export async function adoptQuote(app: App, quote: FoundQuote | undefined, place: number): Promise<void> {
  const pieces = quote?.status === "absent" ? undefined : quote?.places[place]?.pieces;
  if (!quote || !pieces?.length) return announce(app, strings.nothingToAdopt);
  const before = readyDocument(app);
  for (const piece of pieces) {
    await app.steps?.want(piece.step, piece.step + 1);
    await app.steps?.wholePart(piece.step, piece.part);
    // The sample may have changed while its step was read.
    const doc = readyDocument(app);
    if (!doc || !before || sampleIdOf(doc.snapshot) !== sampleIdOf(before.snapshot)) return;
    const isThere = doc.label.spans.some((span) => span.step === piece.step && span.part === piece.part && span.start === piece.start && span.end === piece.end);
    const span = spanFrom(app, piece, { origin: "adopted", category: quote.category });
    if (span && !isThere) applyOp(app, { type: "span/add", span });
  }
  announce(app, strings.spanAdded);
}

export function removeSpan(app: App, id: string): void {
  if (!readyDocument(app)?.label.spans.some((span) => span.id === id)) return;
  applyOp(app, { type: "span/remove", id });
  setNow(app, { spanId: undefined });
  announce(app, strings.spanDeleted);
}

/** The selected text with where it stands, for a report or a colleague. */
export function copyReference(app: App): void {
  const doc = readyDocument(app);
  const selection = app.now.get().selection ?? readSelection(app);
  const part = selection && app.steps?.get(selection.step)?.parts[selection.part];
  if (!doc || !selection || !part) return announce(app, strings.nothingSelected);
  const quoted = part.text.slice(selection.start, selection.end).split("\n").map((line) => `> ${line}`).join("\n");
  const kind = part.kind.replace("_", " ");
  app.host.post({ type: "text/copy", text: `${quoted}\n(${sampleIdOf(doc.snapshot)}, step ${selection.step}, ${kind})` });
  announce(app, strings.copied);
}
