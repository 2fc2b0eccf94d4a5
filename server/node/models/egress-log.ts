/** A log on this machine of everything that was sent to models: when, where to, how much; never what. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileFailure } from "../expected-failure";

/** Bytes beyond which a log is put aside as `egress.1.jsonl` when it is opened. */
const largestLog = 64 << 20;

/** Where the log lies: in the user's own folder for such things, which no workspace can choose. */
export function egressLogFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env["XDG_STATE_HOME"] || (process.platform === "win32" ? env["LOCALAPPDATA"] : undefined) || join(homedir(), ".local", "state");
  return join(base, "tracemark", "egress.jsonl");
}

export class EgressLog {
  private constructor(private readonly handle: number, readonly file: string) {}

  /** Opens the log for appending. Throws an `ExpectedFailure` where it cannot be written: nothing is sent unlogged. */
  static open(file: string = egressLogFile()): EgressLog {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      let handle = openSync(file, "a", 0o600);
      if (fstatSync(handle).size > largestLog) {
        closeSync(handle);
        renameSync(file, file.replace(/\.jsonl$/, ".1.jsonl"));
        handle = openSync(file, "a", 0o600);
      }
      return new EgressLog(handle, file);
    } catch (error) {
      throw fileFailure(error, file);
    }
  }

  /** One send, on disk (though not flushed) before it happens. `bytes` are those of the request's body, `samples` how many it shows. */
  sent(origin: string, bytes: number, monitor: string, samples = 1, at: Date = new Date()): void {
    writeSync(this.handle, `${JSON.stringify({ time: at.toISOString(), origin, monitor, samples, bytes })}\n`);
  }

  close(): void {
    closeSync(this.handle);
  }
}
