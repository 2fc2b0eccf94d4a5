/** Runs the verbs that judge in this process, against servers on loopback, with a user's settings, cache and egress log of the test's own. */
import { join } from "node:path";
import { readdirSync, readFileSync } from "node:fs";
import { ExpectedFailure } from "#node/expected-failure";
import { EgressLog } from "#node/models/egress-log";
import * as models from "#node/models/main";
import { nothingAllowed, type UserSettings } from "#node/models/origin";
import { makeRunVerb } from "../../server/cli/verbs/run";

export interface Ran {
  readonly code: number;
  readonly out: string[];
  readonly notes: string[];
  /** Whole lines of the run file, header first; empty where there is none. */
  readonly lines: Record<string, unknown>[];
}

export interface RunGiven {
  readonly env?: NodeJS.ProcessEnv;
  readonly user?: Partial<UserSettings>;
  readonly cacheFolder?: string;
  readonly egressFile?: string;
  readonly abort?: AbortController;
  readonly onOut?: (line: string) => void;
}

/** Calls `tracemark run` in `root`; a failure gives code 2 and its sentence as the last note. */
export async function runVerbIn(root: string, options: Record<string, unknown>, given: RunGiven = {}): Promise<Ran> {
  const out: string[] = [], notes: string[] = [];
  const verb = makeRunVerb({
    models: () => models, env: given.env ?? {}, user: () => ({ ...nothingAllowed, ...given.user }), cacheFolder: given.cacheFolder,
    ...(given.egressFile === undefined ? {} : { egressLog: () => EgressLog.open(given.egressFile) }),
  });
  const io = { out: (line: string) => { out.push(line); given.onOut?.(line); }, note: (line: string) => void notes.push(line), isTerminal: false, columns: 80, cwd: root };
  const before = new Set(runNames(root));
  let code = 2;
  try {
    code = await verb.run({ args: [], options: { concurrency: "4", repeat: "1", reasoning: true, ...options }, io, interrupted: () => (given.abort ?? new AbortController()).signal });
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error;
    notes.push(error.sentence());
  }
  const name = typeof options["resume"] === "string" ? `${options["resume"]}.jsonl` : runNames(root).find((one) => !before.has(one));
  return { code, out, notes, lines: name === undefined ? [] : linesOf(root, name) };
}

export function runNames(root: string): string[] {
  try {
    return readdirSync(join(root, "runs")).filter((name) => name.endsWith(".jsonl")).sort();
  } catch {
    return [];
  }
}

function linesOf(root: string, name: string): Record<string, unknown>[] {
  return readFileSync(join(root, "runs", name), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A workspace with `count` short samples and one monitor, `guard`. */
export function guardFiles(count: number, monitor: object, more: object = {}): Record<string, unknown> {
  return {
    "tracemark.json": { name: "t", samples: ["all.samples.jsonl"], monitors: { guard: { kind: "llm", model: "m", ...monitor }, ...more } },
    "all.samples.jsonl": Array.from({ length: count }, (_, at) => ({ id: `s${at}`, label: at % 2 ? "benign" : "misbehavior", messages: [{ role: "user", content: `Task s${at}.` }, { role: "assistant", content: `Answer s${at}.` }] })),
  };
}
