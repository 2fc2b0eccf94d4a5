/** `tracemark labels import|export`: label records in and out, as JSON Lines. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { compareByTime } from "#core/labels/instant";
import { readJsonLines } from "#core/workspace/json-lines";
import { LabelRecord } from "#core/workspace/schemas";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { lacksGitAttributes } from "#node/store/git-attributes";
import { StoreFailure } from "#node/store/store-failure";
import type { Workspace } from "#node/workspace";
import { defineVerb, jsonOption, rootOption, type VerbCall } from "../define";
import { choiceOption } from "../option-values";
import { printable } from "../printable";
import { loadWorkspace, problemLine } from "../workspace-call";

/** Refusals told one by one. */
const toldAtMost = 20;

export const labelsVerb = defineVerb({
  name: "labels",
  summary: "import label records, each into its annotator's file, or export all of them",
  operands: "<action> [files...]",
  options: [
    { flags: "--format <format>", description: "jsonl (default)" },
    { flags: "--no-text", description: "export spans without the trajectory's words" },
    jsonOption, rootOption,
  ],
  run(call) {
    choiceOption(call, "format", ["jsonl"], "jsonl");
    const [action, ...files] = call.args;
    if (action === "export") return exportLabels(call, files);
    if (action === "import") return importLabels(call, files);
    throw new ExpectedFailure(`labels cannot ${action ?? "do nothing"}`, "use labels import FILE... or labels export");
  },
});

/** All records by time, each as it stands in its file. */
async function exportLabels(call: VerbCall, files: readonly string[]): Promise<number> {
  if (files.length > 0) throw new ExpectedFailure("labels export takes no files", "send its output to a file: tracemark labels export > labels.jsonl");
  const { labels } = await loadLabels(call);
  for (const problem of labels.problems) call.io.note(`warning: ${problemLine(problem)}`);
  const records = [...labels.stored()].sort((a, b) => compareByTime(a.record, b.record));
  const withText = call.options["text"] !== false;
  for (const { record, raw } of records) call.io.out(withText ? raw : JSON.stringify(withoutWords(record)));
  return 0;
}

/** Offsets stay, words of the trajectory go; the annotator's own note stays. */
function withoutWords(record: LabelRecord): LabelRecord {
  if (!record.spans) return record;
  return { ...record, spans: record.spans.map((span) => ({ ...span, exact: "", prefix: "", suffix: "", text_removed: true })) };
}

async function importLabels(call: VerbCall, files: readonly string[]): Promise<number> {
  if (files.length === 0) throw new ExpectedFailure("labels import needs files", "name the JSON Lines files to import");
  const { labels } = await loadLabels(call);
  const items: { record: LabelRecord; raw: string; place: string }[] = [];
  const refusals: string[] = [];
  for (const file of files) {
    const text = await readFile(resolve(call.io.cwd, file), "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, file)));
    const read = readJsonLines(text, LabelRecord, file);
    refusals.push(...read.problems.map(problemLine));
    for (const { value, line, raw } of read.lines) items.push({ record: value, raw, place: `${file}:${line}` });
  }
  const outcomes = await labels.appendAll(items);
  const counts = { added: 0, already: 0, refused: refusals.length };
  for (const [at, outcome] of outcomes.entries()) {
    if (!(outcome instanceof StoreFailure)) counts[outcome]++;
    else {
      // A disk that takes nothing is no matter of single records.
      if (!["slug-taken", "id-conflict", "bad-record"].includes(outcome.code)) throw outcome;
      counts.refused++;
      refusals.push(printable(`${items[at]?.place ?? ""}: ${outcome.message}; ${outcome.remedy}`));
    }
  }
  for (const refusal of refusals.slice(0, toldAtMost)) call.io.note(`refused: ${refusal}`);
  if (refusals.length > toldAtMost) call.io.note(`refused: ${refusals.length - toldAtMost} more`);
  call.io.out(call.options["json"] ? JSON.stringify(counts) : `${counts.added} added, ${counts.already} there already, ${counts.refused} refused`);
  if (counts.added > 0 && (await lacksGitAttributes(labels.folder))) {
    call.io.note(`note: with "*.jsonl merge=union eol=lf" in ${labels.folder}/.gitattributes, git merges labels of several branches by line`);
  }
  return counts.refused > 0 ? 1 : 0;
}

/** Only settings and labels count here, so no file is looked into. */
async function loadLabels(call: VerbCall): Promise<Workspace> {
  return loadWorkspace(call, { samples: [] });
}
