/** Takes the words out of label records: offsets, hashes and decisions stay, names become A1, A2. */
import { compareByTime } from "#core/labels/instant";
import type { LabelRecord } from "#core/workspace/schemas";

/** Keys that hold no words of a trajectory or a person. Any other key is dropped, since nobody can tell what is in it. */
const kept = new Set<string>([
  "id", "sample_id", "content_sha256", "file_sha256", "reader", "created_at", "label", "categories", "blind", "seen", "run_id", "action", "plan_id", "guideline_sha256",
  "supersedes", "retracted", "adjudicates", "seconds", "quick", "check", "skipped",
]);

/**
 * The records without words. Annotators are numbered by their first record. Of extra questions, answers that are numbers or
 * yes and no stay. Spans keep place, category and origin, and say that their text was removed.
 */
export function withoutText(records: readonly LabelRecord[]): LabelRecord[] {
  const names = new Map<string, string>();
  for (const { annotator } of [...records].sort(compareByTime)) if (!names.has(annotator)) names.set(annotator, `A${names.size + 1}`);
  return records.map((record): LabelRecord => {
    const { id, sample_id, label, created_at, blind, seen } = record;
    const rest = Object.fromEntries(Object.entries(record).filter(([key]) => kept.has(key)));
    const fields = Object.fromEntries(Object.entries(record.fields ?? {}).filter(([, value]) => typeof value === "number" || typeof value === "boolean"));
    return {
      ...rest, id, sample_id, annotator: names.get(record.annotator) ?? "", created_at, label, blind, seen,
      ...(record.spans ? {
        spans: record.spans.map(({ step, part, part_index, start, end, category, origin }) => ({
          step, part, part_index, start, end, exact: "", prefix: "", suffix: "", text_removed: true,
          ...(category === undefined ? {} : { category }), ...(origin === undefined ? {} : { origin }),
        })),
      } : {}),
      ...(Object.keys(fields).length > 0 ? { fields } : {}),
    };
  });
}
