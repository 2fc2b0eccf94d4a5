/** Writes training data for chat models, sample by sample, with a card beside it; memory does not grow with the number of samples. */
import { createHash } from "node:crypto";
import { open, readFile, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { findSecrets } from "#core/exports/secrets";
import type { Monitor, MonitorContext } from "#core/monitors/define";
import { kindOf } from "#core/monitors/index";
import { CardCounts, cardMarkdown, type DatasetCard } from "#core/training/dataset-card";
import { humanCategories } from "#core/training/human-quotes";
import { sftLine, llamaFactoryEntry, type SftExample, type SftShape } from "#core/training/sft-line";
import { sliceOf } from "#core/training/slices";
import { fileFailure } from "./expected-failure";
import { sha256 } from "./sha256";
import { replaceFile } from "./store/replace-file";
import { LeftOut, trainingSamples, type TrainingFilter, type TrainingSample } from "./training-samples";
import type { Workspace } from "./workspace";

export interface SftOptions extends TrainingFilter {
  /** Absolute path of the lines; the card lies beside it under the same name. */
  readonly out: string;
  readonly shape: SftShape;
  readonly prompting: "direct" | "evidence";
  /** Whose prompt is used. */
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  /** Misbehavior that nobody marked stays in under `evidence`, with an answer without quotes. */
  readonly unmarked: boolean;
  /** Longer ones are left out. Estimated. */
  readonly maxTokens?: number | undefined;
  readonly licence?: string | undefined;
  readonly version: string;
  /** Write although something looks like a secret. */
  readonly allowSecrets: boolean;
  /** Count, and write nothing. */
  readonly dryRun: boolean;
}

export interface SftExported {
  readonly card: DatasetCard;
  /** Absolute paths, the lines first; empty where nothing was written. */
  readonly written: readonly string[];
  /** Places of what looks like a secret; with any, nothing is written unless that was allowed. */
  readonly secrets: readonly string[];
}

const bufferedBytes = 1 << 20;

/** Lines on their way to a draft that takes the file's place once it is whole. */
class LineFile {
  private readonly hash = createHash("sha256");
  private buffered: Buffer[] = [];
  private size = 0;
  bytes = 0;

  private constructor(readonly path: string, private readonly draft: string, private readonly handle: Awaited<ReturnType<typeof open>> | undefined) {}

  /** Without `write` everything is counted and nothing kept. */
  static async create(path: string, write: boolean): Promise<LineFile> {
    const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    const handle = write ? await open(draft, "w").catch((error: unknown) => Promise.reject(fileFailure(error, path))) : undefined;
    return new LineFile(path, draft, handle);
  }

  async add(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`, "utf8");
    this.hash.update(bytes);
    this.bytes += bytes.length;
    if (!this.handle) return;
    this.buffered.push(bytes);
    this.size += bytes.length;
    if (this.size >= bufferedBytes) await this.flush();
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.concat(this.buffered);
    [this.buffered, this.size] = [[], 0];
    if (bytes.length > 0) await this.handle?.writeFile(bytes).catch((error: unknown) => Promise.reject(fileFailure(error, this.path)));
  }

  sha256(): string {
    return this.hash.digest("hex");
  }

  async keep(): Promise<void> {
    await this.flush();
    await this.handle?.close();
    if (this.handle) await rename(this.draft, this.path).catch((error: unknown) => Promise.reject(fileFailure(error, this.path)));
  }

  async discard(): Promise<void> {
    await this.handle?.close().catch(() => undefined);
    if (this.handle) await unlink(this.draft).catch(() => undefined);
  }
}

const tokenReason = "longer than --max-tokens, or than the window of the monitor";

/** Rejects on abort, when the files cannot be written, and with an `ExpectedFailure` where the test split is asked for. */
export async function exportSft(workspace: Workspace, options: SftOptions): Promise<SftExported> {
  const left = new LeftOut();
  const counts = new CardCounts();
  const samplesHash = createHash("sha256");
  const sums = { samples: 0, quotes: 0, without: 0, characters: 0, tokens: 0 };
  const secrets: string[] = [];
  const file = await LineFile.create(options.out, !options.dryRun);
  const index = await LineFile.create(`${stem(options.out)}.lines.jsonl`, !options.dryRun);
  try {
    for await (const item of trainingSamples(workspace, options, left)) {
      const made = exampleOf(item, workspace, options);
      if (typeof made === "string") {
        left.add(made);
        continue;
      }
      const line = sftLine(made.example, options.shape);
      sums.samples++;
      if (secrets.length < 1000) secrets.push(...findSecrets(line).map(({ kind, shown }) => `${item.sample.id}: ${kind} ${shown}`));
      sums.characters += made.example.system.length + made.example.user.length;
      sums.tokens += made.tokens;
      const quotes = made.example.categories.reduce((sum, { evidence }) => sum + evidence.length, 0);
      if (options.prompting === "evidence") sums.quotes += quotes;
      if (item.label === "misbehavior" && quotes === 0) sums.without++;
      samplesHash.update(`${JSON.stringify([item.sample.id, item.contentSha256, item.label])}\n`);
      countIn(counts, item);
      await file.add(line);
      await index.add(JSON.stringify({ line: sums.samples, sample_id: item.sample.id, content_sha256: item.contentSha256, label: item.label, gold: item.gold.status, slice: sliceOf(item.sample), split: item.sample.split }));
    }
    const card: DatasetCard = {
      type: "sft-card", name: `${workspace.settings.config?.name ?? "Tracemark"}: ${basename(stem(options.out))}`, file: basename(options.out), file_sha256: file.sha256(), bytes: file.bytes,
      tracemark_version: options.version, shape: options.shape, ...promptFacts(options),
      slices: options.slices?.length ? options.slices : ["all"], trained_on: Object.keys(counts.sorted().slice),
      samples: sums.samples, balance: counts.balance, by: counts.sorted(), quotes: sums.quotes, without_quotes: sums.without,
      characters: sums.characters, tokens_estimate: sums.tokens, samples_sha256: samplesHash.digest("hex"),
      considered: workspace.samples.length, excluded: left.list(), licence: options.licence ?? null,
    };
    if (options.dryRun || sums.samples === 0 || (secrets.length > 0 && !options.allowSecrets)) {
      await Promise.all([file.discard(), index.discard()]);
      return { card, written: [], secrets };
    }
    return { card, written: await writeAll(file, index, card, options), secrets };
  } catch (error) {
    await Promise.all([file.discard(), index.discard()]);
    throw error;
  }
}

function promptFacts({ prompting, monitor, context }: SftOptions): Pick<DatasetCard, "prompting" | "prompt_sha256" | "taxonomy_sha256" | "guideline_sha256" | "reasoning"> {
  return {
    prompting, prompt_sha256: sha256(kindOf(monitor).promptText(monitor, prompting)), taxonomy_sha256: sha256(JSON.stringify(context.taxonomy)),
    guideline_sha256: context.guidelines === undefined ? null : sha256(context.guidelines), reasoning: context.reasoning,
  };
}

/** The example of a sample, or why it is left out. */
function exampleOf({ sample, trajectory, contentSha256, label, records }: TrainingSample, { settings }: Workspace, { prompting, monitor, context, unmarked, maxTokens }: SftOptions): { example: SftExample; tokens: number } | string {
  const ownSpans = sample.label === label ? (sample.manifest?.record.spans ?? []) : [];
  const categories = label === "misbehavior" ? humanCategories({ records, ownSpans, category: sample.category, contentSha256 }, settings.taxonomy, context.reasoning) : [];
  if (prompting === "evidence" && label === "misbehavior" && !unmarked && categories.every(({ evidence }) => evidence.length === 0)) return "misbehavior without a marked span";
  let preview;
  try {
    preview = kindOf(monitor).preview?.(monitor, trajectory, context);
  } catch {
    preview = undefined;
  }
  if (!preview || preview.requests > 1 || (maxTokens !== undefined && preview.tokens > maxTokens)) return tokenReason;
  return { example: { system: preview.system, user: preview.user, label, prompting, categories }, tokens: preview.tokens };
}

function countIn(counts: CardCounts, { sample, label, gold }: TrainingSample): void {
  const record = sample.manifest?.record;
  const licence = record?.["license"] ?? record?.["licence"];
  counts.add(label, {
    slice: sliceOf(sample), split: sample.split ?? "none", gold: gold.status, source: record?.source ?? "not stated", licence: typeof licence === "string" ? licence : "not stated",
  });
}

async function writeAll(file: LineFile, index: LineFile, card: DatasetCard, { out, shape }: SftOptions): Promise<string[]> {
  const listed = shape === "llama-factory" ? await datasetInfo(out) : {};
  await file.keep();
  await index.keep();
  const beside = { ...listed, [`${stem(out)}.card.json`]: `${JSON.stringify(card, null, 2)}\n`, [`${stem(out)}.card.md`]: cardMarkdown(card) };
  for (const [path, text] of Object.entries(beside)) await replaceFile(path, text);
  return [file.path, index.path, ...Object.keys(beside)];
}

/** LLaMA-Factory's list of data sets with this one in it; what is there stays. */
async function datasetInfo(out: string): Promise<Record<string, string>> {
  const path = join(dirname(out), "dataset_info.json");
  let known: unknown = {};
  try {
    known = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileFailure(error, path);
  }
  if (typeof known !== "object" || known === null || Array.isArray(known)) throw fileFailure(new Error("not an object"), path);
  return { [path]: `${JSON.stringify({ ...known, [basename(stem(out))]: llamaFactoryEntry(basename(out)) }, null, 2)}\n` };
}

/** The path without its ending. */
function stem(path: string): string {
  return path.replace(/\.jsonl?$/i, "");
}
