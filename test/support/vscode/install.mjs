// Finds or makes the VS Code that `npm start` and the tests use: code-server, out of the npm registry.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { cachedFolder } from "./cache.mjs";
import { ensureNode } from "./node-runtime.mjs";
import { npm } from "./npm.mjs";

/**
 * The two versions the tests run in: the newest, and the oldest that the extension promises to
 * support. `major` is the version of Node that each needs.
 */
const VERSIONS = {
    newest: { version: "4.139.1", vscode: "1.139.1", major: 24, overrides: {} },
    floor: {
        version: "4.100.3",
        vscode: "1.100.3",
        major: 20,
        // Its own argon2 has no ready-made binary and would need a compiler; this one has, with the same functions.
        overrides: { argon2: "0.44.0" },
        // Its own ripgrep comes from a download site; without one, search and `findFiles` fail.
        ripgrep: "1.18.0",
    },
};

/**
 * Makes sure that a VS Code is there and returns where: `serverPath` (the script to run),
 * `nodePath` (the Node executable to run it with) and `version` (of VS Code, such as "1.139.1").
 *
 * The first call takes a minute or two and up to 0.8 GB below `cacheRoot()`; later ones only look.
 * `which` is "newest" or "floor". `say` gets progress lines (default: standard error). Throws an
 * `Error` with a remedy in its message when the registry cannot be reached or the disk is full.
 */
export async function ensureVsCode(which, say = sayOnStderr) {
    const wanted = VERSIONS[which];
    if (!wanted) throw new Error(`There is no VS Code "${which}": say "newest" or "floor".`);
    if (process.platform === "win32") {
        throw new Error("The registry's VS Code does not run on Windows. Remedy: use WSL, or install VS Code so that `code` is on the PATH.");
    }
    const nodePath = await ensureNode(wanted.major, say);
    const key = `${process.platform}-${process.arch} ${JSON.stringify(wanted)}`; // made again when its recipe changes
    const folder = await cachedFolder(`vscode-${wanted.version}`, key, (into) => install(wanted, into, nodePath, say), say);
    return { serverPath: serverPathIn(folder), nodePath, version: wanted.vscode };
}

/**
 * Fills the empty folder `into`. No install script runs: what they would compile (logging, a
 * watchdog, terminals) is not needed, and neither is a compiler then.
 */
async function install({ version, vscode, overrides, ripgrep }, into, nodePath, say) {
    const start = Date.now();
    const nodeBin = path.dirname(nodePath);
    const log = path.join(into, "install.log");
    const lap = () => `${Math.round((Date.now() - start) / 1000)} s`;
    say(`making VS Code ${vscode} in ${into} (once, about a minute)`);
    await fs.writeFile(path.join(into, "package.json"), JSON.stringify({ private: true, overrides }) + "\n");
    say("  1/2 downloading the server");
    await npm(["install", "--ignore-scripts", `code-server@${version}`], { cwd: into, log, nodeBin });
    say(`  2/2 downloading what it runs on (${lap()} so far)`);
    const server = path.join(into, "node_modules", "code-server");
    await npm(["install", "--omit=dev", "--ignore-scripts"], { cwd: path.join(server, "lib", "vscode"), log, nodeBin });
    if (ripgrep) await addRipgrep(ripgrep, into, { log, nodeBin });
    say(`  VS Code ${vscode} is ready (${lap()})`);
}

async function addRipgrep(version, into, options) {
    const name = `@vscode/ripgrep-${process.platform}-${process.arch}`;
    await npm(["install", "--ignore-scripts", `${name}@${version}`], { cwd: into, ...options });
    const binary = path.join(into, "node_modules", name, "bin", "rg");
    await fs.access(binary);
    const bin = path.join(into, "node_modules", "code-server", "lib", "vscode", "node_modules", "@vscode", "ripgrep", "bin");
    await fs.mkdir(bin, { recursive: true });
    await fs.symlink(path.relative(bin, binary), path.join(bin, "rg"));
}

function serverPathIn(folder) {
    return path.join(folder, "node_modules", "code-server", "out", "node", "entry.js");
}

function sayOnStderr(line) {
    process.stderr.write(`${line}\n`);
}
