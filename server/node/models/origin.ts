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

const UserConfig = z.looseObject({ allowed_origins: z.optional(z.array(z.string())) });

/** The origins that the user's own settings allow. A file that is not there allows none; a damaged one is refused. */
export function allowedByUser(file: string = userConfigFile()): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  const parsed = UserConfig.safeParse(jsonOrUndefined(text));
  if (!parsed.success) throw new ExpectedFailure("the file does not have the form {\"allowed_origins\": [\"https://host\"]}", "mend or remove it", { file });
  return (parsed.data.allowed_origins ?? []).flatMap((entry) => originOf(entry) ?? []);
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Refuses an address that is neither this machine nor among `allowed`. Returns its origin.
 * Throws an `ExpectedFailure` that says how to allow it.
 */
export function requireAllowed(baseUrl: string, allowed: readonly string[], monitor: string): string {
  const origin = originOf(baseUrl);
  if (origin === undefined) throw new ExpectedFailure(`monitor "${monitor}" has the base_url "${baseUrl}", which is no http or https address`, "correct it in tracemark.json");
  if (isLoopback(origin) || allowed.some((one) => originOf(one) === origin)) return origin;
  throw new ExpectedFailure(
    `monitor "${monitor}" would send trajectories to ${origin}, which you have not allowed`,
    `add --allow-origin ${origin}, or put it into allowed_origins of ${userConfigFile()}`,
  );
}
