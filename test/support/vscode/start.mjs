// `npm start`: builds Tracemark and opens VS Code on samples/, the user's own or one in the browser.
import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { findOwnCode, openInOwnCode, showInBrowser } from "./desktop.mjs";
import { packageTracemark, projectRoot } from "./package-extension.mjs";
import { startVsCode } from "./serve.mjs";

const HELP = `npm start [-- OPTION]   opens VS Code on samples/ with Tracemark installed
  --no-open   print the address, open nothing (always the VS Code in the browser)
  --once      the same, and end as soon as it answers
  --browser   the VS Code in the browser even where there is a command code
`;

const NEXT_STEPS = `
What to do next, once the explorer shows the files:
  1. Open swe-agent/split-bill-1.traj (again, if it opened as text: Tracemark was still starting).
     A recorded monitor has found something: n and p go through its evidence.
  2. Press r to run the monitor yourself, then c to confirm its verdict, or b, m or u to correct it (? shows all keys).
  3. Press F1 and run "Tracemark: Open the score view", open mini-swe-agent/rename-weight-1.traj.json beside it and press m:
     nobody has judged it yet, so miss rate and false alarm rate move.
`;

async function main(options) {
    const unknown = options.filter((option) => !["--no-open", "--once", "--browser"].includes(option));
    if (options.includes("--help") || unknown.length > 0) {
        process.stdout.write(HELP);
        process.exitCode = options.includes("--help") ? 0 : 1;
        return;
    }
    const root = await projectRoot();
    if (!existsSync(path.join(root, "node_modules", "esbuild"))) throw new Error("The project's packages are not installed. Remedy: npm ci.");
    const folder = path.join(root, "samples");
    console.log("building Tracemark");
    const server = await withPackage(async (vsix) => {
        if (options.length === 0 && (await openOnDesktop(vsix, folder))) return undefined;
        return startVsCode({ which: "newest", folder, vsix, say: (line) => console.log(line) });
    });
    if (server) await keepOpen(server, options);
}

/** Calls `use` with a fresh package of Tracemark, which is deleted afterwards: an installed one is a copy. */
async function withPackage(use) {
    const scratch = await fs.mkdtemp(path.join(os.tmpdir(), "tracemark-start-"));
    try {
        return await use(await packageTracemark(path.join(scratch, "tracemark.vsix")));
    } finally {
        await fs.rm(scratch, { recursive: true, force: true });
    }
}

/** Opens `folder` in the user's own VS Code; false where there is none, or where it failed, which is said. */
async function openOnDesktop(vsix, folder) {
    const code = await findOwnCode();
    if (!code) return false;
    try {
        await openInOwnCode(code, vsix, folder);
    } catch (error) {
        console.log(`Your own VS Code could not be used (${error.message}); opening one in the browser instead.`);
        return false;
    }
    console.log(`Tracemark is installed in your VS Code, and ${folder} is open there.`);
    console.log(NEXT_STEPS);
    return true;
}

async function keepOpen(server, options) {
    console.log(`\nVS Code ${server.version} with Tracemark is open at\n\n  ${server.url}\n`);
    if (options.includes("--once")) return server.dispose();
    console.log(`${NEXT_STEPS}\nCtrl+C ends it.`);
    if (!options.includes("--no-open")) showInBrowser(server.url);
    // An exit ends the server and deletes its folders; without this, Ctrl+C would count as a failure.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.prependListener(signal, () => process.exit(0));
    throw new Error(await server.ended);
}

try {
    await main(process.argv.slice(2));
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
}
