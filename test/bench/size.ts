/** What is shipped, in megabytes: the package, and the bundles that are read at start. `dist/` must hold a production build. */
import { mkdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { packageFolder } from "../support/vscode/package-extension.mjs";
import type { BenchRow } from "./read";

function row(name: string, file: string, target: number): BenchRow {
  const value = statSync(file).size / 1e6;
  return { name, value: Number(value.toFixed(3)), unit: "MB", target, met: value <= target, detail: `${(value * 1000).toFixed(0)} kB` };
}

export async function run(): Promise<BenchRow[]> {
  const out = resolve("out", "bench-package", "tracemark.vsix");
  mkdirSync(resolve("out", "bench-package"), { recursive: true });
  await packageFolder(resolve("."), out);
  return [
    row("size-vsix", out, 1.5),
    row("size-webview-js", "dist/webview.js", 0.45),
    row("size-score-js", "dist/score.js", 0.35),
    row("size-pair-js", "dist/pair.js", 0.2),
    row("size-extension-cjs", "dist/extension.cjs", 0.6),
    // 0.7 with a dozen formats; sixteen more readers, about 9 kB each, and the monitors of models came on top.
    row("size-server-cjs", "dist/server.cjs", 0.9),
  ];
}
