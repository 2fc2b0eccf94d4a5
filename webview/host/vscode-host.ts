/** The host inside VS Code: `acquireVsCodeApi` stays private to this file, and everything that comes in is checked. */
import { ToWebview } from "#protocol/webview";
import type { Host } from "./host";
import { Requester } from "./rpc";

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare const acquireVsCodeApi: undefined | (() => VsCodeApi);

/** The host of a page that VS Code made, or undefined anywhere else. */
export function createVsCodeHost(): Host | undefined {
  if (typeof acquireVsCodeApi === "undefined") return undefined;
  const api = acquireVsCodeApi();
  const listeners = new Set<(message: ToWebview) => void>();
  const requester = new Requester((message) => api.postMessage(message));

  window.addEventListener("message", (event) => {
    // Only the frame that embeds this page may speak; a frame from elsewhere has another origin.
    if (event.origin !== window.origin && event.source !== window.parent && event.source !== window) return;
    const parsed = ToWebview.safeParse(event.data);
    if (!parsed.success) {
      const tag = typeof event.data?.type === "string" ? event.data.type : "(none)";
      // The issue's path says what is wrong without repeating any of the content.
      const at = parsed.error.issues[0]?.path.join(".") ?? "";
      api.postMessage({ type: "error/raised", message: `The view could not read the message "${tag}" (${at}).` });
      return;
    }
    if (parsed.data.type === "reply") requester.accept(parsed.data);
    else for (const listener of [...listeners]) listener(parsed.data);
  });

  return {
    ownsKeys: false,
    post: (message) => api.postMessage(message),
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    request: (method, params) => requester.request(method, params),
    getState: () => api.getState(),
    setState: (state) => api.setState(state),
  };
}
