/** The `.gitattributes` that lets branches with labels be merged line by line, with the same line ends everywhere. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFailure } from "./store-failure";

export const gitAttributes = "*.jsonl merge=union eol=lf\n";

/** Whether a labels folder lacks the attributes; a `.gitattributes` of someone's own is left alone. */
export async function lacksGitAttributes(labelsFolder: string): Promise<boolean> {
  try {
    await readFile(join(labelsFolder, ".gitattributes"));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Writes the file unless one is there. Rejects with a `StoreFailure`. */
export async function writeGitAttributes(labelsFolder: string): Promise<void> {
  const file = join(labelsFolder, ".gitattributes");
  try {
    await writeFile(file, gitAttributes, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw writeFailure(error, file, "write");
  }
}
