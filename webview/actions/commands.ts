/** What each command does. Commands come from the editor's key bindings, from the page's own where there is no editor, and from buttons. */
import type { ViewCommand } from "#protocol/webview";
import { typedSince } from "./typed-ahead";
import { focusField, setFieldText, type FieldElement } from "../ui/text-field";
import { announce, readyDocument, setNow, type App } from "../state/app";
import { strings } from "#protocol/strings";
import { adoptQuote, carrySpans, copyReference, currentVerdict, decide, markSelection, removeSpan, toggleCategory } from "./label";
import { moveEvidence, showEvidence, evidencePlaces } from "./evidence";
import { openFind } from "./find";
import { selectSample } from "./samples";
import { act } from "./session";
import { editSpan, moveSpanEdge, openNextSpan, pickWord } from "./span-keys";
import { moveStep, toggleSource, toggleStepFold } from "./steps";

function adopt(app: App): void {
  const doc = readyDocument(app);
  if (!doc) return;
  const { findingId, place } = app.view.get();
  const quotes = currentVerdict(app, doc)?.quotes ?? [];
  const quote = quotes.find((q) => q.id === findingId) ?? (quotes.length === 1 ? quotes[0] : undefined);
  void adoptQuote(app, quote, place ?? quote?.current ?? 0);
}

function deleteSpan(app: App): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.closest<HTMLElement>('[data-mark^="o:"], [data-span]') : null;
  const id = app.now.get().spanId ?? focused?.dataset["ref"] ?? focused?.dataset["span"];
  if (id) removeSpan(app, id);
}

function toggleRun(app: App): void {
  const doc = readyDocument(app);
  if (!doc || doc.snapshot.blind) return;
  if (doc.running) app.host.post({ type: "monitor/cancel" });
  else if (doc.snapshot.monitors.length > 0) {
    // Whoever runs a monitor wants to see what it says now, not the earlier run that was chosen.
    app.view.update((view) => ({ ...view, runId: undefined }));
    app.host.post({ type: "monitor/run", monitorId: doc.snapshot.monitorId });
  }
}

/** What the monitor whose verdict is looked at was sent; without a verdict, what the chosen one would be sent. */
function showPrompt(app: App): void {
  const doc = readyDocument(app);
  if (!doc || doc.snapshot.blind) return;
  const verdict = currentVerdict(app, doc);
  // Rules and linear guards read the trajectory itself.
  const wasSent = verdict && ["llm", "command", "vote"].includes(verdict.run.kind);
  app.host.post(wasSent ? { type: "prompt/show", monitorId: verdict.run.monitor, runId: verdict.run.run_id } : { type: "prompt/show", monitorId: doc.snapshot.monitorId });
}

const panel = (app: App, name: "outline" | "findings", isOpen: boolean) => app.view.update((view) => ({ ...view, panels: { ...view.panels, [name]: isOpen } }));

/** Whether a panel is open: as the reader left it, else by the width of the page. */
export function isPanelOpen(app: App, name: "outline" | "findings"): boolean {
  return app.view.get().panels[name] ?? window.innerWidth >= (name === "outline" ? 1000 : 900);
}

export const togglePanel = (app: App, name: "outline" | "findings") => panel(app, name, !isPanelOpen(app, name));

/** Opens the note field, wherever it is, and puts the caret there, behind what was typed for it on the way. */
function editNote(app: App): void {
  // One that gives way to something else in a narrow bar cannot take the caret.
  const field = () => [...document.querySelectorAll<FieldElement>(".note-field")].find((entry) => entry.offsetParent !== null);
  if (!field()) panel(app, "findings", true);
  requestAnimationFrame(() => {
    const typed = typedSince("e"), note = field();
    if (!note) return;
    if (typed !== "") {
      setFieldText(note, note.value + typed);
      note.dispatchEvent(new Event("input", { bubbles: true }));
    }
    focusField(note);
  });
}

function selectedText(): string | undefined {
  const text = document.getSelection()?.toString() ?? "";
  return text !== "" && text.length < 200 && !text.includes("\n") ? text : undefined;
}

export function perform(app: App, command: ViewCommand): void {
  const [noun, verb] = command.split("/") as [string, string];
  const { step } = app.view.get();
  if (noun === "decide") return decide(app, verb as "confirm" | "benign" | "misbehavior" | "unsure" | "cannot_judge");
  if (noun === "category") {
    const entry = readyDocument(app)?.snapshot.taxonomy[Number(verb) - 1];
    return entry && toggleCategory(app, entry.id);
  }
  if (noun === "side") return act(app, "side", "AB"[Number(verb) - 1]);
  switch (command) {
    case "label/carry":
      return carrySpans(app);
    case "session/skip":
      return act(app, "skip");
    case "session/reveal":
      return act(app, "reveal");
    case "step/next":
      return moveStep(app, 1);
    case "step/previous":
      return moveStep(app, -1);
    case "step/fold":
      return toggleStepFold(app, step);
    case "step/source":
      return toggleSource(app, step);
    case "step/showInFile":
      return app.host.post({ type: "place/show", step });
    case "prompt/show":
      return showPrompt(app);
    case "evidence/next":
      return moveEvidence(app, 1);
    case "evidence/previous":
      return moveEvidence(app, -1);
    case "evidence/current": {
      const doc = readyDocument(app);
      const places = evidencePlaces((doc && currentVerdict(app, doc)?.quotes) ?? []);
      const found = places.find((entry) => entry.quote.id === app.view.get().findingId) ?? places[0];
      return found && showEvidence(app, found);
    }
    case "sample/next":
      return selectSample(app, "next");
    case "sample/previous":
      return selectSample(app, "previous");
    case "sample/nextUndecided":
      return selectSample(app, "undecided");
    case "span/fromSelection":
      return markSelection(app);
    case "span/adopt":
      return adopt(app);
    case "span/delete":
      return deleteSpan(app);
    case "span/pick":
    case "span/pickBack":
      return void pickWord(app, command === "span/pick" ? 1 : -1);
    case "span/endOn":
    case "span/endBack":
      return void moveSpanEdge(app, "end", command === "span/endOn" ? 1 : -1);
    case "span/startOn":
    case "span/startBack":
      return void moveSpanEdge(app, "start", command === "span/startOn" ? 1 : -1);
    case "span/next":
      return void openNextSpan(app);
    case "span/edit":
      return void editSpan(app);
    case "span/copyReference":
      return copyReference(app);
    case "note/edit":
      return editNote(app);
    case "monitor/run":
      return toggleRun(app);
    case "find/open":
      return openFind(app, { selected: selectedText(), typed: typedSince("/") });
    case "keys/show":
      return setNow(app, { sheet: app.now.get().sheet === "keys" ? undefined : "keys" });
    case "guidelines/show":
      return setNow(app, { sheet: app.now.get().sheet === "guidelines" ? undefined : "guidelines" });
    case "findings/toggle":
      return togglePanel(app, "findings");
    case "outline/toggle":
      return togglePanel(app, "outline");
    default:
      announce(app, strings.noMatch);
  }
}
