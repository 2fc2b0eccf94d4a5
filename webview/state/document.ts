/** What the host says of the file and its label, with the annotator's own ops applied on top before the host confirms them. */
import { applyOp, type LabelState, type Op } from "#core/labels/state";
import type { SaveStatus, Snapshot, ToWebview } from "#protocol/webview";

/** An op that was sent and not yet confirmed; it becomes `revision` when the host accepts it. */
export interface PendingOp { readonly op: Op; readonly revision: number }

export interface MonitorProgress { readonly message: string; readonly fraction?: number | undefined }

export interface ReadyDocument {
  readonly phase: "ready";
  readonly snapshot: Snapshot;
  readonly pending: readonly PendingOp[];
  /** Snapshot's label with the pending ops applied: what is drawn. */
  readonly label: LabelState;
  readonly status: SaveStatus;
  readonly running?: MonitorProgress | undefined;
  readonly monitorMessage?: { readonly state: "done" | "failed" | "cancelled"; readonly message: string } | undefined;
}

export type DocumentState =
  | { readonly phase: "loading"; readonly fileName: string; readonly message?: string | undefined }
  | { readonly phase: "failed"; readonly fileName: string; readonly message: string; readonly remedy?: string | undefined }
  | ReadyDocument;

export const sampleIdOf = (snapshot: Snapshot): string => snapshot.items[snapshot.index]?.id ?? "";

function withPending(snapshot: Snapshot, pending: readonly PendingOp[]): LabelState {
  return pending.reduce((state, { op }) => applyOp(state, op).state, snapshot.label);
}

/** The revision that the next op is sent with: what is confirmed, and what is on its way. */
export function drawnRevision(doc: ReadyDocument): number {
  return doc.pending.at(-1)?.revision ?? doc.snapshot.revision;
}

/** Applies an op at once. */
export function applyLocally(doc: ReadyDocument, op: Op): ReadyDocument {
  const pending = [...doc.pending, { op, revision: drawnRevision(doc) + 1 }];
  return { ...doc, pending, label: applyOp(doc.label, op).state, status: { state: "draft" } };
}

function onLabel(doc: ReadyDocument, message: Extract<ToWebview, { type: "label/changed" }>): ReadyDocument {
  if (message.sampleId !== sampleIdOf(doc.snapshot) || message.revision < doc.snapshot.revision) return doc;
  // Ops that the host has yet to see stay on top. One it refuses stays too, until the snapshot that `app` then asks for.
  const pending = doc.pending.filter((entry) => entry.revision > message.revision);
  const snapshot: Snapshot = {
    ...doc.snapshot, revision: message.revision, label: message.label, status: message.status, labelled: message.labelled,
    progress: message.progress ?? doc.snapshot.progress, session: message.session ?? doc.snapshot.session,
    kept: message.kept, gold: message.gold,
  };
  return { ...doc, snapshot, pending, label: withPending(snapshot, pending), status: pending.length > 0 ? { state: "draft" } : message.status };
}

/** The next state after a message of the host; messages that are no business of the document leave it as it is. */
export function reduceDocument(doc: DocumentState, message: ToWebview): DocumentState {
  if (message.type === "doc/loading") return { phase: "loading", fileName: message.fileName, message: message.message };
  if (message.type === "doc/failed") return { phase: "failed", fileName: message.fileName, message: message.message, remedy: message.remedy };
  if (message.type === "doc/snapshot") {
    const { snapshot } = message;
    const running = doc.phase === "ready" && sampleIdOf(doc.snapshot) === sampleIdOf(snapshot) ? doc.running : undefined;
    return { phase: "ready", snapshot, pending: [], label: snapshot.label, status: snapshot.status, running };
  }
  if (doc.phase !== "ready") return doc;
  switch (message.type) {
    case "label/changed":
      return onLabel(doc, message);
    case "verdicts/changed":
      return message.sampleId === sampleIdOf(doc.snapshot) ? { ...doc, snapshot: { ...doc.snapshot, verdicts: message.verdicts } } : doc;
    case "monitors/changed":
      return { ...doc, snapshot: { ...doc.snapshot, monitors: message.monitors, monitorId: message.monitorId } };
    case "monitor/progress":
      if (message.state === "running") return { ...doc, running: { message: message.message, fraction: message.fraction }, monitorMessage: undefined };
      return { ...doc, running: undefined, monitorMessage: { state: message.state, message: message.message } };
    case "settings/changed": {
      const { settings, annotator, serverDown, trusted } = message;
      return { ...doc, snapshot: { ...doc.snapshot, settings, annotator: annotator ?? doc.snapshot.annotator, serverDown, trusted } };
    }
    default:
      return doc;
  }
}
