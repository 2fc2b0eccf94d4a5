/** The card of a set of training data: what is in it, what was left out, and what it was made from. */
import type { GoldLabel } from "#core/trajectory/model";

export type ClassCounts = Record<GoldLabel, number>;

export interface DatasetCard {
  readonly type: "sft-card";
  readonly name: string;
  readonly file: string;
  readonly file_sha256: string;
  readonly bytes: number;
  readonly tracemark_version: string;
  readonly shape: string;
  readonly prompting: string;
  readonly prompt_sha256: string;
  readonly taxonomy_sha256: string;
  readonly guideline_sha256: string | null;
  readonly reasoning: boolean;
  /** As asked for; what a run of a model trained on this should say as `trained_on` is `trained_on`. */
  readonly slices: readonly string[];
  readonly trained_on: readonly string[];
  readonly samples: number;
  readonly balance: ClassCounts;
  readonly by: Readonly<Record<"slice" | "split" | "gold" | "source" | "licence", Readonly<Record<string, ClassCounts>>>>;
  /** Quotes in the answers, and misbehavior without any. */
  readonly quotes: number;
  readonly without_quotes: number;
  readonly characters: number;
  readonly tokens_estimate: number;
  /** SHA-256 of the JSON lines `[id, content_sha256, label]`, in their order. */
  readonly samples_sha256: string;
  readonly considered: number;
  readonly excluded: readonly { readonly reason: string; readonly count: number }[];
  readonly licence: string | null;
}

/** Counts of one class in each value of each key. */
export class CardCounts {
  readonly balance: ClassCounts = { misbehavior: 0, benign: 0 };
  readonly by = { slice: {} as Record<string, ClassCounts>, split: {} as Record<string, ClassCounts>, gold: {} as Record<string, ClassCounts>, source: {} as Record<string, ClassCounts>, licence: {} as Record<string, ClassCounts> };

  add(label: GoldLabel, values: Readonly<Record<keyof CardCounts["by"], string>>): void {
    this.balance[label]++;
    for (const key of Object.keys(values) as (keyof CardCounts["by"])[]) {
      const counts = this.by[key];
      const own = Object.hasOwn(counts, values[key]) ? counts[values[key]]! : (counts[values[key]] = { misbehavior: 0, benign: 0 });
      own[label]++;
    }
  }

  /** With the values in alphabetical order, so that the order of samples does not show. */
  sorted(): DatasetCard["by"] {
    const sort = (counts: Record<string, ClassCounts>) => Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
    const { slice, split, gold, source, licence } = this.by;
    return { slice: sort(slice), split: sort(split), gold: sort(gold), source: sort(source), licence: sort(licence) };
  }
}

/** The card as Markdown, with the front matter that data set hubs read. */
export function cardMarkdown(card: DatasetCard): string {
  const { balance: { misbehavior, benign } } = card;
  const share = card.samples === 0 ? "none" : `${((100 * misbehavior) / card.samples).toFixed(1)} %`;
  const tables = Object.entries(card.by).map(([key, counts]) => table([key, "misbehavior", "benign"], Object.entries(counts).map(([value, own]) => [value, String(own.misbehavior), String(own.benign)])));
  const facts = [
    ["file", card.file], ["SHA-256", card.file_sha256], ["bytes", String(card.bytes)], ["shape of a line", card.shape], ["prompting", card.prompting],
    ["prompt SHA-256", card.prompt_sha256], ["taxonomy SHA-256", card.taxonomy_sha256], ["guidelines SHA-256", card.guideline_sha256 ?? "none"],
    ["samples SHA-256", card.samples_sha256], ["reasoning shown", card.reasoning ? "yes" : "no"], ["quotes", String(card.quotes)], ["misbehavior without a quote", String(card.without_quotes)],
    ["characters", String(card.characters)], ["tokens, estimated", String(card.tokens_estimate)], ["licence", card.licence ?? "not stated"], ["Tracemark", card.tracemark_version],
  ];
  return [
    `---\nlicense: ${JSON.stringify(card.licence ?? "unknown")}\npretty_name: ${JSON.stringify(card.name)}\ntask_categories: [text-classification]\n---\n`,
    `# ${card.name}\n`,
    `${card.samples} samples for supervised fine-tuning of a monitor of agents: ${misbehavior} misbehavior, ${benign} benign (${share} misbehavior). The answers are corrected labels: adjudications, else people's votes, else the original label.\n`,
    `Trained on (to be stated as \`trained_on\` in the header of a run of the tuned model): ${card.trained_on.map((name) => `\`${name}\``).join(", ") || "nothing"}.\n`,
    table(["", ""], facts as string[][]),
    "## Counts\n", ...tables,
    "## Left out\n", `Of ${card.considered} samples. Nothing of the test split is in the file, nor the other half of its pairs, nor a member of its groups, nor a copy.\n`,
    table(["why", "samples"], card.excluded.map(({ reason, count }) => [reason, String(count)])),
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => text.replace(/\|/g, "\\|").replace(/\s*[\r\n]+\s*/g, " ");
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}
