/** Writes a plan file, once: a plan is never changed after people have begun to work on it. */
import { join } from "node:path";
import { writePlanFile } from "#core/workspace/plan-file";
import type { PlanHeader, PlanItem } from "#core/workspace/schemas";
import { appendLine } from "./append-line";
import { nodeDisk, type Disk } from "./disk";
import { StoreFailure, writeFailure } from "./store-failure";

/** Writes `FOLDER/PLAN_ID.jsonl` and answers its path once it is on disk. Rejects with a `StoreFailure`, also when the plan is there already. */
export async function writePlan(folder: string, header: PlanHeader, items: readonly PlanItem[], disk: Disk = nodeDisk): Promise<string> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(header.plan_id)) {
    throw new StoreFailure("bad-record", `the plan id ${JSON.stringify(header.plan_id)} cannot be a file name`, "use letters, digits, dot, underscore and hyphen");
  }
  const path = join(folder, `${header.plan_id}.jsonl`);
  try {
    await disk.makeFolder(folder);
    // Takes the name, so that two makers of the same plan do not write into one file.
    await disk.createExclusive(path, "");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw new StoreFailure("exists", "there is a plan of this id already", "choose another id", { file: path });
    throw writeFailure(error, path, "open");
  }
  try {
    await appendLine(path, writePlanFile(header, items).trimEnd(), disk);
  } catch (error) {
    await disk.remove(path).catch(() => undefined);
    throw error;
  }
  return path;
}
