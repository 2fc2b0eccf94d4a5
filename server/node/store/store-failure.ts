/** Why something could not be written: a stable code, a sentence and what to do. The record stays with the caller. */
import { ExpectedFailure } from "../expected-failure";

export type StoreFailureCode =
  | "denied" | "read-only" | "busy" | "no-space" | "over-quota" | "lost-folder" | "no-locks" | "too-large" | "not-flushed"
  | "unreachable" | "slug-taken" | "id-conflict" | "bad-record" | "locked" | "exists" | "failed";

/** What the writer was doing when the error came. Errors at flush and close come late: the write itself seemed to succeed. */
export type WriteStage = "open" | "write" | "flush" | "close";

export class StoreFailure extends ExpectedFailure {
  constructor(readonly code: StoreFailureCode, what: string, remedy: string, where: { file?: string; line?: number } = {}, readonly stage?: WriteStage, cause?: unknown) {
    super(what, remedy, where);
    this.name = "StoreFailure";
    this.cause = cause;
  }
}

const byErrno: Record<string, readonly [StoreFailureCode, string, string]> = {
  EPERM: ["denied", "writing to the file is not permitted", "change its permissions or who owns it, then try again"],
  EACCES: ["denied", "the file or its folder may not be written", "change the permissions, then try again"],
  EROFS: ["read-only", "the file system is read-only", "choose another folder for labels, or mount it writable"],
  EBUSY: ["busy", "another program holds the file", "close it there (a virus scanner or a sync program may need a moment), then try again"],
  EAGAIN: ["busy", "the file is busy", "try again"],
  ETXTBSY: ["busy", "another program holds the file", "close it there, then try again"],
  ENOSPC: ["no-space", "the disk is full", "free some space, then try again"],
  EDQUOT: ["over-quota", "your disk quota is used up", "free some space or ask for more, then try again"],
  EFBIG: ["too-large", "the file has reached the size the system allows", "raise the limit, or start a new annotator file"],
  ESTALE: ["lost-folder", "the network folder has lost track of the file", "check the connection, then try again"],
  ENOLCK: ["no-locks", "the file system gives no locks", "try again; labels then go to a file of their own"],
  EIO: ["failed", "the disk reported an error", "check the disk, then try again"],
  ENOENT: ["lost-folder", "the folder is gone", "put it back or choose another folder, then try again"],
  ENOTDIR: ["failed", "a file stands where a folder is expected", "move it away, then try again"],
  EEXIST: ["failed", "a file stands where a folder is expected", "move it away, then try again"],
  EISDIR: ["failed", "a folder stands where the file is expected", "move it away, then try again"],
  EMFILE: ["busy", "too many files are open", "close some, then try again"],
  ENFILE: ["busy", "too many files are open", "close some, then try again"],
  ENOTCONN: ["unreachable", "the network folder cannot be reached", "check the connection, then try again"],
  EHOSTDOWN: ["unreachable", "the network folder cannot be reached", "check the connection, then try again"],
  ETIMEDOUT: ["unreachable", "the network folder does not answer", "check the connection, then try again"],
};

/** The failure for an error of the file system at `stage`. A `StoreFailure` is passed through. */
export function writeFailure(error: unknown, file: string, stage: WriteStage): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const errno = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  const [code, what, remedy] = byErrno[errno] ?? ["failed", `the file could not be written (${errno || String(error)})`, "check the disk, then try again"];
  const late = stage === "flush" || stage === "close" ? ` (it came when the file was ${stage === "flush" ? "flushed" : "closed"}, so nothing is certain to be on disk)` : "";
  return new StoreFailure(late !== "" && code === "failed" ? "not-flushed" : code, what + late, remedy, { file }, stage, error);
}
