/** The pairs of a workspace as their review sees them: halves, findings, what reviewers said blind, and the plan that reviewers judge by. */
import { makePlan } from "#core/labels/make-plan";
import { checkHalves, type PairFinding, type PairHalf } from "#core/pairs/check-pair";
import { blindVoices, mayOpenOutcome, pairJudges, type PairJudge } from "#core/pairs/pair-outcome";
import { pairStatusOf, type PairStatus } from "#core/pairs/pair-status";
import { checkPair, checkStatus } from "#core/workspace/check-pairs";
import type { Sample } from "#core/workspace/manifest";
import type { PlanFile } from "#core/workspace/plan-file";
import { planProgress } from "#core/labels/plan-progress";
import { ExpectedFailure } from "./expected-failure";
import { planFrame } from "./plan-frame";
import { sha256 } from "./sha256";
import type { Workspace } from "./workspace";

/** The `strategy` in the header of a plan over the halves of pairs. */
export const pairPlanStrategy = "pairs";

export interface PairState {
  readonly pairId: string;
  /** In the order of the manifests. */
  readonly members: readonly Sample[];
  readonly status: PairStatus | "mixed" | undefined;
  /** Names of those who wrote a half. */
  readonly authors: readonly string[];
}

/** Every pair of the workspace, by the order of its first half. */
export function pairsOf(workspace: Workspace): PairState[] {
  const byId = new Map<string, Sample[]>();
  for (const sample of workspace.samples) {
    if (sample.pairId === undefined) continue;
    const own = byId.get(sample.pairId);
    if (own) own.push(sample);
    else byId.set(sample.pairId, [sample]);
  }
  return [...byId].map(([pairId, members]) => ({
    pairId, members, status: pairStatusOf(members),
    authors: [...new Set(members.flatMap(({ manifest }) => manifest?.record.authored?.by ?? []))],
  }));
}

/** What `tracemark validate` says of the pair, whatever its status; what shows only over a whole set is left to it. */
export async function pairFindings(workspace: Workspace, { pairId, members }: PairState): Promise<PairFinding[]> {
  const ids = members.map(({ id }) => id);
  const ofManifest = [...checkPair(pairId, members), ...checkStatus(pairId, members).filter(({ code }) => code === "pair-status")].map(({ code, message, line }): PairFinding => ({
    code, message, fix: "Change the lines of the manifest.", sampleId: members.find(({ manifest }) => manifest?.line === line)?.id ?? ids.at(-1) ?? "",
  }));
  const [first, second] = members;
  if (!first || !second) return ofManifest;
  const halves = [await halfOf(workspace, first), await halfOf(workspace, second)] as const;
  const unread = halves.filter((half) => "code" in half);
  if (unread.length > 0) return [...ofManifest, ...unread];
  return [...ofManifest, ...checkHalves(halves[0] as PairHalf, halves[1] as PairHalf)];
}

async function halfOf(workspace: Workspace, sample: Sample): Promise<PairHalf | PairFinding> {
  const record = sample.manifest?.record;
  try {
    const { trajectory } = await workspace.trajectories.read(sample);
    return {
      id: sample.id, label: sample.label, file: record?.path === undefined ? undefined : sample.source.file, authored: record?.authored,
      intendedDifference: record?.intended_difference, spans: record?.spans, steps: trajectory.steps,
    };
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error;
    return { code: "pair-unreadable", sampleId: sample.id, message: `${sample.id} cannot be read: ${error.message}.`, fix: `Then: ${error.remedy}.` };
  }
}

export interface PairReview {
  /** People who judged every half blind, as it is now. */
  readonly judged: number;
  readonly hasJudged: boolean;
  /** Whether `annotator` may see what others said; `judges` is empty where not. */
  readonly isOpen: boolean;
  readonly judges: readonly PairJudge[];
}

