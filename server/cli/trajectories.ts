/** What the verbs that read one file share: opening it, choosing a trajectory by id, and telling what was wrong with it. */
import { resolve } from "node:path";
import { isDamage } from "#core/trajectory/damage";
import type { Trajectory, Warning } from "#core/trajectory/model";
import { ExpectedFailure } from "#node/expected-failure";
import { openPath } from "#node/open";
import type { PathOpened } from "#node/open";
import type { Io, VerbCall } from "./define";
import { textOption } from "./define";

/** Opens a file named on the command line with its `--root` and `--format`; a file that is nothing readable is a failure. */
export async function openOperand(call: VerbCall, file: string): Promise<PathOpened> {
  const root = textOption(call, "root");
  const options = { root: root === undefined ? call.io.cwd : resolve(call.io.cwd, root), format: textOption(call, "format"), shownAs: file };
  const opened = await openPath(resolve(call.io.cwd, file), options);
  const warnings = opened.file.warnings();
  const fatal = fatalCodes.map((code) => warnings.find((warning) => warning.code === code)).find((warning) => warning !== undefined);
  if (fatal && opened.file.opened.heads.length === 0) throw new ExpectedFailure(fatal.message, remedies[fatal.code] ?? "check the file", { file, line: fatal.line });
  return opened;
}

/** What makes a file without trajectories a failure; the first one found is told. */
const fatalCodes = ["unknown-format-id", "damaged-archive", "binary-file", "reader-failed", "too-large"];
const remedies: Record<string, string> = {
  "binary-file": "name a trajectory file",
  "damaged-archive": "copy the file again from where it was written",
  "unknown-format-id": "run tracemark formats",
  "too-large": "split the file",
};

/** Positions of the trajectories asked for: all, or the one with this id (whole, or its part behind the `#`). */
export function chosen(opened: PathOpened, file: string, id: string | undefined): number[] {
  const ids = opened.file.ids;
  if (id === undefined) return ids.map((_, i) => i);
  let at = ids.indexOf(id);
  if (at < 0) at = ids.findIndex((known) => known.slice(known.indexOf("#") + 1) === id && known.includes("#"));
  if (at >= 0) return [at];
  const some = ids.slice(0, 5).join(", ");
  throw new ExpectedFailure(`no trajectory has the id ${id}`, `choose one of ${ids.length}: ${some}${ids.length > 5 ? ", …" : ""}`, { file });
}

/** Loads one trajectory; what is wrong with the file as a whole is added to the only one, else to the first. */
export function loadWithWarnings(opened: PathOpened, index: number): Trajectory {
  const trajectory = opened.file.load(index);
  if (index !== 0) return trajectory;
  const own = new Set(trajectory.warnings.map(keyOf));
  return { ...trajectory, warnings: [...opened.file.warnings().filter((warning) => !own.has(keyOf(warning))), ...trajectory.warnings] };
}

function keyOf(warning: Warning): string {
  return `${warning.code}\n${warning.line ?? ""}\n${warning.message}`;
}

/** Prints warnings on standard error, one line each, and answers whether any of them means lost data. */
export function tellWarnings(io: Io, file: string, warnings: readonly Warning[]): boolean {
  for (const warning of warnings) io.note(`warning: ${placeName(file, warning.line)}: ${oneLine(warning.message)} [${warning.code}]`);
  return warnings.some(isDamage);
}

export function placeName(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ");
}

/** Says that a readable file holds nothing to work on, or nothing of the format of `--format`. */
export function tellEmpty({ io, options }: VerbCall, file: string, opened: PathOpened): void {
  const [first] = opened.file.warnings();
  const asked = options["format"];
  const nothing = typeof asked === "string" ? `the ${asked} reader finds no trajectory in this file` : "no trajectory in this file";
  // What the reader itself would say of its own finding nothing stands in the sentence already.
  const why = first && first.code !== "nothing-of-format" && first.code !== "unknown-format" ? oneLine(first.message)
    : typeof asked === "string" ? "leave --format out, or choose another: see tracemark formats" : "No known format was recognised; choose one with --format: see tracemark formats";
  io.note(`note: ${placeName(file, first?.line)}: ${nothing}; ${why}`);
}
