/** The plans of a root. */
import { basename } from "node:path";
import { readPlanFile, type PlanFile } from "#core/workspace/plan-file";
import { RecordFiles } from "./record-files";

/** Reads the plans below `root` in the folder `shown` (its path from the root). */
export function planFiles(root: string, shown: string): RecordFiles<PlanFile> {
  return new RecordFiles(root, shown, {
    word: "plan",
    idOf: ({ header }) => header.plan_id,
    read: (text, file) => {
      const { plan, problems } = readPlanFile(text, file);
      return { record: plan, problems };
    },
    check: ({ file, header: { plan_id } }) =>
      basename(file, ".jsonl") === plan_id ? [] : [{ file, line: 1, code: "plan-name", message: `The file should be called ${plan_id}.jsonl, after its plan_id.` }],
  });
}
