/** `tracemark convert`: every trajectory of the files named, as ATIF files in one folder. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeAtif } from "#core/exports/atif";
import { isDamage } from "#core/trajectory/damage";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { sha256 } from "#node/sha256";
import { defineVerb, formatOption, jsonOption, rootOption, textOption } from "../define";
import { counted } from "../counted";
import { progressLine } from "../progress";
import { loadWithWarnings, openOperand, tellEmpty, tellWarnings } from "../trajectories";

export const convertVerb = defineVerb({
  name: "convert",
  summary: "write every trajectory of the files as one ATIF .json file each",
  operands: "<files...>",
  options: [{ flags: "--out <folder>", description: "where the files go; made when it is not there" }, jsonOption, formatOption, rootOption],
  async run(call) {
    const { io, args } = call;
    const out = textOption(call, "out");
    if (out === undefined) throw new ExpectedFailure("no folder for the results was named", "add --out FOLDER");
    const folder = resolve(io.cwd, out);
    makeFolder(folder, out);
    const taken = new Set<string>();
    const progress = progressLine(io, "converting");
    let damaged = false;
    let written = 0;
    const failures: ExpectedFailure[] = [];
    for (const [n, file] of args.entries()) {
      const opened = await openOperand(call, file).catch((error: unknown) => {
        if (!(error instanceof ExpectedFailure)) throw error;
        failures.push(error);
      });
      if (!opened) {
        // The last of files that all failed is told as what ends the program.
        if (failures.length < args.length) io.note(`error: ${failures.at(-1)!.sentence()}`);
        continue;
      }
      if (opened.file.ids.length === 0) {
        tellEmpty(call, file, opened);
        damaged = true;
      }
      for (let i = 0; i < opened.file.ids.length; i++) {
        progress.update(n, args.length);
        const trajectory = loadWithWarnings(opened, i);
        damaged = trajectory.warnings.some(isDamage) || damaged;
        tellWarnings(io, file, trajectory.warnings.filter(isDamage));
        // A record that gives no trajectory has nothing to be written; it was told of above.
        if (opened.file.opened.heads[i]?.problem) continue;
        const path = join(folder, fileNameFor(trajectory.id, taken));
        write(path, writeAtif(trajectory));
        written++;
        if (call.options["json"]) io.out(JSON.stringify({ id: trajectory.id, file: path }));
      }
    }
    progress.end();
    if (failures.length === args.length) throw failures.at(-1)!;
    if (failures.length > 0) io.note(`${failures.length} of ${counted(args.length, "file")} could not be converted`);
    if (!call.options["json"]) io.out(`${counted(written, "trajectory", "trajectories")} written to ${out}`);
    return damaged || failures.length > 0 ? 1 : 0;
  },
});

function makeFolder(folder: string, named: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fileFailure(error, named);
  }
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw fileFailure(error, path);
  }
}

const longestName = 120;

/**
 * A file name for a sample id: unusual characters become `_`, a long name is cut and given a piece of the id's hash, and
 * names that would repeat get `~2`. Compared without case, for file systems that do not tell it.
 */
export function fileNameFor(id: string, taken: Set<string>): string {
  const plain = id.replace(/\.json(?=$|#)/, "").replace(/[^\p{L}\p{N}._~+-]+/gu, "_").replace(/^[._]+/, "") || "trajectory";
  const stem = plain.replace(/\.(atif|trajectory)$/, "");
  const short = stem.length > longestName ? `${stem.slice(0, longestName)}-${sha256(id).slice(0, 8)}` : stem;
  let name = `${short}.atif.json`;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${short}~${n}.atif.json`;
  taken.add(name.toLowerCase());
  return name;
}
