/** Where a model's text and key may go: origins, loopback, and what the user has allowed. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { ExpectedFailure } from "../expected-failure";

/** The origin of an address (`https://host:port`), or undefined when it is no http or https address. */
export function originOf(baseUrl: string): string | undefined {
  try {
    const url = new URL(baseUrl);
    return url.protocol === "http:" || url.protocol === "https:" ? url.origin : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an origin is this machine: `localhost`, 127.0.0.0/8 or ::1, nothing that a name server decides. */
export function isLoopback(origin: string): boolean {
  try {
    const { hostname } = new URL(origin);
    return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  } catch {
    return false;
  }
}

/** The folder of the user's own settings, which no workspace can write. */
export function userConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env["XDG_CONFIG_HOME"] || (process.platform === "win32" ? env["APPDATA"] : undefined) || join(homedir(), ".config");
  return join(base, "tracemark", "config.json");
}

const UserConfig = z.looseObject({
  allowed_origins: z.optional(z.array(z.string())),
  keys: z.optional(z.record(z.string(), z.string())),
  inside: z.optional(z.array(z.string())),
  no_egress: z.optional(z.boolean()),
});

/** What the user, never a workspace, allows. */
export interface UserSettings {
  /** Origins that text may go to. */
  readonly allowed: readonly string[];
  /** Names of environment variables to the one origin, or host pattern, that each key is for. */
  readonly keys: Readonly<Record<string, string>>;
  /** Host patterns (`*.cluster.example`) and IPv4 ranges (`10.0.0.0/8`) that count as inside: text may go there. */
  readonly inside: readonly string[];
  /** Nothing leaves this machine, whatever else is allowed. */
  readonly noEgress: boolean;
}

export const nothingAllowed: UserSettings = { allowed: [], keys: {}, inside: [], noEgress: false };

/** The user's own settings. A file that is not there allows nothing; one that is damaged or cannot be read is refused, since it may forbid. */
export function readUserSettings(file: string = userConfigFile()): UserSettings {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return nothingAllowed;
    throw new ExpectedFailure(`the file cannot be read: ${code ?? String(error)}`, "make it readable or remove it", { file });
  }
  const parsed = UserConfig.safeParse(jsonOrUndefined(text));
  if (!parsed.success) throw new ExpectedFailure("the file does not have the form {\"allowed_origins\": [\"https://host\"], \"keys\": {\"VARIABLE\": \"https://host\"}}", "mend or remove it", { file });
  const { allowed_origins: allowed = [], keys = {}, inside = [], no_egress: noEgress = false } = parsed.data;
  return { allowed: allowed.flatMap((entry) => originOf(entry) ?? []), keys, inside, noEgress };
}

/** Whether the host of `origin` fits a pattern: a name with `*`, or an IPv4 range. */
export function fitsHost(origin: string, pattern: string): boolean {
  let hostname: string;
  try {
    hostname = new URL(origin).hostname;
  } catch {
    return false;
  }
  const range = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(pattern);
  if (range) {
    const [address, base, bits] = [ipv4(hostname), ipv4(range[1]!), Number(range[2])];
    if (address === undefined || base === undefined || bits > 32) return false;
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor(base / size);
  }
  // A star stands for one or more whole names: `*.example` fits `a.b.example` and not `badexample`.
  const parts = pattern.toLowerCase().split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return pattern.length <= 253 && parts.length <= 4 && new RegExp(`^${parts.join("[a-z0-9.-]+")}$`).test(hostname);
}

/** Whether an origin is this machine, or a host that the user calls inside: a served model there is one's own, on whichever node. */
export function isOurs(origin: string, user: Pick<UserSettings, "inside">): boolean {
  return isLoopback(origin) || user.inside.some((pattern) => fitsHost(origin, pattern));
}

function ipv4(text: string): number | undefined {
  const parts = text.split(".").map(Number);
  return parts.length === 4 && parts.every((one) => Number.isInteger(one) && one >= 0 && one <= 255) ? parts.reduce((sum, one) => sum * 256 + one, 0) : undefined;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether text may go to `origin`: this machine, an origin named on the command line, or what the user's settings allow. */
export function isAllowed(origin: string, given: readonly string[], user: UserSettings): boolean {
  if (isLoopback(origin)) return true;
  if (user.noEgress) return false;
  return [...given, ...user.allowed].some((one) => originOf(one) === origin) || user.inside.some((pattern) => fitsHost(origin, pattern));
}

/**
 * Refuses an address that is neither this machine nor allowed. Returns its origin.
 * Throws an `ExpectedFailure` that says how to allow it.
 */
export function requireAllowed(baseUrl: string, given: readonly string[], monitor: string, user: UserSettings = nothingAllowed): string {
  const origin = originOf(baseUrl);
  if (origin === undefined) throw new ExpectedFailure(`monitor "${monitor}" has the base_url "${baseUrl}", which is no http or https address`, "correct it in tracemark.json");
  if (isAllowed(origin, given, user)) return origin;
  if (user.noEgress) throw new ExpectedFailure(`monitor "${monitor}" would send trajectories to ${origin}, and your settings forbid all sending`, `choose a monitor on this machine, or take no_egress out of ${userConfigFile()}`);
  throw new ExpectedFailure(
    `monitor "${monitor}" would send trajectories to ${origin}, which you have not allowed`,
    `add --allow-origin ${origin}, or put it into allowed_origins of ${userConfigFile()}`,
  );
}
