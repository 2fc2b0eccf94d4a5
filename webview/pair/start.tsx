/** Draws one of the two views into the page and tells the host that it is there. */
import { render } from "preact";
import { AuthoredView } from "./authored-view";
import type { PairHost } from "./host";
import { PairView } from "./pair-view";

export function startPair(host: PairHost, view: "pair" | "authored"): void {
  const root = document.getElementById("app") ?? document.body.appendChild(Object.assign(document.createElement("div"), { id: "app" }));
  // What stands there until the script runs.
  root.replaceChildren();
  render(view === "authored" ? <AuthoredView host={host} /> : <PairView host={host} />, root);
}
