/** Who has the focus: the page or one of its fields. Apart from the commands, since views without commands need it too. */
import { takesText } from "../ui/keys";
import type { App } from "../state/app";

/** Tells the host whether single keys are commands: not while a field of the view has the focus. `onFieldLeft` hears of a field that lost it. Returns the way to stop. */
export function reportFocus(app: App, onFieldLeft?: () => void): () => void {
  let active: boolean | undefined;
  const report = (keysActive: boolean) => {
    if (keysActive === active) return;
    active = keysActive;
    app.host.post({ type: "view/focus", keysActive });
  };
  const onIn = (event: FocusEvent) => report(!takesText(event.composedPath()[0]));
  // A focus that leaves for nowhere is on the page itself again, unless the page lost it altogether.
  const onOut = (event: FocusEvent) => {
    if (takesText(event.composedPath()[0])) onFieldLeft?.();
    if (!event.relatedTarget) report(document.hasFocus());
  };
  // Explorer, panels and other windows: while the page has not the focus, no key is meant for it.
  const onBlur = () => report(false);
  const onFocus = () => report(!takesText(document.activeElement));
  document.addEventListener("focusin", onIn);
  document.addEventListener("focusout", onOut);
  window.addEventListener("blur", onBlur);
  window.addEventListener("focus", onFocus);
  report(document.hasFocus());
  return () => {
    window.removeEventListener("blur", onBlur);
    window.removeEventListener("focus", onFocus);
    document.removeEventListener("focusin", onIn);
    document.removeEventListener("focusout", onOut);
  };
}
