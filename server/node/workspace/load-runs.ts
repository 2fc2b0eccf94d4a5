/** The runs of a root. */
import { SlimVerdicts, type Kept } from "#core/workspace/plain-verdict";
import { readRunFile, RunReader, type RunFile } from "#core/workspace/run-file";
import { RecordFiles } from "./record-files";

/** Reads the runs below `root` in the folder `shown` (its path from the root); `kept` says what is kept of their verdicts, which hold the texts of `ids`. */
export function runFiles(root: string, shown: string, kept: Kept = "all", ids: Iterable<string> = []): RecordFiles<RunFile> {
  const slim = kept === "all" ? undefined : new SlimVerdicts(kept, ids);
  return new RecordFiles(root, shown, {
    word: "run",
    idOf: ({ header }) => header.run_id,
    read: (text, file) => {
      const { run, problems } = readRunFile(text, file, slim);
      return { record: run, problems };
    },
    byLine: (file) => {
      const reader = new RunReader(file, slim);
      return { scan: (bytes, start, limit) => reader.scan(bytes, start, limit), push: (line, ended) => reader.push(line, ended), finish: () => { const { run, problems } = reader.finish(); return { record: run, problems }; } };
    },
  });
}
