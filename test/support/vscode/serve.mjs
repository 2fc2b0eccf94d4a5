// Starts a VS Code of its own on a folder: own user data, extensions, configuration and port each time.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { ensureVsCode } from "./install.mjs";
import { withPath } from "./npm.mjs";
import { packageFolder } from "./package-extension.mjs";
import { endGroup, processesOfGroup, startGroup } from "./processes.mjs";

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 100;

/** User settings of every run; `settings` of `startVsCode` go over them. */
export const DEFAULT_SETTINGS = {
    "files.autoSave": "off", // the default in a browser is on, unlike on the desktop
    "chat.disableAIFeatures": true,
    "workbench.startupEditor": "none",
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.tips.enabled": false,
    "workbench.enableExperiments": false,
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": false,
    "extensions.ignoreRecommendations": true,
    "git.openRepositoryInParentFolders": "never",
    "security.workspace.trust.startupPrompt": "never", // with `trust`, the older version would open with a dialog
    "explorer.compactFolders": false, // one row for each folder, so that a path can be followed
};

/**
 * Starts VS Code and resolves once it answers over HTTP.
 *
 * - `which`: "newest" (default) or "floor".
 * - `folder`: the workspace folder to open.
 * - `vsix`: the package to install, or `extensionDir`: a built extension folder to package and install.
 * - `moreExtensions`: folders of further extensions to package and install.
 * - `settings`: user settings over `DEFAULT_SETTINGS`.
 * - `trust`: true leaves workspace trust in force, so that the folder opens in Restricted Mode; by
 *   default every folder is trusted.
 * - `env`: environment variables for the server and so for the extension host.
 * - `say`: gets progress lines.
 *
 * Resolves with `url` (of the workbench on `folder`), `port`, `version` (of VS Code), `folder`,
 * `userDataDir`, `extensionsDir`, `logFile` (the server's output), `configDir` (XDG_CONFIG_HOME and XDG_STATE_HOME of everything in it), `setSettings(changes)` (writes
 * them to the user settings; a window shows them when it is opened or reloaded next),
 * `processes(text)` (those of this VS Code whose command line contains `text`), `ended` (a promise
 * of the reason, when it ends by itself) and `dispose()`, which ends all its processes and deletes
 * its folders. Ending this process does the same.
 */
