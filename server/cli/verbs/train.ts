/** `tracemark train`: a linear guard out of labels, in seconds, never from anything of the test split. */
import { relative, resolve } from "node:path";
import type { LinearModelFile } from "#core/training/linear-model";
import { ExpectedFailure } from "#node/expected-failure";
import { replaceFile } from "#node/store/replace-file";
import { linearModelText, trainLinear } from "#node/train-linear";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { listOption, numberOption } from "../option-values";
import { printable } from "../printable";
import { progressLine } from "../progress";
import { loadWorkspace, tellProblems } from "../workspace-call";
import { slicesAsked } from "./sft";

declare const __VERSION__: string;

const shownFeatures = 12;

export const trainVerb = defineVerb({
  name: "train",
  summary: "train a linear guard on labels (surface features: n-grams and counts of steps); never on a test sample, its pair or its group",
  operands: "",
  options: [
    { flags: "--out <file>", description: "file of the model", default: "models/linear.json" },
    { flags: "--slice <names...>", description: "only these: category/task, a category, or a task" },
    { flags: "--split <splits>", description: "splits to use, with commas between; none for samples without one (default: all but test)" },
    { flags: "--budget <rate>", description: "false alarm rate that the threshold keeps on dev (default: the largest Youden's J there)" },
    { flags: "--limit <n>", description: "use at most so many samples, drawn by the seed", default: "20000" },
    { flags: "--seed <number>", description: "whole number that fixes everything drawn (default: 1)" },
    { flags: "--no-reasoning", description: "hide the agent's reasoning from the guard" },
    jsonOption, rootOption,
  ],
  async run(call) {
    if (call.args.length > 0) throw new ExpectedFailure("train takes no operands", "name slices with --slice and the file with --out");
    const signal = call.interrupted();
    const workspace = await loadWorkspace(call);
    tellProblems(call.io, workspace.problems);
    const out = textOption(call, "out") ?? "models/linear.json";
    const progress = progressLine(call.io, "reading samples");
    const model = await trainLinear(workspace, {
      slices: slicesAsked(call, workspace), splits: listOption(call, "split"), reasoning: call.options["reasoning"] !== false,
      budget: numberOption(call, "budget", (value) => value >= 0 && value < 1, "a rate from 0 to below 1"),
      limit: numberOption(call, "limit", (value) => Number.isSafeInteger(value) && value >= 2, "a whole number from 2"),
      seed: numberOption(call, "seed", Number.isSafeInteger, "a whole number") ?? 1, version: __VERSION__, signal,
      onProgress: (done, total) => progress.update(done, total),
    }).catch((error: unknown) => Promise.reject(error instanceof RangeError ? new ExpectedFailure(error.message, "label more, or choose other slices or splits", { file: workspace.root }) : error))
      .finally(() => progress.end());
    const path = resolve(call.io.cwd, out);
    await replaceFile(path, linearModelText(model));
    tell(call, model, relative(call.io.cwd, path).replaceAll("\\", "/"));
    return 0;
  },
});

function tell({ io, options }: VerbCall, model: LinearModelFile, file: string): void {
  for (const { reason, count } of model.excluded) io.note(`note: left out: ${count} ${printable(reason)}`);
  const { buckets, weights: _, trained_content: __, ...rest } = model;
  if (options["json"]) {
    io.out(JSON.stringify({ ...rest, features_used: buckets.length, file }));
    return;
  }
  const { train, dev } = model.samples;
  const classes = ({ misbehavior, benign }: { misbehavior: number; benign: number }): string => `${misbehavior} misbehavior, ${benign} benign`;
  io.out(`learned from ${counted(train.misbehavior + train.benign, "sample")} (${classes(train)}) of ${model.trained_on.map(printable).join(", ")}`);
  io.out(`threshold ${model.threshold} chosen on ${dev ? `dev (${classes(dev)})` : model.threshold_chosen_on}: ${model.threshold_rule}; miss rate ${model.at_threshold.miss_rate}, false alarm rate ${model.at_threshold.false_alarm_rate} there, which flatters it`);
  io.out(`it goes by surface features, above all ${model.telling.slice(0, shownFeatures).map(({ feature, weight }) => `${weight > 0 ? "+" : "-"}${JSON.stringify(printable(feature))}`).join(" ")}`);
  io.out(file);
  io.note(`note: as a monitor in tracemark.json: {"kind": "linear", "model": ${JSON.stringify(file)}} (its path from the folder of that file)`);
}
