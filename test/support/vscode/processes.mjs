// Starts servers as process groups that end with this process, whatever ends it.
import { execFile, spawn } from "node:child_process";
import { openSync, closeSync } from "node:fs";

const GRACE_MS = 5_000;
/** Groups that still run, with what to do once they are gone. */
const groups = new Map();

/**
 * Starts `command` as the leader of a process group of its own, its output appended to the file
 * `log`. The group is ended when this process exits or is interrupted. `onGone` (synchronous, may
 * be called twice) cleans up after it then.
 */
export function startGroup(command, args, { cwd, env, log, onGone }) {
    const out = openSync(log, "a");
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", out, out] });
    closeSync(out);
    if (child.pid === undefined) return child; // its "error" event tells why
    if (groups.size === 0) addExitHandlers();
    groups.set(child.pid, onGone);
    return child;
}

/** Ends the whole group led by `child`: asks first, insists after five seconds; resolves when it is gone. */
export async function endGroup(child) {
    if (child.pid === undefined) return;
    signal(child.pid, "SIGTERM");
    const deadline = Date.now() + GRACE_MS;
    while (groupLives(child.pid) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    signal(child.pid, "SIGKILL");
    groups.delete(child.pid);
    if (groups.size === 0) removeExitHandlers();
}

/** Processes of the group led by `leader` (its pid) whose command line contains `text`: `{ pid, command }[]`. */
export async function processesOfGroup(leader, text) {
    const listing = await new Promise((resolve, reject) => {
        execFile("ps", ["-A", "-o", "pid=,pgid=,args="], { maxBuffer: 1 << 24 }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
    const found = [];
    for (const line of listing.split("\n")) {
        const [, pid, group, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
        if (Number(group) === leader && command.includes(text)) found.push({ pid: Number(pid), command });
    }
    return found;
}

function signal(leader, name) {
    try {
        process.kill(-leader, name);
    } catch (error) {
        if (error.code !== "ESRCH") throw error;
    }
}

function groupLives(leader) {
    try {
        process.kill(-leader, 0);
        return true;
    } catch {
        return false;
    }
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const onSignal = (name) => process.exit(SIGNALS[name]);

function endAllNow() {
    for (const [leader, onGone] of groups) {
        signal(leader, "SIGKILL");
        onGone();
    }
}

function addExitHandlers() {
    process.on("exit", endAllNow);
    for (const name of Object.keys(SIGNALS)) process.on(name, onSignal);
}

function removeExitHandlers() {
    process.off("exit", endAllNow);
    for (const name of Object.keys(SIGNALS)) process.off(name, onSignal);
}
