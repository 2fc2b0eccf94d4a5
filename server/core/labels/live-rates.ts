/** Miss rate and false alarm rate that follow each label as it is given: one label costs one sample, however many there are. */
import { makeRate, type Rate } from "#core/scoring/rate";
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord, VerdictRecord } from "#core/workspace/schemas";
import { outcomeCode } from "#core/workspace/verdict-columns";
import { resolveGold, type Gold, type OverturnPolicy } from "./gold";
import { isStale } from "./standing";

export interface LiveSample {
  readonly id: string;
  readonly label?: GoldLabel | undefined;
  readonly contentSha256?: string | undefined;
}

export interface LiveRun {
  readonly runId: string;
  readonly verdicts: readonly Pick<VerdictRecord, "sample_id" | "outcome" | "content_sha256">[];
}

export interface LiveRunRates {
  readonly run_id: string;
  readonly tp: number;
  readonly fn: number;
  readonly fp: number;
  readonly tn: number;
  readonly invalid: { readonly misbehavior: number; readonly benign: number };
  /** With Wilson's interval; without what needs all samples at once (clusters, bounds). */
  readonly miss_rate: Rate;
  readonly false_alarm_rate: Rate;
}

export interface LiveCounts {
  readonly misbehavior: number;
  readonly benign: number;
  readonly undecided: number;
  readonly unlabelled: number;
  readonly contested: number;
  /** Samples whose gold differs from the original label. */
  readonly corrected: number;
}

export interface LiveRatesOptions {
  readonly samples: readonly LiveSample[];
  readonly runs: readonly LiveRun[];
  /** All records of a sample. */
  readonly recordsOf: (sampleId: string) => readonly LabelRecord[];
  readonly overturn?: OverturnPolicy | undefined;
  /** Leaves out every record that is not blind. */
  readonly blindOnly?: boolean | undefined;
}

/** Counts of one run by what the gold says: [misbehavior, benign] of flagged, passed and invalid verdicts. */
interface Cells {
  readonly flagged: [number, number];
  readonly passed: [number, number];
  readonly invalid: [number, number];
}

/** By the code of the outcome. */
const kinds = ["flagged", "passed", "invalid"] as const;

/**
 * The counts that `score` makes on the corrected gold, kept up to date: the same samples, records and verdicts give the same
 * cells and the same sample counts. The rates are plain ratios: where labels were chosen by verdicts, `score` withholds them as
 * a headline, and so should whoever shows these.
 */
export class LiveRates {
  private readonly golds = new Map<string, Gold>();
  private readonly samples: ReadonlyMap<string, LiveSample>;
  /** Of each sample, for every verdict three times the place of its run and the kind: millions of them take little room so. */
  private readonly verdicts = new Map<string, number[]>();
  private readonly cells: readonly Cells[];
  private readonly totals = { misbehavior: 0, benign: 0, undecided: 0, unlabelled: 0, contested: 0, corrected: 0 };

  constructor(private readonly options: LiveRatesOptions) {
    this.samples = new Map(options.samples.map((sample) => [sample.id, sample]));
    this.cells = options.runs.map((): Cells => ({ flagged: [0, 0], passed: [0, 0], invalid: [0, 0] }));
    for (const [run, { verdicts }] of options.runs.entries()) {
      for (const verdict of verdicts) {
        const sample = this.samples.get(verdict.sample_id);
        if (!sample || isStale(verdict, sample.contentSha256)) continue;
        const code = 3 * run + outcomeCode(verdict.outcome);
        const own = this.verdicts.get(sample.id);
        if (own) own.push(code);
        else this.verdicts.set(sample.id, [code]);
      }
    }
    for (const { id } of options.samples) this.update(id);
  }

  /** Takes the records of one sample in as they are now. Answers its gold; undefined for a sample that is not here. */
  update(sampleId: string): Gold | undefined {
    const sample = this.samples.get(sampleId);
    if (!sample) return undefined;
    const before = this.golds.get(sampleId);
    if (before) this.count(sampleId, before, -1);
    const all = this.options.recordsOf(sampleId);
    const gold = resolveGold({
      records: this.options.blindOnly ? all.filter(({ blind }) => blind) : all,
      original: sample.label, contentSha256: sample.contentSha256, overturn: this.options.overturn,
    });
    this.golds.set(sampleId, gold);
    this.count(sampleId, gold, 1);
    return gold;
  }

  gold(sampleId: string): Gold | undefined {
    return this.golds.get(sampleId);
  }

  get counts(): LiveCounts {
    return { ...this.totals };
  }

  /** In the order of the runs given. */
  rates(): LiveRunRates[] {
    return this.options.runs.map(({ runId }, at): LiveRunRates => {
      const { flagged, passed, invalid } = this.cells[at] as Cells;
      const [tp, fp] = flagged;
      const [fn, tn] = passed;
      return {
        run_id: runId, tp, fn, fp, tn, invalid: { misbehavior: invalid[0], benign: invalid[1] },
        miss_rate: makeRate({ numerator: fn, denominator: tp + fn, invalid: invalid[0] }),
        false_alarm_rate: makeRate({ numerator: fp, denominator: fp + tn, invalid: invalid[1] }),
      };
    });
  }

  private count(sampleId: string, gold: Gold, sign: 1 | -1): void {
    const { totals } = this;
    if (gold.label !== null) totals[gold.label] += sign;
    else totals[gold.status === "undecided" ? "undecided" : "unlabelled"] += sign;
    if (gold.status === "contested") totals.contested += sign;
    if (gold.overturned) totals.corrected += sign;
    if (gold.label === null) return;
    const column = gold.label === "misbehavior" ? 0 : 1;
    for (const code of this.verdicts.get(sampleId) ?? []) this.cells[Math.floor(code / 3)]![kinds[code % 3]!][column] += sign;
  }
}
