/** Draws a view into the page and tells the host that it is there. Knows no view, so that each bundle holds only its own. */
import { render, type VNode } from "preact";
import type { Host } from "./host/host";
import { AppContext, createApp, type App } from "./state/app";
import { registerUi } from "./ui/register";

export function start(host: Host, view: VNode): App {
  registerUi();
  const root = document.getElementById("app") ?? document.body.appendChild(Object.assign(document.createElement("div"), { id: "app" }));
  const app = createApp(host, document.body.dataset["fileName"] ?? "");
  render(<AppContext.Provider value={app}>{view}</AppContext.Provider>, root);
  host.post({ type: "view/ready" });
  return app;
}
