/** `tracemark labels import|export`: label records in and out, in formats of our own and of others. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { LabelFormat } from "#core/exports/labels/define";
import { labelFormats } from "#core/exports/labels/index";
import { labelStudioConfig } from "#core/exports/labels/label-studio";
import { publishList } from "#core/exports/labels/publish-list";
import type { LabelRecord } from "#core/workspace/schemas";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { gatherLabels, needsSamples } from "#node/label-export";
import { findRelinks, relink } from "#node/relink-labels";
import { sha256 } from "#node/sha256";
import { lacksGitAttributes } from "#node/store/git-attributes";
import { StoreFailure } from "#node/store/store-failure";
import type { Workspace } from "#node/workspace";
import { counted } from "../counted";
import { carryLabels } from "../labels-carry";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption } from "../option-values";
import { printable } from "../printable";
import { progressLine } from "../progress";
import { loadWorkspace, problemLine } from "../workspace-call";

/** Refusals and secrets told one by one. */
const toldAtMost = 20;

export const labelsVerb = defineVerb({
  name: "labels",
  summary: "import label records, each into its annotator's file; export all of them; relink those of moved logs; carry those of logs made anew",
  operands: "<action> [files...]",
  options: [
    { flags: "--format <format>", description: labelFormats.map(({ id }) => id).join(", ") },
    { flags: "--no-text", description: "export offsets and hashes without words, and annotators as A1, A2" },
    { flags: "--allow-secrets", description: "export although something looks like a secret" },
    { flags: "--dry-run", description: "only list what the export would publish, or what relink or carry would write" },
    { flags: "--annotator <name>", description: "whose labels an import without names holds, or carry repeats" },
    { flags: "--from <files>", description: "with carry: former versions of logs, to tell what moved" },
    { flags: "--keep-labels", description: "with carry: repeat the decisions too, for the logs as they are now" },
    jsonOption, rootOption,
  ],
  run(call) {
    const [action, ...files] = call.args;
    if (action === "relink") return relinkLabels(call, files);
    if (action === "carry") return carryLabels(call, files);
    if (action !== "export" && action !== "import") throw new ExpectedFailure(`labels cannot ${action ?? "do nothing"}`, "use labels import FILE..., labels export, labels relink or labels carry");
    const id = choiceOption(call, "format", labelFormats.map((format) => format.id), "jsonl");
    const format = labelFormats.find((one) => one.id === id) as LabelFormat;
    return action === "export" ? exportLabels(call, format, files) : importLabels(call, format, files);
  },
});

/** All records by time. What is published is listed first, on standard error; a likely secret stops the export. */
async function exportLabels(call: VerbCall, format: LabelFormat, files: readonly string[]): Promise<number> {
  if (files.length > 0) throw new ExpectedFailure("labels export takes no files", "send its output to a file: tracemark labels export > labels.jsonl");
  const workspace = await loadWorkspace(call, needsSamples(format) ? {} : { samples: [] });
  for (const problem of workspace.labels.problems) call.io.note(`warning: ${problemLine(problem)}`);
  const withText = call.options["text"] !== false;
  const progress = progressLine(call.io, "reading samples");
  const { input, unread } = await gatherLabels(workspace, format, { withText, onProgress: (done, total) => progress.update(done, total) }).finally(() => progress.end());
  if (input.records.length === 0) call.io.note(`note: there are no labels in ${workspace.labels.folder}`);
  const { text, leftOut } = format.write(input);
  const list = publishList(format, input, text);
  for (const line of list.lines) call.io.note(`note: ${printable(line)}`);
  for (const line of leftOut) call.io.note(`note: left out: ${printable(line)}`);
  if (unread.length > 0) call.io.note(`warning: ${counted(unread.length, "sample")} cannot be read, left out (${printable(unread.slice(0, 5).join(", "))}${unread.length > 5 ? ", …" : ""})`);
  for (const secret of list.secrets.slice(0, toldAtMost)) call.io.note(`warning: ${printable(secret)}`);
  if (call.options["dryRun"] === true) return 0;
  if (list.secrets.length > 0 && call.options["allowSecrets"] !== true) {
    throw new ExpectedFailure(`${counted(list.secrets.length, "place looks", "places look")} like a secret`, "nothing was written; take it out, use --no-text, or --allow-secrets if it is none");
  }
  if (format.id === "label-studio") call.io.note(`note: the project needs this labelling configuration:\n${labelStudioConfig(workspace.settings.taxonomy.map(({ id }) => id))}`);
  // Line by line, with whatever stands before a line feed: cells of a table may hold line ends of their own.
  for (const line of text === "" ? [] : text.replace(/\n$/, "").split("\n")) call.io.out(line);
  return 0;
}

async function importLabels(call: VerbCall, format: LabelFormat, files: readonly string[]): Promise<number> {
  if (files.length === 0) throw new ExpectedFailure("labels import needs files", "name the files to import");
  const { labels } = await loadLabels(call);
  const items: { record: LabelRecord; raw?: string | undefined; place: string }[] = [];
  const refusals: string[] = [];
  for (const file of files) {
    const text = await readFile(resolve(call.io.cwd, file), "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, file)));
    const read = format.read(text, { file, annotator: textOption(call, "annotator"), sha256 });
    refusals.push(...read.problems.map(problemLine));
    for (const { record, line, raw } of read.records) items.push({ record, raw, place: line === undefined ? file : `${file}:${line}` });
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

/** Repeats the labels of logs that were moved or renamed under their new ids, where the content fits exactly one sample. */
async function relinkLabels(call: VerbCall, files: readonly string[]): Promise<number> {
  if (files.length > 0) throw new ExpectedFailure("labels relink takes no files", "it looks through the whole workspace");
  const workspace = await loadWorkspace(call);
  const progress = progressLine(call.io, "reading samples");
  const offers = await findRelinks(workspace, (done, total) => progress.update(done, total)).finally(() => progress.end());
  const dryRun = call.options["dryRun"] === true;
  let added = 0;
  for (const offer of offers) {
    const outcomes = dryRun ? [] : await relink(workspace, offer);
    const failed = outcomes.find((outcome) => outcome instanceof StoreFailure);
    if (failed) throw failed;
    added += outcomes.filter((outcome) => outcome === "added").length;
    if (call.options["json"]) call.io.out(JSON.stringify({ from: offer.from, to: offer.to, records: offer.records.length }));
    else call.io.out(printable(`${offer.from} is now ${offer.to}: ${counted(offer.records.length, "record")}`));
  }
  call.io.note(dryRun ? `${counted(offers.length, "sample")} can be relinked; nothing was written` : `${counted(offers.length, "sample")} relinked, ${counted(added, "record")} added`);
  return 0;
}

/** Only settings and labels count here, so no file is looked into. */
async function loadLabels(call: VerbCall): Promise<Workspace> {
  return loadWorkspace(call, { samples: [] });
}
