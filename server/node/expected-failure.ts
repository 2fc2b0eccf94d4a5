/** A failure that was foreseen: what is wrong, where, and what to do about it. Shells print it; anything else is a bug. */
export class ExpectedFailure extends Error {
  readonly file: string | undefined;
  /** 1-based; undefined where no line is to blame. */
  readonly line: number | undefined;
  readonly remedy: string;

  constructor(what: string, remedy: string, where: { file?: string | undefined; line?: number | undefined } = {}) {
    super(what);
    this.remedy = remedy;
    this.file = where.file;
    this.line = where.line;
  }

  /** `FILE:LINE: what is wrong; what to do` on one line. */
  sentence(): string {
    const place = this.file === undefined ? "" : `${this.file}${this.line === undefined ? "" : `:${this.line}`}: `;
    return `${place}${this.message.replace(/[.;\s]+$/, "")}; ${this.remedy}`.replace(/\s*[\r\n]+\s*/g, " ");
  }
}

/** The sentence for an error of the file system. */
export function fileFailure(error: unknown, file: string): ExpectedFailure {
  const code = (error as NodeJS.ErrnoException)?.code ?? "";
  const known: Record<string, [string, string]> = {
    ENOENT: ["there is no such file or folder", "check the path"],
    EACCES: ["the file may not be read", "change its permissions"],
    EPERM: ["the file may not be read", "change its permissions"],
    EISDIR: ["this is a folder", "name a file in it"],
    EMFILE: ["too many files are open", "close some or try again"],
    ENOSPC: ["the disk is full", "free some space"],
    EROFS: ["the file system is read-only", "choose another folder"],
    ENOTDIR: ["a file stands where a folder is expected", "check the path"],
    EEXIST: ["a file of that name is already there", "choose another name"],
  };
  const [what, remedy] = known[code] ?? [`the file could not be read or written (${code || String(error)})`, "check the path and the disk"];
  return new ExpectedFailure(what, remedy, { file });
}
