/** A plan file: the header in its first line, then the samples to judge, in order. */
import type { FileProblem } from "./file-problem";
import { readJsonLines, type JsonLine } from "./json-lines";
import { PlanHeader, PlanItem, PlanLine } from "./schemas";

export interface PlanFile {
  /** As given to `readPlanFile`. */
  readonly file: string;
  readonly header: PlanHeader;
  readonly items: readonly PlanItem[];
  /** 1-based line of each item. */
  readonly lines: readonly number[];
}

/**
 * Reads the text of a plan file. `plan` is undefined when there is no header to go by. Lines that cannot be used, numbers
 * that contradict each other and items that cannot be told apart are problems; whatever can be read is read.
 */
export function readPlanFile(text: string, file: string): { plan: PlanFile | undefined; problems: FileProblem[] } {
  const read = readJsonLines<PlanLine>(text, PlanLine, file);
  const problems = [...read.problems];
  const [first] = read.lines;
  const header = first && PlanHeader.safeParse(first.value);
  if (!header?.success) {
    problems.push({ file, line: 1, code: "no-plan-header", message: "The first line is not a plan header ({\"type\": \"plan\", …}); the file is not used." });
    return { plan: undefined, problems };
  }
  const items: JsonLine<PlanItem>[] = [];
  for (const { value, line, raw } of read.lines.slice(1)) {
    const item = PlanItem.safeParse(value);
    if (item.success && value["type"] !== "plan") items.push({ value: item.data, line, raw });
    else problems.push({ file, line, code: "second-plan-header", message: "A plan header stands in the middle of the file; it is not used." });
  }
  const plan: PlanFile = { file, header: header.data, items: items.map(({ value }) => value), lines: items.map(({ line }) => line) };
  problems.push(...checkStrata(plan), ...checkItems(plan));
  return { plan, problems };
}

/** The text of a plan file. */
export function writePlanFile(header: PlanHeader, items: readonly PlanItem[]): string {
  return [header, ...items].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Whether an item asks for a judgement that may become gold: neither a repeat nor a known item. */
export function isJudgement(item: PlanItem): boolean {
  return item.repeat_of === undefined && item.known !== true;
}

function checkStrata({ file, header, items }: PlanFile): FileProblem[] {
  const problems: FileProblem[] = [];
  const say = (message: string): void => void problems.push({ file, line: 1, code: "plan-strata", message });
  const drawn = new Map<string, Set<string>>();
  for (const item of items) if (isJudgement(item)) (drawn.get(item.stratum ?? "") ?? drawn.set(item.stratum ?? "", new Set()).get(item.stratum ?? ""))?.add(item.sample_id);
  for (const { id, N, n } of header.strata) {
    if (n > N || n < 0) say(`Stratum ${id} says that ${n} of ${N} samples were drawn.`);
    const listed = drawn.get(id)?.size ?? (header.strata.length === 1 ? drawn.get("")?.size : undefined) ?? 0;
    if (listed !== n) say(`Stratum ${id} says that ${n} samples were drawn; the file lists ${listed}.`);
    if (header.probability && n === 0 && N > 0) say(`The plan says that its probabilities are known, but none of the ${N} samples of stratum ${id} could be drawn; it cannot be used for rates.`);
  }
  return problems;
}

function checkItems({ file, header, items, lines }: PlanFile): FileProblem[] {
  const problems: FileProblem[] = [];
  const seen = new Set<string>();
  const annotators = header.annotators && new Set(header.annotators);
  for (const [at, item] of items.entries()) {
    const say = (code: string, message: string): void => void problems.push({ file, line: lines[at], code, message });
    if (item.repeat_of === undefined) {
      const key = JSON.stringify([item.sample_id, item.assigned_to ?? null]);
      if (seen.has(key)) say("duplicate-item", `${item.sample_id} is given to the same person twice and is not marked as a repeat.`);
      seen.add(key);
    }
    if (item.repeat_of !== undefined && item.repeat_of !== item.sample_id) say("plan-repeat", `A repeat of ${item.repeat_of} shows ${item.sample_id}.`);
    if (item.assigned_to !== undefined && annotators && !annotators.has(item.assigned_to)) say("unknown-annotator", `${item.assigned_to} is not among the annotators of the plan's header.`);
    if (header.probability && isJudgement(item) && item.inclusion_prob === undefined) say("no-inclusion-prob", `${item.sample_id} has no inclusion_prob; it cannot enter estimates.`);
  }
  return problems;
}
