/** Registers the toolkit's elements, once, in a browser only. Nothing outside `webview/ui` knows which kit this is. */
import {
  provideVSCodeDesignSystem, vsCodeButton, vsCodeCheckbox, vsCodeDropdown, vsCodeOption,
  vsCodeTextArea, vsCodeTextField,
} from "@vscode/webview-ui-toolkit";

export function registerUi(): void {
  if (typeof customElements === "undefined" || customElements.get("vscode-button")) return;
  // The kit reads the theme when the page fires `load` and never again. A script that runs later would leave it with its
  // built-in dark colours for ever.
  const isLate = document.readyState === "complete";
  provideVSCodeDesignSystem().register(
    vsCodeButton(), vsCodeCheckbox(), vsCodeDropdown(), vsCodeOption(), vsCodeTextArea(), vsCodeTextField(),
  );
  if (isLate) window.dispatchEvent(new Event("load"));
}
