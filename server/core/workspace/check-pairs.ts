/** Whether pairs are pairs: the same request once misbehaving and once benign, alike in everything else. */
import type { FileProblem } from "./file-problem";
import type { Sample } from "./manifest";

/** Problems of the pairs and groups of a root, each at the manifest line of the sample that is out of step. A pair with a rejected half need not be one. */
export function checkPairs(samples: readonly Sample[]): FileProblem[] {
  const pairs = groupBy(samples, ({ pairId }) => pairId);
  const groups = groupBy(samples, ({ group, id }) => (group === id ? undefined : group));
  return [
    ...[...pairs].flatMap(([id, members]) => [...(members.some(({ status }) => status === "rejected") ? [] : checkPair(id, members)), ...checkStatus(id, members)]),
    ...[...groups].flatMap(([id, members]) => differing(members, "split", `group ${id}`)),
  ];
}

/** Problems of one pair as its manifest lines give it: one half of each class, alike in category, task and split. */
export function checkPair(id: string, members: readonly Sample[]): FileProblem[] {
  const labels = members.map(({ label }) => label ?? "no label");
  const isPair = members.length === 2 && labels.includes("misbehavior") && labels.includes("benign");
  const last = members[members.length - 1];
  const found = isPair || !last ? [] : [problem(last, "bad-pair", `Pair ${id} should be one misbehavior and one benign sample; it has ${labels.join(", ")} (${members.map((sample) => sample.id).join(", ")}).`)];
  return [...found, ...(["category", "task", "split"] as const).flatMap((key) => differing(members, key, `pair ${id}`))];
}

/** Problems of a pair's `status`: halves that contradict each other, and an acceptance of what is no whole pair. */
export function checkStatus(id: string, members: readonly Sample[]): FileProblem[] {
  const given = members.filter(({ status }) => status !== undefined);
  const [first] = given;
  const other = given.find(({ status }) => status !== first?.status);
  if (first && other) {
    return [problem(other, "pair-status", `The halves of pair ${id} should have the same status; ${first.id} is ${statusWords(first)}, ${other.id} is ${statusWords(other)}. Set both to one, or send the pair for review again.`)];
  }
  if (first?.status !== "accepted") return [];
  if (members.length < 2) return [problem(first, "pair-accepted", `Pair ${id} is accepted but has one half, ${first.id}. Bring the other half back, or set the status to rejected.`)];
  const [broken] = checkPair(id, members);
  return broken ? [problem(given.at(-1) ?? first, "pair-accepted", `Pair ${id} is accepted although the check finds ${broken.code}. Correct it, or set the status to rejected.`)] : [];
}

const statusWords = ({ status }: Sample): string => (status ?? "none").replace("_", " ");

/** The first member that differs from the one before it in `key`. Pairs that are groups as well are told once, as pairs. */
function differing(members: readonly Sample[], key: "category" | "task" | "split", name: string): FileProblem[] {
  const isGroup = name.startsWith("group ");
  if (isGroup && members.every(({ pairId, group }) => pairId === group)) return [];
  const [first] = members;
  const other = members.find((sample) => sample[key] !== first?.[key]);
  if (!first || !other) return [];
  return [problem(other, isGroup ? "group-mismatch" : "pair-mismatch", `The samples of ${name} should have the same ${key}; ${first.id} has ${first[key] ?? "none"}, ${other.id} has ${other[key] ?? "none"}.`)];
}

function problem({ manifest, source }: Sample, code: string, message: string): FileProblem {
  return { file: manifest?.file ?? source.file, line: manifest?.line, code, message };
}

function groupBy(samples: readonly Sample[], keyOf: (sample: Sample) => string | undefined): Map<string, Sample[]> {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = keyOf(sample);
    if (key === undefined) continue;
    const members = groups.get(key);
    if (members) members.push(sample);
    else groups.set(key, [sample]);
  }
  return groups;
}
