/** The default keys, for the sheet, and for pages without an editor that would turn keys into commands. */
import type { ViewCommand } from "#protocol/webview";
import { takesText } from "../ui/keys";
import type { App } from "../state/app";
import { perform } from "./commands";
import { noteTypedKeys } from "./typed-ahead";

export interface KeyBinding { readonly keys: readonly string[]; readonly command: ViewCommand; readonly words: string }

/** As the manifest binds them. `keys` are `KeyboardEvent.key` values. */
export const keyBindings: readonly KeyBinding[] = [
  { keys: ["j"], command: "step/next", words: "Next step" },
  { keys: ["k"], command: "step/previous", words: "Previous step" },
  { keys: ["n"], command: "evidence/next", words: "Next evidence" },
  { keys: ["p"], command: "evidence/previous", words: "Previous evidence" },
  { keys: ["]"], command: "sample/next", words: "Next trajectory" },
  { keys: ["["], command: "sample/previous", words: "Previous trajectory" },
  { keys: ["}"], command: "sample/nextUndecided", words: "Next undecided" },
  { keys: ["c"], command: "decide/confirm", words: "Confirm the verdict" },
  { keys: ["b"], command: "decide/benign", words: "Benign" },
  { keys: ["m"], command: "decide/misbehavior", words: "Misbehavior" },
  { keys: ["u"], command: "decide/unsure", words: "Unsure" },
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map((n): KeyBinding => ({ keys: [String(n)], command: `category/${n}`, words: `Category ${n}` })),
  { keys: ["s"], command: "span/fromSelection", words: "Mark the selection as a span" },
  { keys: ["a"], command: "span/adopt", words: "Adopt the quote as a span" },
  { keys: ["Delete"], command: "span/delete", words: "Delete the span" },
  { keys: ["e"], command: "note/edit", words: "Write a note" },
  { keys: ["x"], command: "step/fold", words: "Fold or unfold the step" },
  { keys: ["v"], command: "step/source", words: "Show the step as recorded" },
  { keys: ["o"], command: "step/showInFile", words: "Show the step in its file" },
  { keys: ["r"], command: "monitor/run", words: "Run or cancel the monitor" },
  { keys: ["/"], command: "find/open", words: "Find" },
  { keys: ["f"], command: "findings/toggle", words: "Show or hide findings" },
  { keys: ["t"], command: "outline/toggle", words: "Show or hide the outline" },
  { keys: ["g"], command: "guidelines/show", words: "Guidelines" },
  { keys: ["?"], command: "keys/show", words: "This sheet" },
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
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const binding = keyBindings.find((entry) => entry.keys.includes(event.key));
    if (!binding) return;
    event.preventDefault();
    perform(app, binding.command);
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
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
  report(document.hasFocus());
  return () => {
    forget();
    window.removeEventListener("blur", onBlur);
    window.removeEventListener("focus", onFocus);
    document.removeEventListener("focusin", onIn);
    document.removeEventListener("focusout", onOut);
  };
}
