/** An exclusive lock beside a file: `NAME.lock` with process, host and heartbeat, so that one left behind is told from one in use. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Disk } from "./disk";

export interface LockOptions {
  readonly disk: Disk;
  /** Milliseconds since 1970, as the file system stamps files; default the machine's clock. */
  readonly now?: () => number;
  /** How long to wait for a lock in use. */
  readonly waitMs?: number;
  /** Age of the heartbeat after which a lock is stale whoever holds it. */
  readonly staleMs?: number;
}

export interface HeldLock {
  release(): Promise<void>;
}

/** Who holds a lock, as its file says; undefined fields where it does not. */
export interface LockHolder {
  readonly pid?: number;
  readonly host?: string;
}

export type LockResult =
  | { readonly held: HeldLock }
  /** `in-use`: waited in vain. `impossible`: no lock can be made here (`error` says why). */
  | { readonly refused: "in-use"; readonly holder: LockHolder }
  | { readonly refused: "impossible"; readonly error: unknown };

// Two systems may share a machine's name and not its processes (Windows and its Linux).
const thisHost = `${hostname()}/${process.platform}`;
const heartbeatMs = 5_000;
const ownTokens = new Set<string>();

interface LockContent {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** Takes the lock of `path`. Never rejects for a lock in use; waits for it up to `waitMs`. */
export async function takeLock(path: string, options: LockOptions): Promise<LockResult> {
  const file = `${path}.lock`;
  const { disk, waitMs = 5_000 } = options;
  const content: LockContent = { pid: process.pid, host: thisHost, token: randomBytes(12).toString("hex") };
  const started = performance.now();
  const watch: Watch = { key: "", since: started };
  for (let pause = 10; ; pause = Math.min(200, pause * 1.5)) {
    const taken = await tryCreate(file, content, disk);
    if (taken === "taken") return { held: hold(file, content, options) };
    if (taken !== "in-use") return { refused: "impossible", error: taken };
    const found = await inspect(file, watch, options);
    if (found.stale && (await breakLock(file, found.token, options))) continue;
    if (performance.now() - started >= waitMs) return { refused: "in-use", holder: found.holder };
    await new Promise((resolve) => setTimeout(resolve, pause + Math.random() * pause));
  }
}

async function tryCreate(file: string, content: LockContent, disk: Disk): Promise<"taken" | "in-use" | unknown> {
  ownTokens.add(content.token);
  try {
    await disk.createExclusive(file, JSON.stringify(content));
    return "taken";
  } catch (error) {
    ownTokens.delete(content.token);
    const code = (error as NodeJS.ErrnoException).code;
    // Windows answers EPERM or EBUSY while a removed lock is still open somewhere.
    if (code === "EEXIST" || (process.platform === "win32" && (code === "EPERM" || code === "EBUSY"))) return "in-use";
    if (code === "ENOSPC" || code === "EDQUOT") await disk.remove(file).catch(() => undefined);
    return error;
  }
}

function hold(file: string, content: LockContent, { disk, now = Date.now }: LockOptions): HeldLock {
  const timer = setInterval(() => void disk.touch(file, now()).catch(() => undefined), heartbeatMs);
  timer.unref();
  return {
    async release() {
      clearInterval(timer);
      try {
        // Someone may have taken us for dead; then the lock there is theirs.
        if (parse(await disk.readText(file))?.token === content.token) await disk.remove(file);
      } catch {
        // Gone, or out of reach: its heartbeat has stopped, so others will take it.
      } finally {
        ownTokens.delete(content.token);
      }
    },
  };
}

/** What was seen last, and since when it has not changed: ages are not taken from another machine's clock alone. */
interface Watch {
  key: string;
  since: number;
}

interface Inspection {
  readonly stale: boolean;
  readonly token: string;
  readonly holder: LockHolder;
}

async function inspect(file: string, watch: Watch, { disk, now = Date.now, staleMs = 60_000 }: LockOptions): Promise<Inspection> {
  try {
    const [text, facts] = [await disk.readText(file), await disk.facts(file)];
    const content = parse(text);
    const key = `${text}|${facts.mtimeMs}`;
    if (key !== watch.key) Object.assign(watch, { key, since: performance.now() });
    const abandoned = content !== undefined && content.host === thisHost && !isRunning(content);
    const silent = now() - facts.mtimeMs > staleMs && performance.now() - watch.since >= Math.min(1_000, staleMs);
    return { stale: abandoned || silent, token: text, holder: content ? { pid: content.pid, host: content.host } : {} };
  } catch {
    return { stale: false, token: "", holder: {} };
  }
}

function isRunning({ pid, token }: LockContent): boolean {
  // Process numbers come again, in containers always the same ones: our own number with a mark we do not know is an old life.
  if (pid === process.pid) return ownTokens.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Removes a stale lock. Two waiters may both have found it stale, and the slower must not remove the lock that the faster
 * has taken since: so this is done under a second lock, after looking again.
 */
async function breakLock(file: string, stale: string, { disk, now = Date.now }: LockOptions): Promise<boolean> {
  const guard = `${file}.break`;
  try {
    await disk.createExclusive(guard, "");
  } catch {
    const age = await disk.facts(guard).then(({ mtimeMs }) => now() - mtimeMs, () => 0);
    if (age > 10_000) await disk.remove(guard).catch(() => undefined);
    return false;
  }
  try {
    if ((await disk.readText(file)) !== stale) return false;
    await disk.remove(file);
    return true;
  } catch {
    return false;
  } finally {
    await disk.remove(guard).catch(() => undefined);
  }
}

function parse(text: string): LockContent | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockContent> | null;
    return typeof value?.pid === "number" && typeof value.host === "string" && typeof value.token === "string" ? (value as LockContent) : undefined;
  } catch {
    return undefined;
  }
}
