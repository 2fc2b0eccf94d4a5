/**
 * What was typed between asking for a field and the field having the focus belongs into the field. A key reaches the view
 * twice: as the page's own event at once, and as a command after a way through the editor, which on a slow machine may be
 * so long that "/must" arrives as *misbehavior*, *unsure* and so on. The page's own record of keys says what was meant.
 */
import type { ViewCommand } from "#protocol/webview";
import type { App } from "../state/app";
import { takesText } from "../ui/keys";
import { perform } from "./commands";

/** Keys older than this were not meant for a field that opens now (milliseconds). */
const memory = 1500;
const fieldByKey: Readonly<Record<string, ViewCommand>> = { "/": "find/open", e: "note/edit" };
let recent: { readonly key: string; readonly at: number }[] = [];
let fieldOpenedAt = -Infinity;

/** Notes unmodified letters typed while no field has the focus. Returns the way to stop. */
export function noteTypedKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    // Asked for anew in the field itself, as to search for something else.
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") fieldLeft();
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || takesText(event.composedPath()[0])) return;
    recent = [...recent.filter((entry) => event.timeStamp - entry.at < memory), { key: event.key, at: event.timeStamp }];
  };
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

/** The letters typed since `trigger` was pressed last, and forgets them. */
export function typedSince(trigger: string): string {
  const at = recent.findLastIndex((entry) => entry.key === trigger && performance.now() - entry.at < 2 * memory);
  const typed = at < 0 ? "" : recent.slice(at + 1).map((entry) => entry.key).join("");
  recent = [];
  return typed;
}

/** The letters typed since the field was opened, while it had not the focus yet, and forgets them. */
export function typedMeanwhile(): string {
  const typed = recent.map((entry) => entry.key).join("");
  recent = [];
  return typed;
}

/** Carries out a command that came by a key through the editor, unless the key was typed for a field. */
export function performByKey(app: App, command: ViewCommand): void {
  const opensField = command === "find/open" || command === "note/edit";
  // Until the field is left, keys are typed into it: what comes now was pressed before, be it the key that asked for the field.
  const isInField = document.activeElement?.matches("vscode-text-field, vscode-text-area");
  if (performance.now() - fieldOpenedAt < (isInField ? Infinity : memory)) return;
  const asked = recent.findLast((entry) => fieldByKey[entry.key] !== undefined && performance.now() - entry.at < memory);
  const field = opensField ? command : asked && fieldByKey[asked.key];
  // The key that asked for the field got lost on its way, or is behind, as after many held down: what follows it is no command either.
  if (field === undefined) return perform(app, command);
  fieldOpenedAt = performance.now();
  perform(app, field);
}

/** A field was left: keys are commands again. */
export function fieldLeft(): void {
  fieldOpenedAt = -Infinity;
}
