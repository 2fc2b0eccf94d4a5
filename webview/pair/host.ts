/** What the views of pairs and authored trajectories know of the world outside: messages out, checked messages in. */
import { ToPairView, type FromPairView } from "#protocol/pairs";

export interface PairHost {
  post(message: FromPairView): void;
  /** Returns the way to stop listening. */
  onMessage(listener: (message: ToPairView) => void): () => void;
}

interface VsCodeApi { postMessage(message: unknown): void }
declare const acquireVsCodeApi: undefined | (() => VsCodeApi);

/** The host of a page that VS Code made, or undefined anywhere else. */
export function createPairHost(): PairHost | undefined {
  if (typeof acquireVsCodeApi === "undefined") return undefined;
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    onMessage(listener) {
      const onEvent = (event: MessageEvent): void => {
        // Only the frame that embeds this page may speak; a frame from elsewhere has another origin.
        if (event.origin !== window.origin && event.source !== window.parent && event.source !== window) return;
        const parsed = ToPairView.safeParse(event.data);
        if (parsed.success) listener(parsed.data);
        else api.postMessage({ type: "error/raised", message: `The view could not read a message (${parsed.error.issues[0]?.path.join(".") ?? ""}).` });
      };
      window.addEventListener("message", onEvent);
      return () => window.removeEventListener("message", onEvent);
    },
  };
}
