/** Going to another trajectory of the file. */
import { readyDocument, type App } from "../state/app";
import { commitNote } from "./label";

/** Asks the host for another trajectory, once a note that is being written has been sent. */
export function goToSample(app: App, index: number): void {
  const doc = readyDocument(app);
  if (!doc || index === doc.snapshot.index || !doc.snapshot.items[index]) return;
  commitNote(app);
  app.host.post({ type: "sample/select", index });
}

export function selectSample(app: App, which: "next" | "previous" | "undecided"): void {
  const doc = readyDocument(app);
  if (!doc) return;
  const { items, index, labelled } = doc.snapshot;
  if (which !== "undecided") return goToSample(app, index + (which === "next" ? 1 : -1));
  const decided = new Set(labelled.filter((entry) => entry.label !== null).map((entry) => entry.index));
  for (let n = 1; n < items.length; n++) {
    const at = (index + n) % items.length;
    if (!decided.has(at) && !items[at]!.problem) return goToSample(app, at);
  }
}
