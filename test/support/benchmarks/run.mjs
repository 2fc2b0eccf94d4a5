// Miss rate and false alarm rate of the rules on the public sets: node test/support/benchmarks/run.mjs [folder of the sets] [folder for the manifests]
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { build } from "esbuild";

const sets = process.argv[2] ?? "../shared/benchmarks";
const out = process.argv[3] ?? "out/benchmarks";
if (!existsSync(sets)) {
  console.error(`error: ${sets} is not there; name the folder that holds agentdojo-traces and the other sets`);
  process.exit(2);
}
await build({
  entryPoints: ["test/support/benchmarks/table.ts"], outfile: "out/benchmark-table.mjs", bundle: true, platform: "node", format: "esm", target: "node20",
  packages: "external", loader: { ".md": "text" }, logLevel: "warning",
});
process.exit(spawnSync(process.execPath, ["out/benchmark-table.mjs", sets, out], { stdio: "inherit" }).status ?? 2);
