/** What an export would publish, listed before it is written. */
import { findSecrets } from "../secrets";
import type { LabelExport, LabelFormat } from "./define";

export interface PublishList {
  /** Sentences for people. */
  readonly lines: readonly string[];
  /** Places of what looks like a secret. */
  readonly secrets: readonly string[];
}

/** Counts what `text` made by `format` from `input` holds, and looks for secrets in all of it. */
export function publishList(format: LabelFormat, input: LabelExport, text: string): PublishList {
  const { records, samples, withText } = input;
  const annotators = [...new Set(records.map(({ record }) => record.annotator))].sort();
  const spans = records.flatMap(({ record }) => record.spans ?? []);
  const characters = spans.reduce((sum, { exact, prefix, suffix }) => sum + exact.length + prefix.length + suffix.length, 0);
  const notes = records.filter(({ record }) => record.note).length;
  const whole = format.carriesTrajectories && withText ? [...samples.values()].filter(({ steps }) => steps !== undefined) : [];
  const wholeCharacters = whole.reduce((sum, { steps = [] }) => sum + steps.reduce((own, { parts }) => own + parts.reduce((part, one) => part + one.text.length, 0), 0), 0);
  const files = new Set(records.map(({ record }) => record.sample_id)).size;
  const lines = format.id === "scout"
    ? [`publishes the gold of samples by uuid and sample id; no names, no words`]
    : [
      `publishes ${records.length} records by ${annotators.length === 0 ? "nobody" : annotators.join(", ")} on ${files} samples, whose ids (file names among them) are shown`,
      withText ? `${spans.length} spans with ${characters} characters of trajectories and ${notes} notes` : `${spans.length} spans as offsets alone, no notes, no names`,
      ...(whole.length > 0 ? [`the whole text of ${whole.length} trajectories, ${wholeCharacters} characters`] : []),
    ];
  const secrets = findSecrets(text).map(({ kind, at, shown }) => `${kind} ${shown} in line ${text.slice(0, at).split("\n").length} of the output`);
  return { lines, secrets };
}
