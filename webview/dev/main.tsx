/** Entry of the development page: a fixture and a theme by address, `?fixture=agent&theme=dark`. Never part of the product. */
import "../styles/index.css";
import "../styles/score-index.css";
import "../styles/pair-index.css";
import "./dev.css";
import { BrowserHost } from "../host/browser-host";
import { startPair } from "../pair/start";
import { ScoreView } from "../score/view";
import { start } from "../start";
import { TrajectoryView } from "../trajectory/view";
import { fixtures } from "./fixtures/index";
import { DevPairHost } from "./pair-host";
import { fonts, themeKinds, themes, type ThemeName } from "./themes";

const query = new URLSearchParams(location.search);

function applyTheme(name: ThemeName): void {
  const kind = themeKinds[name];
  document.body.classList.remove(...Object.values(themeKinds));
  document.body.classList.add(kind);
  document.body.dataset["vscodeThemeKind"] = kind;
  const { style } = document.documentElement;
  for (const property of [...style]) if (property.startsWith("--vscode-")) style.removeProperty(property);
  for (const [property, value] of Object.entries({ ...fonts, ...themes[name] })) style.setProperty(property, value);
}

const theme = query.get("theme");
applyTheme(theme !== null && theme in themes ? (theme as ThemeName) : "dark");
const name = query.get("fixture") ?? "agent";
if (name === "pair" || name === "authored") {
  const host = new DevPairHost(name, query.has("clean"), query.has("withheld"));
  startPair(host, name);
  Object.assign(window, { tracemark: { host, applyTheme, fixtures: Object.keys(fixtures) } });
} else {
  const make = fixtures[name] ?? fixtures["agent"]!;
  const file = make(query);
  const host = new BrowserHost(file, `tracemark-dev-${name}`);
  const app = start(host, file.score ? <ScoreView /> : <TrajectoryView />);
  // For tests and for looking around in the console.
  Object.assign(window, { tracemark: { host, app, applyTheme, fixtures: Object.keys(fixtures) } });
}
