// Keeps big downloads in a folder of the user's cache, made once and by one process at a time.
import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";

const MARKER = ".tracemark-complete.json";
const HEARTBEAT_MS = 5_000;
/** A lock not refreshed for this long was left by a process that is gone. */
const STALE_MS = 120_000;
const POLL_MS = 500;

/** The folder that holds everything this harness downloads, outside the checkout. */
export function cacheRoot() {
    const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
    return path.join(base, "tracemark");
}

/**
 * Returns the folder `cacheRoot()/name`, calling `fill(folder)` first where it is not complete.
 *
 * `fill` gets an empty folder. The marker file is written after it, so that a folder whose making
 * was interrupted has none and is made again. The marker repeats `key` (a string): another key, for
 * example another processor on a shared home folder, also makes the folder again. Callers in other
 * processes wait; `say` tells why.
 */
export async function cachedFolder(name, key, fill, say) {
    const folder = path.join(cacheRoot(), name);
    if (await isComplete(folder, key)) return folder;
    await fs.mkdir(cacheRoot(), { recursive: true });
    const release = await lock(`${folder}.lock`, say);
    try {
        if (await isComplete(folder, key)) return folder;
        await fs.rm(folder, { recursive: true, force: true });
        await fs.mkdir(folder, { recursive: true });
        await fill(folder);
        await fs.writeFile(path.join(folder, MARKER), JSON.stringify({ key }) + "\n");
        return folder;
    } finally {
        await release();
    }
}

async function isComplete(folder, key) {
    try {
        return JSON.parse(await fs.readFile(path.join(folder, MARKER), "utf8")).key === key;
    } catch {
        return false; // no marker, or one that was cut off: make the folder again
    }
}

/** Takes the lock file, waiting for its present owner; resolves with the function that gives it back. */
async function lock(file, say) {
    const mine = JSON.stringify({ pid: process.pid, host: os.hostname(), id: randomUUID() });
    for (let told = false; ; ) {
        try {
            await fs.writeFile(file, mine, { flag: "wx" });
            break;
        } catch (error) {
            if (error.code !== "EEXIST") throw error;
        }
        if (await isStale(file)) {
            await discard(file);
            continue;
        }
        if (!told) say(`waiting for another process that holds ${file}`);
        told = true;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const heartbeat = setInterval(() => {
        const now = new Date();
        fs.utimes(file, now, now).catch(() => {}); // a missed beat is made good by the next
    }, HEARTBEAT_MS);
    heartbeat.unref();
    return async () => {
        clearInterval(heartbeat);
        const held = await fs.readFile(file, "utf8").catch(() => "");
        if (held === mine) await fs.rm(file, { force: true });
    };
}

async function isStale(file) {
    let stat, text;
    try {
        stat = await fs.stat(file);
        text = await fs.readFile(file, "utf8");
    } catch {
        return false; // given back in the meantime: the next try gets it
    }
    if (Date.now() - stat.mtimeMs > STALE_MS) return true;
    try {
        const { pid, host } = JSON.parse(text);
        return host === os.hostname() && !isAlive(pid);
    } catch {
        return false; // its owner is still writing it
    }
}

function isAlive(pid) {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return error.code === "EPERM";
    }
}

/** Removes a stale lock so that of two processes that saw it stale only one removes that very lock. */
async function discard(file) {
    const aside = `${file}.${randomUUID()}`;
    try {
        await fs.rename(file, aside);
    } catch {
        return; // somebody else was first
    }
    if (!(await isStale(aside))) {
        // Taken anew between the look and the renaming: hand it back to its owner.
        await fs.link(aside, file).catch(() => {});
    }
    await fs.rm(aside, { force: true });
}
