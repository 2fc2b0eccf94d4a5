/** Pairs: which samples are halves of one, what the pair check finds, and where a sample is written down. */
import { checkHalves, type PairHalf } from "#core/pairs/check-pair";
import { checkPairs } from "#core/workspace/check-pairs";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "#node/expected-failure";
import type { Workspace } from "#node/workspace";
import type { HalfFacts, PairFindingView } from "#protocol/pairs";
import { defineHandler } from "./define";

export const pair = defineHandler("tracemark/pair", async (state, { root, sampleId }) => {
  const { workspace } = await state.workspaces.of(root);
  const sample = workspace.sample(sampleId);
  const pairId = sample?.pairId;
  if (pairId === undefined) throw new ExpectedFailure(`${sampleId} is no half of a pair`, "make one with the command Tracemark: New pair from this sample");
  const members = workspace.samples.filter((one) => one.pairId === pairId);
  return { pairId, halves: members.map(factsOf), findings: await findingsOf(workspace, members) };
});

function factsOf({ id, label, category, task, split, status, manifest }: Sample): HalfFacts {
  const record = manifest?.record;
  return {
    id, ...(label === undefined ? {} : { label }), ...(category === undefined ? {} : { category }), ...(task === undefined ? {} : { task }), ...(split === undefined ? {} : { split }),
    ...(status === undefined ? {} : { status }), ...(record?.authored ? { authored: record.authored } : {}), ...(record?.spans ? { spans: record.spans } : {}),
  };
}

/** What `tracemark validate` says of the pair; what shows only over a whole set is left to it. */
async function findingsOf(workspace: Workspace, members: readonly Sample[]): Promise<PairFindingView[]> {
  const ids = members.map(({ id }) => id);
  const lineOf = ({ manifest }: Sample): number => manifest?.line ?? 0;
  const ofManifest = checkPairs(members).map(({ code, message, line }): PairFindingView => ({
    code, message, fix: "Change the lines of the manifest.", sampleId: members.find((one) => lineOf(one) === line)?.id ?? ids.at(-1) ?? "",
  }));
  const [first, second] = members;
  if (!first || !second) return ofManifest;
  const [a, b] = [await halfOf(workspace, first), await halfOf(workspace, second)];
  return [...ofManifest, ...checkHalves(a, b).map(({ code, message, fix, sampleId, step }) => ({ code, message, fix, sampleId, ...(step === undefined ? {} : { step }) }))];
}

async function halfOf(workspace: Workspace, sample: Sample): Promise<PairHalf> {
  const { trajectory } = await workspace.trajectories.read(sample);
  const record = sample.manifest?.record;
  return {
    id: sample.id, label: sample.label, file: record?.path === undefined ? undefined : sample.source.file, authored: record?.authored,
    intendedDifference: record?.intended_difference, spans: record?.spans, steps: trajectory.steps,
  };
}

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
