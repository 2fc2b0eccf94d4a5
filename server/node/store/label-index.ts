/** Label records of all files under one roof: by id, by sample, by annotator; what stands twice counts once. */
import { isDeepStrictEqual } from "node:util";
import { compareByTime, instantOf } from "#core/labels/instant";
import { standingByAnnotator } from "#core/labels/standing";
import type { FileProblem } from "#core/workspace/file-problem";
import type { JsonLine } from "#core/workspace/json-lines";
import type { LabelRecord } from "#core/workspace/schemas";

export interface StoredRecord {
  readonly record: LabelRecord;
  /** As shown in problems, and 1-based. */
  readonly file: string;
  readonly line: number;
  /** The line as it stands in the file. */
  readonly raw: string;
}

export class LabelIndex {
  readonly byId = new Map<string, StoredRecord>();
  readonly bySample = new Map<string, LabelRecord[]>();
  readonly problems: FileProblem[] = [];
  private readonly newestText = new Map<string, string>();

  /** Answers false when the id is there already with other content: which of the two counts then hangs on the order of the files. */
  add(file: string, { value, line, raw }: JsonLine<LabelRecord>): boolean {
    const before = this.byId.get(value.id);
    if (before) {
      // The same line in two files is what merging branches leaves; other content under the same id is a mistake.
      if (before.raw !== raw && !isDeepStrictEqual(JSON.parse(before.raw), JSON.parse(raw))) {
        this.problems.push({
          file, line, code: "duplicate-id",
          message: `Record ${value.id} stands in ${before.file}:${before.line} with other content; that one counts. Give this one another id.`,
        });
        return false;
      }
      return true;
    }
    this.byId.set(value.id, { record: value, file, line, raw });
    const own = this.bySample.get(value.sample_id);
    if (own) own.push(value);
    else this.bySample.set(value.sample_id, [value]);
    // ISO times of one form sort as they are; reading each of them would cost as much as parsing the file.
    const newest = this.newestText.get(value.annotator);
    if (newest === undefined || value.created_at > newest) this.newestText.set(value.annotator, value.created_at);
    return true;
  }

  /** Everyone with a record. */
  annotators(): string[] {
    return [...this.newestText.keys()];
  }

  /** When an annotator's newest record was made, milliseconds since 1970, as far as times are written in one form (ours, in UTC). */
  newestTime(annotator: string): number | undefined {
    const text = this.newestText.get(annotator);
    return text === undefined ? undefined : instantOf(text);
  }

  /** Newest last. */
  recordsOf(sampleId: string): LabelRecord[] {
    return [...(this.bySample.get(sampleId) ?? [])].sort(compareByTime);
  }

  standing(annotator: string, sampleId: string): LabelRecord | undefined {
    return standingByAnnotator(this.bySample.get(sampleId) ?? []).get(annotator);
  }
}
