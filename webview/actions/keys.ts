/** The default keys, for the sheet, and for pages without an editor that would turn keys into commands. */
import type { ViewCommand } from "#protocol/webview";
import { takesText } from "../ui/keys";
import type { App } from "../state/app";
import { perform } from "./commands";
import { reportFocus } from "./focus";
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
  { keys: ["U"], command: "decide/cannot_judge" },
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map((n): KeyBinding => ({ keys: [String(n)], command: `category/${n}` })),
  { keys: ["s"], command: "span/fromSelection" },
  { keys: ["a"], command: "span/adopt" },
  { keys: ["Delete"], command: "span/delete" },
  { keys: ["w"], command: "span/pick" },
  { keys: ["W"], command: "span/pickBack" },
  { keys: ["l"], command: "span/endOn" },
  { keys: ["h"], command: "span/endBack" },
  { keys: ["L"], command: "span/startOn" },
  { keys: ["H"], command: "span/startBack" },
  { keys: ["i"], command: "span/next" },
  { keys: ["I"], command: "span/edit" },
  { keys: ["C"], command: "label/carry" },
  { keys: ["e"], command: "note/edit" },
  { keys: ["x"], command: "step/fold" },
  { keys: ["v"], command: "step/source" },
  { keys: ["V"], command: "prompt/show" },
  { keys: ["o"], command: "step/showInFile" },
  { keys: ["r"], command: "monitor/run" },
  { keys: ["/"], command: "find/open" },
  { keys: ["f"], command: "findings/toggle" },
  { keys: ["t"], command: "outline/toggle" },
  { keys: ["g"], command: "guidelines/show" },
  { keys: ["S"], command: "session/skip" },
  { keys: ["R"], command: "session/reveal" },
  { keys: ["A"], command: "side/1" },
  { keys: ["B"], command: "side/2" },
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

/** What a view with commands listens to: who has the focus, letters typed before a field opened, and saving. Returns the way to stop. */
export function watchKeys(app: App): () => void {
  const forget = noteTypedKeys();
  const stopSaving = saveOnKey(app);
  const stopFocus = reportFocus(app, fieldLeft);
  return () => {
    forget();
    stopSaving();
    stopFocus();
  };
}
