/** Entry of a bundle of its own: what the score view shows when one looks closer. The server loads it on first use. */
import { agreement, type AgreementInput, type AgreementReport } from "#core/labels/agreement";
import { countVoices } from "#core/labels/agreement-voices";
import { compareRuns, type Comparison } from "#core/scoring/compare";
import { detailParts, type DetailPart, type DetailsInput, type DetailsOptions } from "#core/scoring/details";
import { fullReport, type FullReport } from "#core/scoring/full-report";
import { generalisationMatrix, readMatrixCsv, type GeneralisationMatrix } from "#core/scoring/generalisation";

export { samplesBehind } from "#core/scoring/samples-behind";
export { agreement, type AgreementReport };

/** The report of a gold with one kind of details; `slices` has categories and tasks crossed in their place. */
export function reportWith(part: string, input: DetailsInput, options: Pick<DetailsOptions, "gold" | "labels">, reference?: GeneralisationMatrix): FullReport {
  const parts = detailParts.filter((name): name is DetailPart => name === part);
  return fullReport(input, { ...options, parts, by: part === "slices" ? ["category_task"] : [], seed: 1 }, reference);
}

/** Two runs by their ids, as `tracemark compare` prints them; undefined where one of them is gone. */
export function comparisonOf(input: DetailsInput, [a, b]: readonly string[], options: Pick<DetailsOptions, "gold" | "labels">): Comparison | undefined {
  const runs = [a, b].flatMap((id) => input.runs.find(({ header }) => header.run_id === id) ?? []);
  return runs.length < 2 ? undefined : compareRuns(input, runs, { ...options, seed: 1 })[0];
}

/** Ids of the samples on which the labels that count for agreement differ; with names, those of these people. */
export function disagreements({ samples, records, labels }: AgreementInput, between: readonly string[]): string[] {
  return countVoices(samples, records, labels === "blind").samples.flatMap(({ id, labels: own }) => {
    const said = own.filter(({ annotator }) => between.length === 0 || between.includes(annotator)).map(({ label }) => label);
    return new Set(said).size > 1 ? [id] : [];
  });
}

/** Published rates out of the text of a CSV file. */
export function referenceFrom(csv: string): { matrix: GeneralisationMatrix | undefined; problems: readonly { readonly line: number; readonly message: string }[] } {
  const { entries, problems } = readMatrixCsv(csv);
  return { matrix: entries.length === 0 ? undefined : generalisationMatrix(entries), problems };
}
