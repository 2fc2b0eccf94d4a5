/** The plans of a root, each file read again only when it changed. */
import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FileProblem } from "#core/workspace/file-problem";
import { readPlanFile, type PlanFile } from "#core/workspace/plan-file";
import { nodeDisk } from "../store/disk";

interface CachedPlan {
  readonly stamp: string;
  readonly plan: PlanFile | undefined;
  readonly problems: readonly FileProblem[];
}

export class PlanFiles {
  private readonly cache = new Map<string, CachedPlan>();

  /** `shown` is the folder's path from the root. */
  constructor(private readonly root: string, private readonly shown: string) {}

  /** All plans by time and then id; of two files with the same plan id the first by name counts. */
  async load(): Promise<{ plans: readonly PlanFile[]; problems: readonly FileProblem[] }> {
    const problems: FileProblem[] = [];
    const byId = new Map<string, PlanFile>();
    let names: string[] = [];
    try {
      names = (await nodeDisk.list(join(this.root, this.shown))).filter((name) => name.endsWith(".jsonl"));
    } catch (error) {
      problems.push({ file: this.shown, code: "unreadable", message: `The folder cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}).` });
    }
    for (const name of names) {
      const { plan, problems: own } = await this.read(`${this.shown}/${name}`);
      problems.push(...own);
      if (!plan) continue;
      const { plan_id } = plan.header;
      const taken = byId.get(plan_id);
      if (taken) problems.push({ file: plan.file, line: 1, code: "duplicate-id", message: `The plan ${plan_id} is in ${taken.file} already; this file is not used.` });
      else byId.set(plan_id, plan);
      if (basename(plan.file, ".jsonl") !== plan_id) problems.push({ file: plan.file, line: 1, code: "plan-name", message: `The file should be called ${plan_id}.jsonl, after its plan_id.` });
    }
    const sortKey = ({ header }: PlanFile): string => `${header.created_at} ${header.plan_id}`;
    return { plans: [...byId.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)), problems };
  }

  private async read(file: string): Promise<CachedPlan> {
    try {
      const path = join(this.root, file);
      const { size, mtimeMs, ino } = await stat(path);
      const stamp = `${size}:${mtimeMs}:${ino}`;
      const known = this.cache.get(file);
      if (known?.stamp === stamp) return known;
      const entry = { stamp, ...readPlanFile(await readFile(path, "utf8"), file) };
      this.cache.set(file, entry);
      return entry;
    } catch (error) {
      return { stamp: "", plan: undefined, problems: [{ file, code: "unreadable", message: `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).` }] };
    }
  }
}
