/** Draws one of the views into the page and tells the host that it is there. */
import { render } from "preact";
import type { Host } from "./host/host";
import { ScoreView } from "./score/view";
import { AppContext, createApp, type App } from "./state/app";
import { TrajectoryView } from "./trajectory/view";
import { registerUi } from "./ui/register";

export type ViewName = "trajectory" | "score";

export function start(host: Host, view: ViewName): App {
  registerUi();
  const root = document.getElementById("app") ?? document.body.appendChild(Object.assign(document.createElement("div"), { id: "app" }));
  const app = createApp(host, document.body.dataset["fileName"] ?? "");
  render(<AppContext.Provider value={app}>{view === "score" ? <ScoreView /> : <TrajectoryView />}</AppContext.Provider>, root);
  host.post({ type: "view/ready" });
  return app;
}
