// The user's own VS Code: whether there is one that can show a window, and how to open a folder in it.
import { execFile, spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";

/** Where links can be opened by the desktop: false on a machine without a screen. */
export function hasScreen(env = process.env) {
    if (process.platform === "darwin" || process.platform === "win32") return !env.SSH_CONNECTION;
    return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * The path of the command `code` where it can open a window: on a screen, or, through the socket
 * that it leaves in the environment, from a terminal inside VS Code. Otherwise `undefined`.
 */
export async function findOwnCode(env = process.env) {
    if (!hasScreen(env) && !env.VSCODE_IPC_HOOK_CLI) return undefined;
    const name = process.platform === "win32" ? "code.cmd" : "code";
    const folders = (env.PATH ?? env.Path ?? "").split(path.delimiter).filter(Boolean);
    for (const folder of folders) {
        const file = path.join(folder, name);
        if (await fs.access(file, fs.constants.X_OK).then(() => true, () => false)) return file;
    }
    return undefined;
}

/** Installs the package `vsix` in the user's own VS Code and opens `folder`. Throws with what `code` said when it fails. */
export async function openInOwnCode(code, vsix, folder) {
    await run(code, ["--install-extension", vsix, "--force"]);
    await run(code, [folder]);
}

function run(command, args) {
    const shell = process.platform === "win32"; // code is a .cmd file there
    const quoted = shell ? args.map((arg) => `"${arg}"`) : args;
    return new Promise((resolve, reject) => {
        execFile(shell ? `"${command}"` : command, quoted, { shell }, (error, stdout, stderr) => {
            if (error) reject(new Error(`${command} ${args.join(" ")}: ${`${stdout}${stderr}`.trim() || error.message}`));
            else resolve();
        });
    });
}

/** Asks the desktop to show `url` in the user's browser; does nothing where there is no screen or no such command. */
export function showInBrowser(url) {
    if (!hasScreen()) return;
    const command = process.platform === "darwin" ? "open" : "xdg-open";
    const child = spawn(command, [url], { stdio: "ignore", detached: true });
    child.on("error", () => {}); // the address is printed in any case
    child.unref();
}
