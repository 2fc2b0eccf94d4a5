/** `tracemark labels carry`: one's own labels of logs that were made anew, carried over to them. */
import { resolve } from "node:path";
import type { CarryOffer } from "#node/carry-labels";
import { carriedRecord, findCarries } from "#node/carry-labels";
import type { Step } from "#core/trajectory/model";
import { ExpectedFailure } from "#node/expected-failure";
import { openPath } from "#node/open";
import { contentSha256 } from "#node/sha256";
import { StoreFailure } from "#node/store/store-failure";
import { counted } from "./counted";
import { textOption, type VerbCall } from "./define";
import { listOption } from "./option-values";
import { printable } from "./printable";
import { progressLine } from "./progress";
import { loadWorkspace } from "./workspace-call";

/**
 * Appends a record for each label that was made on another version of its log; its spans stand where they stand now. The
 * decision comes along only with `--keep-labels`: it was made on other content.
 */
export async function carryLabels(call: VerbCall, files: readonly string[]): Promise<number> {
  if (files.length > 0) throw new ExpectedFailure("labels carry takes no files", "it looks through the whole workspace; name former versions of logs with --from");
  const annotator = textOption(call, "annotator");
  if (annotator === undefined) throw new ExpectedFailure("labels carry needs to know whose labels", "give --annotator NAME; only your own are yours to repeat");
  const workspace = await loadWorkspace(call);
  const before = await formerSteps(call);
  const progress = progressLine(call.io, "reading samples");
  const offers = await findCarries(workspace, { annotator, before, onProgress: (done, total) => progress.update(done, total) }).finally(() => progress.end());
  const dryRun = call.options["dryRun"] === true;
  const keepLabels = call.options["keepLabels"] === true;
  if (!dryRun) {
    const outcomes = await workspace.labels.appendAll(offers.map((offer) => ({ record: carriedRecord(offer, workspace.labels.stamp(annotator), keepLabels) })));
    const failed = outcomes.find((outcome) => outcome instanceof StoreFailure);
    if (failed) throw failed;
  }
  for (const offer of offers) call.io.out(call.options["json"] ? JSON.stringify({ sample_id: offer.record.sample_id, record_id: offer.record.id, ...countsOf(offer) }) : lineOf(offer));
  const done = dryRun ? `${counted(offers.length, "label")} can be carried over; nothing was written` : `${counted(offers.length, "label")} carried over`;
  call.io.note(`${done}${offers.length > 0 && !keepLabels ? "; their decisions are to be made again (or repeat them with --keep-labels)" : ""}`);
  return 0;
}

function countsOf({ carried: { spans, moved, orphaned } }: CarryOffer): { exact: number; moved: number; orphaned: number } {
  return { exact: spans.length - moved, moved, orphaned: orphaned.length };
}

function lineOf(offer: CarryOffer): string {
  const { exact, moved, orphaned } = countsOf(offer);
  const gone = offer.carried.orphaned.map(({ step, exact: words }) => `\n  gone: step ${step} "${printable(words.slice(0, 80))}"`);
  return [printable(offer.record.sample_id), `: ${counted(exact, "span")} in place, ${moved} moved, ${orphaned} gone`, ...gone].join("");
}

/** The steps of former versions, by their content. */
async function formerSteps(call: VerbCall): Promise<Map<string, readonly Step[]>> {
  const byContent = new Map<string, readonly Step[]>();
  for (const file of listOption(call, "from") ?? []) {
    const { file: opened } = await openPath(resolve(call.io.cwd, file), { root: call.io.cwd, shownAs: file });
    for (const at of opened.ids.keys()) {
      const { steps } = opened.load(at);
      byContent.set(contentSha256(steps), steps);
    }
  }
  return byContent;
}
