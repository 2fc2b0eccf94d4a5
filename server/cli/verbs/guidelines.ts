/** `tracemark guidelines`: whether the guidelines changed, what the change meant, and which labels to give again. */
import { judgeAgain } from "#core/labels/guideline-log";
import { ExpectedFailure } from "#node/expected-failure";
import { markGuidelineChange, readGuidelineState } from "#node/guideline-log";
import { systemClock } from "#node/store/system-ids";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, listOption } from "../option-values";
import { printable } from "../printable";
import { loadWorkspace, problemLine } from "../workspace-call";

export const guidelinesVerb = defineVerb({
  name: "guidelines",
  summary: "say what an edit of the guidelines meant, and list the labels to give again",
  operands: "[action]",
  options: [
    { flags: "--change <kind>", description: "with mark: minor, or meaning (labels given before are to be given again)" },
    { flags: "--categories <ids>", description: "with mark: only these categories' sections changed" },
    { flags: "--by <name>", description: "with mark: who says so" },
    { flags: "--note <text>", description: "with mark: what was changed" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const [action = "status"] = call.args;
    if (action === "mark") return mark(call);
    if (action !== "status") throw new ExpectedFailure(`guidelines cannot ${action}`, "use guidelines status or guidelines mark");
    return status(call);
  },
});

async function status(call: VerbCall): Promise<number> {
  const workspace = await loadWorkspace(call, { samples: [] });
  const state = await readGuidelineState(workspace);
  if (!state) throw new ExpectedFailure("the workspace has no guidelines", "name a Markdown file in tracemark.json (\"guidelines\")");
  for (const problem of state.problems) call.io.note(`warning: ${problemLine(problem)}`);
  const again = judgeAgain(workspace.labels.all(), state.log);
  if (call.options["json"]) {
    call.io.out(JSON.stringify({ file: state.file, sha256: state.sha256, unmarked: state.unmarked, changes: state.log, judge_again: again.map(({ sampleId, annotator, record }) => ({ sample_id: sampleId, annotator, record_id: record.id })) }));
    return 0;
  }
  call.io.out(`${printable(state.file)} ${state.sha256.slice(0, 12)}: ${counted(state.log.length, "marked change")}`);
  if (state.unmarked) call.io.out("edited since the last label or mark; say what it meant: tracemark guidelines mark --change minor|meaning --by NAME");
  call.io.out(`${counted(again.length, "label")} to give again`);
  for (const { sampleId, annotator } of again) call.io.out(printable(`  ${annotator}  ${sampleId}`));
  return 0;
}

async function mark(call: VerbCall): Promise<number> {
  const change = choiceOption<"minor" | "meaning" | "">(call, "change", ["minor", "meaning"], "");
  if (change === "") throw new ExpectedFailure("mark needs to know what the edit meant", "give --change minor or --change meaning");
  const by = textOption(call, "by");
  if (by === undefined || by.trim() === "") throw new ExpectedFailure("mark needs a name", "give --by NAME");
  const workspace = await loadWorkspace(call, { samples: [] });
  const categories = listOption(call, "categories");
  const unknown = categories?.find((id) => !workspace.settings.taxonomy.some((entry) => entry.id === id));
  if (unknown !== undefined) throw new ExpectedFailure(`the taxonomy has no category ${unknown}`, `choose from ${workspace.settings.taxonomy.map(({ id }) => id).join(", ")}`);
  const line = await markGuidelineChange(workspace, { change, categories, by, note: textOption(call, "note") }, new Date(systemClock.now()).toISOString());
  const state = await readGuidelineState(workspace);
  const again = judgeAgain(workspace.labels.all(), state?.log ?? []).length;
  call.io.out(call.options["json"] ? JSON.stringify(line) : `marked as ${change === "meaning" ? "a change of meaning" : "a minor change"}; ${counted(again, "label")} to give again`);
  return 0;
}
