/** Starts programs that judge: no shell, a time limit, bounded output, and no keys in their environment. */
import { spawn, type ChildProcess } from "node:child_process";
import { isAbsolute, resolve } from "node:path";
import type { ModelProblem, ProgramAnswer, ProgramCall, ProgramPort } from "#core/monitors/define";

export interface ProgramOptions {
  /** Folder that the program starts in, and that a path with a separator is taken from. Absolute. */
  readonly root: string;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Names of variables that the user lets through although they look like keys. */
  readonly passEnv?: readonly string[] | undefined;
}

/** Bytes of standard output beyond which a program is stopped. */
const mostOutput = 8 << 20;
const keptErrors = 4_000;
const looksLikeKey = /key|token|secret|passw|credential|auth|cookie|session/i;

/** The environment for programs: everything but what looks like a key by its name. A workspace names programs; it is not to collect keys with them. */
export function programEnv(env: NodeJS.ProcessEnv, pass: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => pass.includes(name) || !looksLikeKey.test(name)));
}

/** A port that starts programs in `options.root`. The caller has made sure that the workspace is trusted. */
export function programPort(options: ProgramOptions): ProgramPort {
  return { run: (call) => runProgram(call, options) };
}

function runProgram(call: ProgramCall, { root, signal, env = process.env, passEnv }: ProgramOptions): Promise<ProgramAnswer | ModelProblem> {
  const started = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - started);
  const problem = (reason: string, message: string): ModelProblem => ({ reason, message, attempts: 1, latencyMs: latencyMs() });
  const program = /[\\/]/.test(call.program) && !isAbsolute(call.program) ? resolve(root, call.program) : call.program;
  return new Promise((done) => {
    if (signal?.aborted) return done(problem("cancelled", "the run was stopped"));
    let child: ChildProcess;
    try {
      // A group of its own, so that what the program starts ends with it.
      child = spawn(program, [...call.args], { cwd: root, env: programEnv(env, passEnv), shell: false, windowsHide: true, detached: process.platform !== "win32", stdio: ["pipe", "pipe", "pipe"] });
    } catch (error) {
      return done(problem("program", `${call.program} could not be started: ${wordsOf(error)}`));
    }
    const out: Buffer[] = [];
    let size = 0, errors = "", settled = false;
    const finish = (result: ProgramAnswer | ModelProblem, kill: boolean): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      if (kill) killGroup(child);
      done(result);
    };
    const stop = (): void => finish(problem("cancelled", "the run was stopped"), true);
    const timer = setTimeout(() => finish(problem("timeout", `${call.program} gave no verdict within ${call.timeoutMs / 1000} s`), true), call.timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    child.on("error", (error) => finish(problem("program", `${call.program} could not be started: ${wordsOf(error)}`), true));
    child.stdout!.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostOutput) finish(problem("too_large", `${call.program} printed more than ${mostOutput >> 20} MB`), true);
      else out.push(chunk);
    });
    child.stderr!.on("data", (chunk: Buffer) => { errors = `${errors}${chunk.toString("utf8")}`.slice(-keptErrors); });
    child.on("close", (code, killedBy) => {
      if (code === 0) return finish({ text: Buffer.concat(out).toString("utf8"), latencyMs: latencyMs() }, true);
      const last = errors.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
      finish(problem("program", `${call.program} ended with ${killedBy ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`), true);
    });
    // A program that does not read its input is free to answer all the same.
    child.stdin!.on("error", () => undefined);
    child.stdin!.end(call.input);
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function wordsOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such program; check the path";
  if (code === "EACCES") return "it may not be run; make it executable";
  return code ?? String(error);
}