export async function startVsCode({ which = "newest", folder, vsix, extensionDir, moreExtensions = [], settings = {}, trust = false, env = {}, say }) {
    const { serverPath, nodePath, version } = await ensureVsCode(which, say);
    const base = await fs.mkdtemp(path.join(os.tmpdir(), "tracemark-vscode-"));
    const clean = () => rmSync(base, { recursive: true, force: true, maxRetries: 3 });
    try {
        const home = await makeHome(base, { ...DEFAULT_SETTINGS, ...settings });
        const run = { nodePath, serverPath, home, env: serverEnvironment(home, path.dirname(nodePath), env) };
        const pack = extensionDir ? await packageFolder(extensionDir, path.join(base, "extension.vsix")) : vsix;
        if (pack) await installExtension(run, path.resolve(pack));
        for (const [at, more] of moreExtensions.entries()) await installExtension(run, await packageFolder(path.resolve(more), path.join(base, `more-${at}.vsix`)));
        const child = startGroup(nodePath, [serverPath, ...serverArguments(home, trust), path.resolve(folder)], {
            cwd: base,
            env: run.env,
            log: home.logFile,
            onGone: clean,
        });
        const ended = new Promise((resolve) => {
            child.on("exit", (code, signal) => resolve(`VS Code ended with ${signal ?? `exit code ${code}`}.`));
            child.on("error", (error) => resolve(`VS Code could not be started: ${error.message}.`));
        });
        const dispose = async () => {
            await endGroup(child);
            clean();
        };
        try {
            const port = await waitUntilServing(ended, home.logFile, folder);
            return {
                url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(path.resolve(folder))}`,
                port,
                version,
                folder: path.resolve(folder),
                userDataDir: home.userDataDir,
                extensionsDir: home.extensionsDir,
                logFile: home.logFile,
                configDir: home.configDir,
                setSettings: (changes) => writeSettings(home, changes),
                processes: (text) => processesOfGroup(child.pid, text),
                ended: ended.then(async (reason) => `${reason}\n${await endOf(home.logFile)}`),
                dispose,
            };
        } catch (error) {
            await dispose();
            throw error;
        }
    } catch (error) {
        clean();
        throw error;
    }
}

async function makeHome(base, settings) {
    const home = {
        userDataDir: path.join(base, "user-data"),
        extensionsDir: path.join(base, "extensions"),
        configDir: path.join(base, "config"),
        logFile: path.join(base, "server.log"),
    };
    for (const folder of [home.extensionsDir, home.configDir, path.join(home.userDataDir, "User")]) {
        await fs.mkdir(folder, { recursive: true });
    }
    await writeSettings(home, settings);
    return home;
}

/** Writes `changes` over the user settings; `undefined` takes a setting out. */
async function writeSettings(home, changes) {
    const file = path.join(home.userDataDir, "User", "settings.json");
    const before = await fs.readFile(file, "utf8").then(JSON.parse, () => ({}));
    await fs.writeFile(file, JSON.stringify({ ...before, ...changes }, null, 2) + "\n");
}

/**
 * The environment of the server: without what an outer VS Code, npm or test runner left, which
 * would make it talk to them, and with a configuration folder of its own.
 */
function serverEnvironment(home, nodeBin, extra) {
    const kept = Object.entries(process.env).filter(
        ([name]) => !/^(VSCODE_|CODE_SERVER|ELECTRON_|npm_|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_ENV$|NODE_V8_COVERAGE$|PASSWORD$|HASHED_PASSWORD$|PORT$|INIT_CWD$)/i.test(name),
    );
    // No look-ups of a gallery: packages are installed from files.
    const own = { EXTENSIONS_GALLERY: "{}", XDG_CONFIG_HOME: home.configDir, XDG_DATA_HOME: home.configDir, XDG_STATE_HOME: home.configDir, XDG_CACHE_HOME: path.join(home.configDir, "cache") };
    return withPath({ ...Object.fromEntries(kept), ...own, ...extra }, nodeBin);
}

function baseArguments(home) {
    return ["--config", path.join(home.configDir, "config.yaml"), "--user-data-dir", home.userDataDir, "--extensions-dir", home.extensionsDir];
}

function serverArguments(home, trust) {
    return [
        ...baseArguments(home),
        "--auth=none",
        "--bind-addr=127.0.0.1:0", // a free port, told in the log
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-getting-started-override",
        "--ignore-last-opened",
        ...(trust ? [] : ["--disable-workspace-trust"]),
    ];
}

async function installExtension({ nodePath, serverPath, home, env }, vsix) {
    await fs.access(vsix).catch(() => {
        throw new Error(`There is no extension package ${vsix}. Remedy: npm run package.`);
    });
    await new Promise((resolve, reject) => {
        execFile(nodePath, [serverPath, ...baseArguments(home), "--install-extension", vsix, "--force"], { env, cwd: home.configDir }, (error, stdout, stderr) => {
            if (error) reject(new Error(`VS Code did not install ${vsix}:\n${stdout}${stderr}`));
            else resolve();
        });
    });
}

/** Resolves with the port once the workbench page is served; throws with the end of the log when it is not. */
async function waitUntilServing(ended, logFile, folder) {
    const deadline = Date.now() + START_TIMEOUT_MS;
    let reason;
    ended.then((text) => (reason = text));
    let port;
    while (!reason && Date.now() < deadline) {
        port ??= await fs.readFile(logFile, "utf8").then((log) => /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log)?.[1], () => undefined);
        if (port && (await answers(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(path.resolve(folder))}`))) return Number(port);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`${reason ?? `VS Code did not answer within ${START_TIMEOUT_MS / 1000} s.`}\n${await endOf(logFile)}`);
}

async function endOf(logFile) {
    return (await fs.readFile(logFile, "utf8").catch(() => "")).slice(-3000);
}

async function answers(url) {
    try {
        const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
        return response.ok && (await response.text()).includes("vscode-workbench-web-configuration");
    } catch {
        return false; // not listening yet
    }
}
