/** Entry of the trajectory view's bundle. */
import "./styles/index.css";
import { createVsCodeHost } from "./host/vscode-host";
import { start } from "./start";
import { TrajectoryView } from "./trajectory/view";

const host = createVsCodeHost();
if (host) start(host, <TrajectoryView />);
