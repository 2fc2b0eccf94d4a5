// Opens damaged files without end, or as many as asked for, and reports what must never happen: an exception, a reader that
// failed, silence, more than five seconds, more memory than is given.
// node test/support/fuzz/run.mjs [--count=50000] [--from=0] [--memory=1024 (MB of heap)] [folder…]
import { build } from "esbuild";
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";

const words = process.argv.slice(2);
const option = (name, usual) => Number(words.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? usual);
const count = option("count", 50_000);
const first = option("from", 0);
const memory = option("memory", 1024);
const given = words.filter((word) => !word.startsWith("--"));
const folders = given.length > 0 ? given : ["samples", "test/support/fuzz/seeds", "../shared/trajectories"];
// Processor time that one file may take, and the time after which a process counts as stuck however busy the machine is.
const slowMs = 5000;
const stuckMs = 90_000;

const { dependencies, devDependencies, version } = JSON.parse(readFileSync("package.json", "utf8"));
await build({
  entryPoints: ["test/support/fuzz/worker.ts"], outfile: "out/fuzz/worker.mjs", bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "warning",
  sourcemap: "inline", loader: { ".md": "text" }, define: { __VERSION__: JSON.stringify(version) },
  external: Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => [name, `${name}/*`]),
});

const result = { files: 0, withSteps: 0, faults: {}, hangs: [], deaths: [], slowest: { ms: 0, name: "" }, peakMB: 0 };

/** One process from `from` on; answers where the next one has to go on, past a file that hung or killed it. */
function stretch(from) {
  return new Promise((done) => {
    const child = fork("out/fuzz/worker.mjs", [String(from), String(first + count), ...folders], { execArgv: ["--enable-source-maps", `--max-old-space-size=${memory}`], stdio: ["ignore", "inherit", "pipe", "ipc"] });
    let errors = "";
    let current;
    let hung = false;
    let timer;
    child.stderr.on("data", (data) => (errors = (errors + data).slice(-3000)));
    child.on("message", (message) => {
      clearTimeout(timer);
      if (message.begins !== undefined) {
        current = message;
        timer = setTimeout(() => {
          hung = true;
          child.kill("SIGKILL");
        }, stuckMs);
        return;
      }
      if (message.ended === undefined) return;
      current = undefined;
      result.files++;
      if (message.steps > 0) result.withSteps++;
      result.peakMB = Math.max(result.peakMB, Math.round(message.rss / 1e6));
      if (message.ms > result.slowest.ms) result.slowest = { ms: Math.round(message.ms), name: `${message.ended} ${message.name}` };
      if (message.ms > slowMs) result.hangs.push({ round: message.ended, name: message.name, ms: Math.round(message.ms) });
      if (message.fault) {
        // Faults of one kind are counted; the first files are named.
        const kind = message.fault.split("\n")[0];
        const known = (result.faults[kind] ??= { count: 0, files: [], stack: message.fault.slice(0, 800) });
        if (known.count === 0) console.error(`${message.ended} ${message.name}\n${known.stack}`);
        if (++known.count <= 5) known.files.push(`${message.ended} ${message.name}`);
      }
      if (result.files % 5000 === 0) console.error(`${result.files} files, ${Object.keys(result.faults).length} kinds of faults, ${result.hangs.length} hangs, ${result.deaths.length} deaths, peak ${result.peakMB} MB`);
    });
    child.on("exit", (code) => {
      clearTimeout(timer);
      if (current === undefined) {
        if (code !== 0) console.error(errors);
        done(undefined);
        return;
      }
      result.files++;
      (hung ? result.hangs : result.deaths).push({ round: current.begins, name: current.name, ...(hung ? {} : { errors: errors.slice(-600) }) });
      done(current.begins + 1);
    });
  });
}

for (let from = first; from !== undefined && from < first + count; ) from = await stretch(from);
console.log(JSON.stringify(result, null, 1));
process.exitCode = Object.keys(result.faults).length + result.hangs.length + result.deaths.length > 0 || result.files < count ? 1 : 0;