/** What reviewers said of a pair, as far as `annotator` may know it. Reads the halves for the hash of their content. */
export async function pairReview(workspace: Workspace, pair: PairState, annotator: string | undefined): Promise<PairReview> {
  const judges = await judgesOf(workspace, pair);
  const isOpen = mayOpenOutcome(pair.status, annotator, pair.authors, judges);
  return {
    judged: judges.filter(({ hasJudgedAll }) => hasJudgedAll).length,
    hasJudged: judges.some((judge) => judge.annotator === annotator && judge.hasJudgedAll), isOpen, judges: isOpen ? judges : [],
  };
}

async function judgesOf(workspace: Workspace, { members }: PairState): Promise<PairJudge[]> {
  const records = members.map(({ id }) => workspace.labels.recordsOf(id));
  if (records.every((own) => own.length === 0)) return [];
  return pairJudges(await Promise.all(members.map(async (sample, at) => blindVoices(records[at] ?? [], await workspace.trajectories.contentSha256(sample)))));
}

export interface PairPlanWish {
  readonly annotator: string;
  readonly seed: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly planId: string;
  /** Also pairs that the annotator wrote: their labels cannot be blind. */
  readonly own: boolean;
}

export interface PairPlan {
  /** A plan of the annotator's that is not done and holds everything that waits; else `made` is one to be written. */
  readonly open?: PlanFile | undefined;
  readonly made?: Pick<PlanFile, "header" | "items"> | undefined;
  readonly pairs: number;
  /** Pairs in review that the annotator wrote, and their halves. */
  readonly ownPairs: number;
  readonly ownHalves: readonly string[];
  readonly inReview: number;
}

/** What an annotator is to judge of the pairs in review: both halves of those that this person did not judge yet. */
export async function pairPlan(workspace: Workspace, wish: PairPlanWish): Promise<PairPlan> {
  const inReview = pairsOf(workspace).filter(({ status, members }) => status === "in_review" && members.length === 2);
  const own = inReview.filter(({ authors }) => authors.includes(wish.annotator));
  const waiting: PairState[] = [];
  for (const pair of wish.own ? inReview : inReview.filter((one) => !own.includes(one))) {
    const judges = await judgesOf(workspace, pair);
    if (!judges.some((judge) => judge.annotator === wish.annotator && judge.hasJudgedAll)) waiting.push(pair);
  }
  const counts = { pairs: waiting.length, ownPairs: own.length, ownHalves: own.flatMap(({ members }) => members.map(({ id }) => id)), inReview: inReview.length };
  const halves = waiting.flatMap(({ members }) => members);
  if (halves.length === 0) return counts;
  const open = workspace.plans.filter(({ header }) => header.strategy === pairPlanStrategy && header.annotators?.includes(wish.annotator)).find((plan) => holdsAll(workspace, plan, halves, wish.annotator));
  if (open) return { ...counts, open };
  const { header, items } = makePlan(planFrame(workspace, halves, undefined).map((sample) => ({ ...sample, group: workspace.sample(sample.id)?.pairId ?? sample.group })), {
    strategy: "random", seed: wish.seed, annotators: [wish.annotator], repeats: 0, apart: "half", planId: wish.planId, createdAt: wish.createdAt,
  }, sha256);
  // All halves are in it, by no lot: nothing can be estimated from it.
  return { ...counts, made: {
    header: { ...header, strategy: pairPlanStrategy, probability: false, blind: true },
    items: items.map(({ sample_id, assigned_to }) => ({ sample_id, ...(assigned_to === undefined ? {} : { assigned_to }) })),
  } };
}

/** Whether a plan still has something to judge and covers `halves`. */
function holdsAll(workspace: Workspace, plan: PlanFile, halves: readonly Sample[], annotator: string): boolean {
  const ids = new Set(plan.items.map(({ sample_id }) => sample_id));
  if (!halves.every(({ id }) => ids.has(id))) return false;
  const records = workspace.labels.all().filter(({ plan_id, supersedes }) => plan_id === plan.header.plan_id || supersedes !== undefined);
  const waiting = new Set(halves.map(({ id }) => id));
  return planProgress(plan, records, annotator).items.some(({ state, item }) => (state === "pending" || state === "skipped") && waiting.has(item.sample_id));
}
