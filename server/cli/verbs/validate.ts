/** `tracemark validate`: what is wrong with trajectories, manifests, pairs, labels, runs, plans and `tracemark.json`. */
import { resolve } from "node:path";
import { validatePaths } from "#node/validate";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption } from "../define";
import { progressLine } from "../progress";
import { problemLine } from "../workspace-call";

export const validateVerb = defineVerb({
  name: "validate",
  summary: "check trajectories, manifests, pairs, labels, runs, plans and tracemark.json",
  operands: "<paths...>",
  options: [jsonOption, rootOption],
  async run(call) {
    const { args, options, io } = call;
    const root = textOption(call, "root");
    const progress = progressLine(io, "reading");
    const { problems, read } = await validatePaths(args, {
      cwd: io.cwd, root: root === undefined ? undefined : resolve(io.cwd, root), onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.end());
    for (const { file, line, code, message } of problems) io.out(options["json"] ? JSON.stringify({ file, line, code, message }) : problemLine({ file, line, code, message }));
    const trajectories = `${counted(read, "trajectory", "trajectories")} read`;
    io.note(problems.length === 0 ? `no problems, ${trajectories}` : `${counted(problems.length, "problem")}, ${trajectories}`);
    return problems.length > 0 ? 1 : 0;
  },
});
