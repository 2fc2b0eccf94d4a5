/** What keys mean to a field that takes text: they are its own, not the view's and not the editor's. */

const isMac = /Mac/.test(globalThis.navigator?.platform ?? "");

/** The editor's own keys for saving and the history, as they are written on this platform. */
export const saveKey = isMac ? "⌘S" : "Ctrl+S";
export const undoKey = isMac ? "⌘Z" : "Ctrl+Z";
export const redoKey = isMac ? "⇧⌘Z" : "Ctrl+Y";

/**
 * Keeps unmodified keys (with or without Shift), undo, redo and select all inside a field: done by way of the editor, selecting
 * all comes late, and takes what was typed since along. Anything else goes on, so that save and the like still work. Escape
 * goes on too: it closes what is open; and so do function keys, which type nothing.
 */
export function keepKeys(event: KeyboardEvent): void {
  const isFieldsOwn = (event.ctrlKey || event.metaKey) && !event.altKey && /^[azy]$/i.test(event.key);
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== "Escape" && !/^F\d+$/.test(event.key);
  if (isFieldsOwn || isPlain) event.stopPropagation();
}

/** Whether an element takes typed letters, so that single keys must not be commands while it has the focus. */
export function takesText(target: EventTarget | null | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "range"].includes(target.type);
  // A dropdown selects by typing.
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable || target.localName === "vscode-dropdown";
}
