/** Scores of a root: the objects that `tracemark score --gold both` prints. */
import { join } from "node:path";
import { scoreBoth } from "#node/score-workspace";
import { defineHandler } from "./define";

export const score = defineHandler("tracemark/score", async (state, { root, labels }, signal) => {
  const { workspace, evidence } = await state.workspaces.of(root);
  await Promise.all([workspace.refreshLabels(), workspace.refreshRuns(), workspace.refreshPlans()]);
  const { original, corrected, corrections, unread } = await scoreBoth(workspace, { labels, evidence: true, signal }, evidence);
  const warnings = workspace.problems.map(({ file, line, code, message }) => ({ code, message: `${file}: ${message}`, ...(line === undefined ? {} : { line }) }));
  for (const id of unread) warnings.push({ code: "unread-sample", message: `${id} could not be read; whether its records are stale is not known.` });
  return { original: { ...original }, corrected: { ...corrected }, corrections, warnings };
});

export const sampleFile = defineHandler("tracemark/sampleFile", async (state, { root, sampleId }) => {
  const { workspace } = await state.workspaces.of(root);
  const sample = workspace.sample(sampleId);
  if (!sample) return {};
  const { file, record } = sample.source;
  return { file: join(root, file), ...(typeof record === "number" ? { record } : {}) };
});
