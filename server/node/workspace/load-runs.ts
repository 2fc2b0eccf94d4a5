/** The runs of a root. */
import { SlimVerdicts, type Kept } from "#core/workspace/plain-verdict";
import { readRunFile, type RunFile } from "#core/workspace/run-file";
import { RecordFiles } from "./record-files";

/** Reads the runs below `root` in the folder `shown` (its path from the root); `kept` says what is kept of their verdicts. */
export function runFiles(root: string, shown: string, kept: Kept = "all"): RecordFiles<RunFile> {
  const slim = kept === "all" ? undefined : new SlimVerdicts(kept);
  return new RecordFiles(root, shown, {
    word: "run",
    idOf: ({ header }) => header.run_id,
    read: (text, file) => {
      const { run, problems } = readRunFile(text, file, slim);
      return { record: run, problems };
    },
  });
}
