/** Entry of the score view's bundle, apart from the trajectory view's so that neither loads the other. */
import "../styles/score-index.css";
import { createVsCodeHost } from "../host/vscode-host";
import { start } from "../start";
import { ScoreView } from "./view";

const host = createVsCodeHost();
if (host) start(host, <ScoreView />);
