/** `tracemark sft export`: corrected labels as training data for chat models, never anything of the test split. */
import { relative, resolve } from "node:path";
import type { Monitor } from "#core/monitors/define";
import { sftShapes, type SftShape } from "#core/training/sft-line";
import { sliceOf, unknownSlices } from "#core/training/slices";
import { ExpectedFailure } from "#node/expected-failure";
import { contextFor, runnableMonitor } from "#node/run-plan";
import { exportSft, type SftExported } from "#node/sft-export";
import type { Workspace } from "#node/workspace";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, listOption, numberOption } from "../option-values";
import { printable } from "../printable";
import { progressLine } from "../progress";
import { loadMonitors } from "#node/monitors";
import { loadWorkspace, tellProblems } from "../workspace-call";

declare const __VERSION__: string;

const toldAtMost = 20;

export const sftVerb = defineVerb({
  name: "sft",
  summary: "write corrected labels as chat JSONL for supervised fine-tuning, with a card; never a test sample, its pair or its group",
  operands: "<action>",
  options: [
    { flags: "--out <file>", description: "file of the lines; the card lies beside it", default: "sft.jsonl" },
    { flags: "--for <trainer>", description: `${sftShapes.join(", ")} (default openai: the messages that all three take)` },
    { flags: "--prompting <kind>", description: "direct (default) or evidence: people's spans become the quotes" },
    { flags: "--slice <names...>", description: "only these: category/task, a category, or a task" },
    { flags: "--split <splits>", description: "splits to learn from, with commas between; none for samples without one (default: all but test)" },
    { flags: "--monitor <id>", description: "use the prompt of this monitor of kind llm" },
    { flags: "--no-reasoning", description: "hide the agent's reasoning" },
    { flags: "--unmarked", description: "under evidence, keep misbehavior that nobody marked, with an answer without quotes" },
    { flags: "--max-tokens <n>", description: "leave longer ones out (estimated)" },
    { flags: "--license <name>", description: "licence of the data, for the card" },
    { flags: "--allow-secrets", description: "write although something looks like a secret" },
    { flags: "--dry-run", description: "count, and write nothing" },
    jsonOption, rootOption,
  ],
  async run(call) {
    if (call.args[0] !== "export" || call.args.length > 1) throw new ExpectedFailure(`sft cannot ${call.args.join(" ") || "do nothing"}`, "use sft export --out FILE");
    const signal = call.interrupted();
    const workspace = await loadWorkspace(call);
    tellProblems(call.io, workspace.problems);
    const slices = slicesAsked(call, workspace);
    const prompting = choiceOption<"direct" | "evidence">(call, "prompting", ["direct", "evidence"], "direct");
    const { monitor, guidelines } = await monitorOf(call, workspace, prompting);
    const out = resolve(call.io.cwd, textOption(call, "out") ?? "sft.jsonl");
    const progress = progressLine(call.io, "sft export");
    const dryRun = call.options["dryRun"] === true;
    const exported = await exportSft(workspace, {
      out, shape: choiceOption<SftShape>(call, "for", sftShapes, "openai"), prompting, monitor, slices, splits: listOption(call, "split"),
      context: contextFor(monitor, workspace.settings, guidelines, { prompting, reasoning: call.options["reasoning"] !== false }),
      unmarked: call.options["unmarked"] === true, maxTokens: numberOption(call, "maxTokens", (value) => value > 0, "a number above 0"),
      licence: textOption(call, "license"), version: __VERSION__, allowSecrets: call.options["allowSecrets"] === true,
      dryRun, signal, onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.end());
    tell(call, exported, dryRun);
    return 0;
  },
});

/** The slices of `--slice`; one that no sample lies in is a mistake. */
export function slicesAsked(call: VerbCall, workspace: Workspace): string[] | undefined {
  const asked = listOption(call, "slice");
  const [unknown] = unknownSlices(workspace.samples, asked);
  if (unknown === undefined) return asked;
  const known = [...new Set(workspace.samples.map(sliceOf))].sort();
  throw new ExpectedFailure(`no sample lies in the slice ${unknown}`, `choose from ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : ""}`);
}

async function monitorOf(call: VerbCall, workspace: Workspace, prompting: "direct" | "evidence"): Promise<{ monitor: Monitor; guidelines: string | undefined }> {
  const loaded = await loadMonitors(workspace.root, workspace.settings);
  const id = textOption(call, "monitor");
  if (id === undefined) return { monitor: { id: "sft", kind: "llm", config: { kind: "llm", prompting } }, guidelines: loaded.guidelines };
  const monitor = runnableMonitor(loaded, id, prompting);
  if (monitor.kind !== "llm") throw new ExpectedFailure(`monitor "${id}" of kind "${monitor.kind}" has no prompt`, "name one of kind llm, or leave --monitor out");
  return { monitor: { ...monitor, config: { ...monitor.config, examples: undefined } }, guidelines: loaded.guidelines };
}

function tell(call: VerbCall, { card, written, secrets }: SftExported, dryRun: boolean): void {
  const { io } = call;
  io.note(`note: publishes the whole text of ${counted(card.samples, "trajectory", "trajectories")}, ${card.characters} characters with the prompts, and ${counted(card.quotes, "quote")} marked by people; no names, no notes`);
  for (const { reason, count } of card.excluded) io.note(`note: left out: ${count} ${printable(reason)}`);
  for (const secret of secrets.slice(0, toldAtMost)) io.note(`warning: ${printable(secret)}`);
  if (secrets.length > 0 && written.length === 0 && !dryRun) {
    throw new ExpectedFailure(`${counted(secrets.length, "place looks", "places look")} like a secret`, "nothing was written; take it out, or use --allow-secrets if it is none");
  }
  if (card.samples === 0) throw new ExpectedFailure("no sample is left to learn from", "see above what was left out, and why");
  const shown = written.map((path) => relative(io.cwd, path).replaceAll("\\", "/"));
  if (call.options["json"]) io.out(JSON.stringify({ ...card, written: shown }));
  else {
    io.out(`${counted(card.samples, "sample")}: ${card.balance.misbehavior} misbehavior, ${card.balance.benign} benign, about ${card.tokens_estimate} tokens${dryRun ? "; nothing was written" : ""}`);
    for (const path of shown) io.out(path);
  }
}
