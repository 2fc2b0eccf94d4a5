/** What the label bar says beside the label itself: the gold over all annotators, and what stands of a label on another version of the log. */
import { goldWords, type GoldWords } from "#core/labels/gold-words";
import { isStale } from "#core/labels/standing";
import type { LabelRecord, Span } from "#core/workspace/schemas";
import type { Kept } from "#protocol/webview";
import type { SampleState } from "../editor/sample-state";
import { annotatorName } from "../platform/config";
import type { LabelService } from "./label-service";

export interface LabelFacts {
  readonly kept?: Kept;
  readonly gold?: GoldWords;
  /** Somebody else has a part in `gold`. */
  readonly hasOthers: boolean;
}

/** `canSee`: whether the person may see what others say of the sample; `isHidden`: they judge it blind, and see no gold at all. */
export async function labelFacts(labels: LabelService, root: string | undefined, sample: SampleState, isHidden: boolean, canSee: boolean): Promise<LabelFacts> {
  if (root === undefined) return { hasOthers: false };
  const records = (await labels.storeOf(root)).recordsOf(sample.id);
  const kept = keptOf(sample, records);
  const own = annotatorName();
  const hasOthers = records.some(({ annotator }) => annotator !== own);
  if (isHidden || (hasOthers && !canSee)) return { ...(kept ? { kept } : {}), hasOthers: false };
  const { header } = sample;
  const gold = goldWords({ records, original: header.sample?.label ?? header.label, contentSha256: header.contentSha256, overturn: (await labels.settingsOf(root)).overturn });
  return { ...(kept ? { kept } : {}), gold, hasOthers };
}

const factsOf = new WeakMap<SampleState, string>();

/** Whether something else is to be said of a sample than when this was asked last. */
export function hasNewFacts(sample: SampleState, facts: LabelFacts): boolean {
  const now = JSON.stringify(facts);
  const isNew = factsOf.get(sample) !== now;
  factsOf.set(sample, now);
  return isNew;
}

/** Undefined where the label was made on the log as it is, with every span in its place. */
function keptOf({ standing, isStale: isOld, carry, orphans, header }: SampleState, records: readonly LabelRecord[]): Kept | undefined {
  if (!standing) return undefined;
  const isCarried = (record: LabelRecord): boolean => record.id === standing.supersedes && isStale(record, header.contentSha256);
  const former = isOld ? standing : standing.label === null ? records.find(isCarried) : undefined;
  if (!former && orphans.length === 0) return undefined;
  return {
    isStale: isOld, label: former?.label ?? null, exact: carry ? carry.spans.length - carry.moved : 0, moved: carry?.moved ?? 0,
    orphans: (carry?.orphaned ?? orphans).map(orphanOf),
  };
}

function orphanOf({ step, exact, category, note }: Span): Kept["orphans"][number] {
  return { step, exact, ...(category === undefined ? {} : { category }), ...(note === undefined ? {} : { note }) };
}
