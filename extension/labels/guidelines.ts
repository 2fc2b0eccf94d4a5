/** The guidelines of a root: the Markdown file that `tracemark.json` names, with the hash that labels carry. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { insidePath } from "#core/workspace/config";
import { sha256 } from "#node/sha256";

export interface GuidelinesText {
  /** Path from the root. */
  readonly file: string;
  readonly text: string;
  /** Of the file's bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

export class Guidelines {
  private stamp = "";
  private kept: GuidelinesText | undefined;

  /** `file` is a path from the root; one that leaves it is not read. */
  constructor(private readonly root: string, private readonly file: string | undefined) {}

  /** The text as it is now; the file is read again only when it changed. Undefined where there is none, never rejects. */
  async read(): Promise<GuidelinesText | undefined> {
    const file = this.file === undefined ? undefined : insidePath(this.file);
    if (file === undefined) return undefined;
    try {
      const path = join(this.root, file);
      const { size, mtimeMs } = await stat(path);
      const stamp = `${size}:${mtimeMs}`;
      if (stamp !== this.stamp) {
        const bytes = await readFile(path);
        this.kept = { file, text: bytes.toString("utf8"), sha256: sha256(bytes) };
        this.stamp = stamp;
      }
      return this.kept;
    } catch {
      this.stamp = "";
      return (this.kept = undefined);
    }
  }
}
