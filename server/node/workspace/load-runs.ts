/** The runs of a root. */
import { readRunFile, type RunFile } from "#core/workspace/run-file";
import { RecordFiles } from "./record-files";

/** Reads the runs below `root` in the folder `shown` (its path from the root). */
export function runFiles(root: string, shown: string): RecordFiles<RunFile> {
  return new RecordFiles(root, shown, {
    word: "run",
    idOf: ({ header }) => header.run_id,
    read: (text, file) => {
      const { run, problems } = readRunFile(text, file);
      return { record: run, problems };
    },
  });
}
