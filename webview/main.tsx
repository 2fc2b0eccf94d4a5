/** Entry of the views' one bundle. `data-view` on the body says which view the page is. */
import "./styles/index.css";
import { createVsCodeHost } from "./host/vscode-host";
import { start } from "./start";

const view = document.body.dataset["view"];
const host = view === "trajectory" || view === "score" ? createVsCodeHost() : undefined;
if (host) start(host, view === "score" ? "score" : "trajectory");
