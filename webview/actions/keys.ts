/** The default keys, for the sheet, and for pages without an editor that would turn keys into commands. */
import type { ViewCommand } from "#protocol/webview";
import { takesText } from "../ui/keys";
import type { App } from "../state/app";
import { perform } from "./commands";
import { commitNote } from "./label";
import { fieldLeft, noteTypedKeys } from "./typed-ahead";

export interface KeyBinding { readonly keys: readonly string[]; readonly command: ViewCommand }

/** As the manifest binds them. `keys` are `KeyboardEvent.key` values. */
export const keyBindings: readonly KeyBinding[] = [
  { keys: ["j"], command: "step/next" },
  { keys: ["k"], command: "step/previous" },
  { keys: ["n"], command: "evidence/next" },
  { keys: ["p"], command: "evidence/previous" },
  { keys: ["]"], command: "sample/next" },
  { keys: ["["], command: "sample/previous" },
  { keys: ["}"], command: "sample/nextUndecided" },
  { keys: ["c"], command: "decide/confirm" },
  { keys: ["b"], command: "decide/benign" },
  { keys: ["m"], command: "decide/misbehavior" },
  { keys: ["u"], command: "decide/unsure" },
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map((n): KeyBinding => ({ keys: [String(n)], command: `category/${n}` })),
  { keys: ["s"], command: "span/fromSelection" },
  { keys: ["a"], command: "span/adopt" },
  { keys: ["Delete"], command: "span/delete" },
  { keys: ["e"], command: "note/edit" },
  { keys: ["x"], command: "step/fold" },
  { keys: ["v"], command: "step/source" },
  { keys: ["o"], command: "step/showInFile" },
  { keys: ["r"], command: "monitor/run" },
  { keys: ["/"], command: "find/open" },
  { keys: ["f"], command: "findings/toggle" },
  { keys: ["t"], command: "outline/toggle" },
  { keys: ["g"], command: "guidelines/show" },
  { keys: ["?"], command: "keys/show" },
];

/** Turns keys into commands where no editor does. */
export function listenToKeys(app: App): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || takesText(event.composedPath()[0])) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      const isRedo = event.key.toLowerCase() === "y" || event.shiftKey;
      return app.host.post({ type: isRedo ? "history/redo" : "history/undo" });
    }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
      event.preventDefault();
      return perform(app, "find/open");
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const binding = keyBindings.find((entry) => entry.keys.includes(event.key));
    if (!binding) return;
    event.preventDefault();
    perform(app, binding.command);
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

/** Saving takes along what is still being typed: the editor's own save may reach the host before the note does. */
function saveOnKey(app: App): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s") return;
    commitNote(app);
    app.host.post({ type: "label/save" });
  };
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

/** Tells the host whether single keys are commands: not while a field of the view has the focus. */
export function reportFocus(app: App): () => void {
  let active: boolean | undefined;
  const report = (keysActive: boolean) => {
    if (keysActive === active) return;
    active = keysActive;
    app.host.post({ type: "view/focus", keysActive });
  };
  const onIn = (event: FocusEvent) => report(!takesText(event.composedPath()[0]));
  // A focus that leaves for nowhere is on the page itself again, unless the page lost it altogether.
  const onOut = (event: FocusEvent) => {
    if (takesText(event.composedPath()[0])) fieldLeft();
    if (!event.relatedTarget) report(document.hasFocus());
  };
  // Explorer, panels and other windows: while the page has not the focus, no key is meant for it.
  const onBlur = () => report(false);
  const onFocus = () => report(!takesText(document.activeElement));
  document.addEventListener("focusin", onIn);
  document.addEventListener("focusout", onOut);
  window.addEventListener("blur", onBlur);
  window.addEventListener("focus", onFocus);
  const forget = noteTypedKeys();
  const stopSaving = saveOnKey(app);
  report(document.hasFocus());
  return () => {
    forget();
    stopSaving();
    window.removeEventListener("blur", onBlur);
    window.removeEventListener("focus", onFocus);
    document.removeEventListener("focusin", onIn);
    document.removeEventListener("focusout", onOut);
  };
}
