/** The models of linear guards, each read again only when its file changed: a server loads its monitors at every request. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { readLinearModel, type LinearModel } from "#core/training/linear-model";
import { insidePath } from "#core/workspace/config";
import { isInside } from "./file-source";
import { sha256 } from "./sha256";

/** A model beyond this was not made by `tracemark train`. */
const largestModel = 64 << 20;

const known = new Map<string, { readonly stamp: string; readonly read: LinearModel | { problem: string } }>();

/** The model at `path` (from the root, never outside it), or a sentence (without a full stop) why there is none. Nothing rejects. */
export async function loadLinearModel(root: string, path: string): Promise<LinearModel | { problem: string }> {
  const inside = insidePath(path);
  if (inside === undefined || inside === "") return { problem: "does not lie in the folder of the workspace; copy it there" };
  try {
    const real = await realpath(join(root, inside));
    if (!isInside(await realpath(root), real)) return { problem: "leads out of the folder of the workspace; copy it there" };
    const { size, mtimeMs, ino } = await stat(real);
    if (size > largestModel) return { problem: "is too large to be a linear guard; check the path" };
    const stamp = `${size}:${mtimeMs}:${ino}`;
    const cached = known.get(real);
    if (cached?.stamp === stamp) return cached.read;
    const text = await readFile(real, "utf8");
    const read = readLinearModel(text, sha256(text));
    known.set(real, { stamp, read });
    return read;
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}); make it with tracemark train, or check the path` };
  }
}
