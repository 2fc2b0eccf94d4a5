/** Entry of the bundle of the pair view and of the editor of authored trajectories; `data-view` on the body says which one. */
import "../styles/pair-index.css";
import { createPairHost } from "./host";
import { startPair } from "./start";

const host = createPairHost();
if (host) startPair(host, document.body.dataset["view"] === "authored" ? "authored" : "pair");
