// The generalisation study on the public sets: node test/support/benchmarks/study.mjs [folder of the sets] [folder for the workspace]
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { build } from "esbuild";

const sets = process.argv[2] ?? "../shared/benchmarks";
const out = process.argv[3] ?? "out/study";
if (!existsSync(sets)) {
  console.error(`error: ${sets} is not there; name the folder that holds agentdojo-traces and the other sets`);
  process.exit(2);
}
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
await build({
  entryPoints: ["test/support/benchmarks/study.ts"], outfile: "out/benchmark-study.mjs", bundle: true, platform: "node", format: "esm", target: "node20",
  external: Object.entries(JSON.parse(readFileSync("package.json", "utf8"))).flatMap(([key, value]) => (/ependencies$/.test(key) ? Object.keys(value).flatMap((name) => [name, `${name}/*`]) : [])),
  loader: { ".md": "text" }, logLevel: "warning", define: { __VERSION__: JSON.stringify(version) },
});
process.exit(spawnSync(process.execPath, ["out/benchmark-study.mjs", sets, out], { stdio: "inherit" }).status ?? 2);
