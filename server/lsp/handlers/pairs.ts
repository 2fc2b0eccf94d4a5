/** Pairs: which samples are halves of one, what the pair check finds, where their review stands, and where a sample is written down. */
import { isPairError } from "#core/pairs/pair-status";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "#node/expected-failure";
import { pairFindings, pairPlan as planPairs, pairReview, pairsOf, type PairState } from "#node/pair-review";
import { writePlan } from "#node/store/plan-writer";
import { systemIds } from "#node/store/system-ids";
import type { Workspace } from "#node/workspace";
import type { HalfFacts, PairListRow, StatusEntry } from "#protocol/pairs";
import type { ServerState } from "../state";
import { defineHandler } from "./define";

/** The workspace with its labels as they are now. */
async function withLabels(state: ServerState, root: string): Promise<Workspace> {
  const { workspace } = await state.workspaces.of(root);
  await workspace.refreshLabels();
  return workspace;
}

export const pair = defineHandler("tracemark/pair", async (state, { root, sampleId, annotator }) => {
  const workspace = await withLabels(state, root);
  const pairId = workspace.sample(sampleId)?.pairId;
  const found = pairId === undefined ? undefined : pairsOf(workspace).find((one) => one.pairId === pairId);
  if (!found) throw new ExpectedFailure(`${sampleId} is no half of a pair`, "make one with the command Tracemark: New pair from this sample");
  const { judged, hasJudged, isOpen, judges } = await pairReview(workspace, found, annotator);
  return {
    pairId: found.pairId, halves: found.members.map(factsOf), findings: (await pairFindings(workspace, found)).map((finding) => ({ ...finding })),
    review: {
      ...(found.status === undefined ? {} : { status: found.status }), log: logOf(found), judged, hasJudged, isOpen,
      judges: judges.map((judge) => ({ ...judge, labels: [...judge.labels] })), isAuthor: annotator !== undefined && found.authors.includes(annotator),
    },
  };
});

/** The longest log of the halves: a half that joined later has a shorter one. */
function logOf({ members }: PairState): StatusEntry[] {
  const logs = members.map(({ manifest }) => manifest?.record.status_log ?? []);
  const longest = logs.reduce((best, log) => (log.length > best.length ? log : best), []);
  return longest.map(({ status, by, at, reason }) => ({ status, by, at, ...(reason === undefined ? {} : { reason }) }));
}

function factsOf({ id, label, category, task, split, status, manifest }: Sample): HalfFacts {
  const record = manifest?.record;
  return {
    id, ...(label === undefined ? {} : { label }), ...(category === undefined ? {} : { category }), ...(task === undefined ? {} : { task }), ...(split === undefined ? {} : { split }),
    ...(status === undefined ? {} : { status }), ...(record?.authored ? { authored: record.authored } : {}), ...(record?.spans ? { spans: record.spans } : {}),
    ...(manifest ? { manifest: manifest.file } : {}),
  };
}

export const pairs = defineHandler("tracemark/pairs", async (state, { root, annotator, withFindings }) => {
  const workspace = await withLabels(state, root);
  const rows: PairListRow[] = [];
  for (const [done, one] of pairsOf(workspace).entries()) {
    rows.push(await rowOf(workspace, one, annotator, withFindings));
    // Reading is synchronous; others must get their turn.
    if (done % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
  }
  return { pairs: rows };
});

async function rowOf(workspace: Workspace, one: PairState, annotator: string | undefined, withFindings: boolean): Promise<PairListRow> {
  const { judged, hasJudged, isOpen } = await pairReview(workspace, one, annotator);
  const findings = withFindings ? await pairFindings(workspace, one) : undefined;
  const reason = logOf(one).at(-1)?.reason;
  return {
    pairId: one.pairId, ...(one.status === undefined ? {} : { status: one.status }), // What was meant stays back from whoever is still to judge it blind.
    halves: one.members.map(({ id, label }) => ({ id, ...(label === undefined || !isOpen ? {} : { label }) })),
    authors: [...one.authors], judged, hasJudged, ...(reason === undefined ? {} : { reason }),
    ...(findings ? { findings: { total: findings.length, errors: findings.filter(({ code }) => isPairError(code)).length } } : {}),
  };
}

export const pairPlan = defineHandler("tracemark/pairPlan", async (state, { root, annotator, seed, own }) => {
  const workspace = await withLabels(state, root);
  await workspace.refreshPlans();
  const createdAt = new Date().toISOString();
  // The name says nothing of what is in it: whoever judges blind sees it.
  const planId = `plan-${createdAt.slice(0, 10)}-${systemIds().next().slice(-6).toLowerCase()}`;
  const { open, made, pairs: count, ownPairs, ownHalves, inReview } = await planPairs(workspace, { annotator, seed, own, createdAt, planId });
  if (made) await writePlan(workspace.plansFolder, made.header, made.items);
  const id = open?.header.plan_id ?? made?.header.plan_id;
  return { ...(id === undefined ? {} : { planId: id }), isNew: made !== undefined, pairs: count, ownPairs, ownHalves: [...ownHalves], inReview };
});

export const sampleSource = defineHandler("tracemark/sampleSource", async (state, { root, sampleId }) => {
  const { workspace } = await state.workspaces.of(root);
  const sample = workspace.sample(sampleId);
  const ids = workspace.samples.map(({ id }) => id);
  if (!sample) return { known: false, ids };
  const { source: { file, record }, manifest, pairId } = sample;
  return {
    known: true, ids, file, ...(record === undefined ? {} : { record }), ...(manifest ? { manifest: manifest.file } : {}), ...(pairId === undefined ? {} : { pairId }),
  };
});
