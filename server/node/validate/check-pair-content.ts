/** What can only be said of pairs and sets once their trajectories were read: the pair check, the surface probe, duplicates. */
import { checkHalves, type PairHalf } from "#core/pairs/check-pair";
import { isPairError } from "#core/pairs/pair-status";
import { findDuplicates, shinglesOf, type Fingerprint } from "#core/pairs/duplicates";
import { probePairs, type ProbePair, type ProbeResult } from "#core/pairs/probe";
import { surfaceFeatures } from "#core/pairs/surface";
import { seededRandom } from "#core/labels/seeded-random";
import type { FileProblem } from "#core/workspace/file-problem";
import type { Sample } from "#core/workspace/manifest";
import type { ReadSample } from "./check-records";

/** A probe that does no better than this, or could do as well by chance, is not told. */
const tellingAccuracy = 0.65;
const tellingP = 0.01;

/** Gathers samples as they are read, one after the other; a pair is checked when its second half comes. */
export class PairContents {
  private readonly waiting = new Map<string, { sample: Sample; half: PairHalf }>();
  private readonly fingerprints: Fingerprint[] = [];
  private readonly probed: (ProbePair & { readonly manifest: string })[] = [];
  private readonly sampleById = new Map<string, Sample>();
  readonly problems: FileProblem[] = [];

  /** Takes a sample in. One that was rejected is left out of everything. */
  add(sample: Sample, { trajectory, contentSha256 }: ReadSample): void {
    if (sample.status === "rejected" || trajectory.steps.length === 0) return;
    this.sampleById.set(sample.id, sample);
    this.fingerprints.push({ id: sample.id, group: sample.group, split: sample.split, contentSha256, shingles: shinglesOf(trajectory.steps) });
    if (sample.pairId === undefined) return;
    const record = sample.manifest?.record;
    const half: PairHalf = {
      id: sample.id, label: sample.label, file: record?.path === undefined ? undefined : sample.source.file, authored: record?.authored,
      intendedDifference: record?.intended_difference, spans: record?.spans, steps: trajectory.steps,
    };
    const other = this.waiting.get(sample.pairId);
    if (!other) {
      this.waiting.set(sample.pairId, { sample, half });
      return;
    }
    this.waiting.delete(sample.pairId);
    // In the order of the manifest, whatever the order of the files.
    const [a, b] = lineOf(other.sample) <= lineOf(sample) ? [other.half, half] : [half, other.half];
    const findings = checkHalves(a, b);
    for (const { code, message, fix, sampleId } of findings) this.problems.push(this.problem(sampleId, code, `${message} ${fix}`));
    this.checkAcceptance(sample.pairId, [other.sample, sample], findings.map(({ code }) => code));
    this.keepForProbe(sample, a, b);
  }

  /** What shows only over the whole set. */
  finish(): FileProblem[] {
    const repeated = findDuplicates(this.fingerprints).map(({ code, id, of, likeness }) => {
      const splits = code.endsWith("-splits") ? `, across splits (${this.splitOf(of)} and ${this.splitOf(id)})` : "";
      const alike = likeness === 1 ? `holds the same content as ${of}` : `is nearly the same as ${of} (${Math.floor(likeness * 100)} % of its runs of five words)`;
      return this.problem(id, code, `${id} ${alike}${splits}. ${splits ? "Keep both in one split, or remove one." : "Remove one, or put both into one group."}`);
    });
    const result = probePairs(this.probed, { random: seededRandom(1, "surface probe") });
    return [...this.problems, ...repeated, ...(result && isTelling(result) ? [this.probeProblem(result)] : [])];
  }

  /** An accepted pair in which the check finds what makes it no pair. */
  private checkAcceptance(pairId: string, members: readonly Sample[], codes: readonly string[]): void {
    const errors = [...new Set(codes.filter(isPairError))];
    const accepted = members.find(({ status }) => status === "accepted");
    if (!accepted || errors.length === 0) return;
    this.problems.push(this.problem(accepted.id, "pair-accepted", `Pair ${pairId} is accepted although the check finds ${errors.join(" and ")}. Correct it, or set the status to rejected.`));
  }

  private keepForProbe(sample: Sample, a: PairHalf, b: PairHalf): void {
    if (a.label === undefined || b.label === undefined || a.label === b.label) return;
    const [misbehavior, benign] = a.label === "misbehavior" ? [a, b] : [b, a];
    this.probed.push({
      id: sample.pairId ?? sample.id, manifest: sample.manifest?.file ?? sample.source.file,
      misbehavior: surfaceFeatures(misbehavior.steps, misbehavior.spans), benign: surfaceFeatures(benign.steps, benign.spans),
    });
  }

  private problem(id: string, code: string, message: string): FileProblem {
    const sample = this.sampleById.get(id);
    return { file: sample?.manifest?.file ?? sample?.source.file ?? ".", line: sample?.manifest?.line, code, message };
  }

  private probeProblem({ pairs, accuracy, p, features }: ProbeResult): FileProblem {
    const counts = new Map<string, number>();
    for (const { manifest } of this.probed) counts.set(manifest, (counts.get(manifest) ?? 0) + 1);
    const [file] = [...counts].sort(([, x], [, y]) => y - x).map(([name]) => name);
    const goesBy = features.map(({ name, more, share }) => {
      const what = name.startsWith("word:") ? `"${name.slice(5)}"` : name;
      return `${what} (${more ? "more" : "less"} in the misbehavior half, in ${Math.round(share * 100)} % of the pairs that differ in it)`;
    });
    return {
      file: file ?? ".", code: "surface-probe",
      message: `Surface features alone tell the halves of held-out pairs apart in ${Math.round(accuracy * 100)} % of ${pairs} pairs (p = ${p.toFixed(3)}). It goes by ${goesBy.join(", ")}. Even these out, or mark the misbehavior itself with spans.`,
    };
  }

  private splitOf(id: string): string {
    return this.sampleById.get(id)?.split ?? "none";
  }
}

function isTelling({ accuracy, p }: ProbeResult): boolean {
  return accuracy >= tellingAccuracy && p <= tellingP;
}

function lineOf({ manifest }: Sample): number {
  return manifest?.line ?? 0;
}
