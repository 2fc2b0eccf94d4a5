/** Recorded verdicts of a trajectory, each with its quotes looked for in the text as it is now. */
import type { LocatedVerdict } from "#protocol/lsp";
import { locateCategories } from "../locate-quotes";
import { defineHandler } from "./define";

export const verdicts = defineHandler("tracemark/verdicts", async (state, { document, index, beginning }) => {
  const read = await state.files.trajectory(document, index, beginning);
  // Most quotes would not be found in a beginning; they are looked for when all has been read.
  if (read.isCut) return { verdicts: [] };
  const recorded = document.root ? await state.workspaces.verdictsOf(document.root, read.trajectory.id) : [];
  const located = recorded.map(({ run, verdict }): LocatedVerdict => ({
    run, verdict,
    stale: verdict.content_sha256 !== undefined && verdict.content_sha256 !== read.contentSha256,
    quotes: locateCategories(read.quotable, verdict.detected_categories),
  }));
  return { verdicts: located };
});

export const locate = defineHandler("tracemark/locate", async (state, { document, index, categories }) => {
  const read = await state.files.trajectory(document, index);
  return { quotes: locateCategories(read.quotable, categories) };
});
