// Runs npm for the harness: the user's registry settings, quiet output, and errors that name a remedy.
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import * as path from "node:path";

const SHOWN_LINES = 40;

/** What a failed npm run says, by the first pattern found in its output, and what helps. */
const REMEDIES = [
    [/ENOSPC/, "The disk is full: free about 1 GB in the cache folder's file system."],
    [/EACCES|EPERM/, "The cache folder cannot be written: set XDG_CACHE_HOME to one that can."],
    [/E401|E403/, "The registry refused: check the registry and its login in your npm settings (npm config ls)."],
    [/E404|ETARGET/, "The registry does not have this package: check the registry in your npm settings (npm config get registry)."],
    [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET/, "The registry was not reached: check the network, the proxy and the registry in your npm settings (npm config ls)."],
    [/find Python|gyp ERR! find|not found: make|gyp ERR! build error/, "Compiling failed: install a C++ compiler, make and Python 3 (Debian, Ubuntu: apt-get install build-essential python3)."],
];

/**
 * Runs `npm ARGS` in `cwd` and resolves when it succeeded. All output goes to the file `log`; an
 * error carries its last lines and a remedy. `nodeBin` (a folder) is put first in PATH, so that npm
 * and what it starts run on that Node.
 */
export async function npm(args, { cwd, log, nodeBin }) {
    const out = createWriteStream(log, { flags: "a" });
    out.write(`\n> npm ${args.join(" ")}\n`);
    let tail = "";
    // Before the arguments: what stands behind a "--" in them goes to a script.
    const child = spawn("npm", ["--no-audit", "--no-fund", "--no-update-notifier", ...args], {
        cwd,
        env: npmEnvironment(nodeBin),
        stdio: ["ignore", "pipe", "pipe"],
        shell: process.platform === "win32", // npm is a .cmd file there
    });
    const keep = (chunk) => {
        out.write(chunk);
        tail = (tail + chunk).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const code = await new Promise((resolve, reject) => {
        child.on("error", (error) => reject(new Error(`npm could not be started (${error.message}). Remedy: install Node with npm.`)));
        child.on("close", resolve);
    }).finally(() => out.end());
    if (code === 0) return;
    const remedy = REMEDIES.find(([pattern]) => pattern.test(tail))?.[1] ?? "Read the log named above, then try again.";
    const shown = tail.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
    throw new Error(`npm ${args.join(" ")} failed with exit code ${code}.\n${shown}\nWhole log: ${log}\nRemedy: ${remedy}`);
}

/**
 * The environment for npm: the present one without what an outer `npm run` left in it about the
 * project itself, which would make npm work on the project instead of on the folder it is started in.
 */
function npmEnvironment(nodeBin) {
    const env = {};
    for (const [name, value] of Object.entries(process.env)) {
        if (/^npm_(package|lifecycle|command|execpath|node_execpath)/i.test(name)) continue;
        if (/^npm_config_(local_prefix|global_prefix|prefix|global|dry_run|workspaces?|omit|include|ignore_scripts|only|production)$/i.test(name)) continue;
        if (name === "INIT_CWD" || name === "NODE_OPTIONS" || name === "NODE_ENV") continue;
        env[name] = value;
    }
    return nodeBin ? withPath(env, nodeBin) : env;
}

/** A copy of `env` with the folder `bin` first in PATH, however the platform spells that name. */
export function withPath(env, bin) {
    const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
    return { ...env, [name]: [bin, env[name]].filter(Boolean).join(path.delimiter) };
}
