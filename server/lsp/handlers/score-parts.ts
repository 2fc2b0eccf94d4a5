/** Parts of the scores that are worked out when they are looked at, and the samples behind a number. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { AgreementInput } from "#core/labels/agreement";
import type { DetailsInput } from "#core/scoring/details";
import type { GeneralisationMatrix } from "#core/scoring/generalisation";
import { agreementInput } from "#node/agreement-input";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { bundleFolder } from "#node/models/load";
import { scoreInput } from "#node/score-workspace";
import { spanOverlaps } from "#node/span-overlaps";
import type { RequestParams, RequestResult } from "#protocol/lsp";
import { loadScoreParts, type ScorePartsModule } from "../score-parts/load";
import type { ServerState } from "../state";
import { defineHandler } from "./define";

type PartParams = RequestParams<"tracemark/scorePart">;

async function inputOf(state: ServerState, root: string, evidence: boolean, signal: AbortSignal): Promise<DetailsInput> {
  const { workspace, evidence: cache } = await state.workspaces.of(root);
  await Promise.all([workspace.refreshLabels(), workspace.refreshRuns(), workspace.refreshPlans()]);
  const { input } = await scoreInput(workspace, { evidence, signal }, cache);
  const overlap = evidence ? await spanOverlaps(workspace, input) : undefined;
  signal.throwIfAborted();
  return { ...input, overlap };
}

export const scorePart = defineHandler("tracemark/scorePart", async (state, params, signal) => {
  const module = loadScoreParts(bundleFolder());
  const { report, notes } = params.part === "agreement" ? { report: module.agreement(await agreementOf(state, params.root, params.labels)), notes: [] } : await reportPart(state, module, params, signal);
  return { report: { ...report }, notes } satisfies RequestResult<"tracemark/scorePart">;
});

async function agreementOf(state: ServerState, root: string, labels: "all" | "blind"): Promise<AgreementInput> {
  const { workspace } = await state.workspaces.of(root);
  await Promise.all([workspace.refreshLabels(), workspace.refreshRuns()]);
  return (await agreementInput(workspace, { labels })).input;
}

async function reportPart(state: ServerState, module: ScorePartsModule, { root, labels, gold, part, runs = [], reference }: PartParams, signal: AbortSignal): Promise<{ report: object; notes: string[] }> {
  const input = await inputOf(state, root, part === "faithfulness", signal);
  if (part === "comparison") {
    const comparison = module.comparisonOf(input, runs, { gold, labels });
    if (!comparison) throw new ExpectedFailure("one of the two runs is not there any more", "choose other runs");
    return { report: comparison, notes: [] };
  }
  const { matrix, notes } = reference === undefined ? { matrix: undefined, notes: [] } : await published(module, reference);
  return { report: module.reportWith(part, input, { gold, labels }, matrix), notes };
}

async function published(module: ScorePartsModule, file: string): Promise<{ matrix: GeneralisationMatrix; notes: string[] }> {
  const text = await readFile(file, "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, file)));
  const { matrix, problems } = module.referenceFrom(text);
  const [first] = problems;
  if (!matrix) throw new ExpectedFailure(first?.message.replace(/\.$/, "") ?? "the file holds no rates", "choose a CSV file with published rates", { file, line: first?.line });
  return { matrix, notes: problems.slice(0, 10).map(({ line, message }) => `${basename(file)}:${line}: ${message}`) };
}

export const scoreSamples = defineHandler("tracemark/scoreSamples", async (state, { root, labels, gold, selection, disagreement }, signal) => {
  const module = loadScoreParts(bundleFolder());
  if (disagreement) return { ids: module.disagreements(await agreementOf(state, root, labels), disagreement.between) };
  if (!selection) return { ids: [] };
  const input = await inputOf(state, root, selection.quotes !== undefined, signal);
  return { ids: module.samplesBehind(input, { gold, labels }, selection) };
});
