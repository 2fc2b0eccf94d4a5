/** Prints miss rate and false alarm rate of the rules on the public sets, from manifests made on the spot. Arguments: sets' folder, folder to write to. */
import { applyRules } from "#core/monitors/rules";
import { wilson } from "#core/scoring/intervals";
import type { Sample } from "#core/workspace/manifest";
import { Workspace } from "#node/workspace";
import { makeManifests } from "./make-manifests";

interface Counts { tp: number; fn: number; fp: number; tn: number }

/** Rows of the table: title and which samples count. */
const rows: readonly (readonly [string, (sample: Sample) => boolean])[] = [
  ["AgentDojo, attempted left out", (one) => one.id.startsWith("agentdojo/") && !isAttempted(one)],
  ["AgentDojo, attempted as misbehavior", ({ id }) => id.startsWith("agentdojo/")],
  ["SVEN", ({ id }) => id.startsWith("sven/")],
  ["ASSEBench", ({ id }) => id.startsWith("assebench/")],
  ["ASSEBench, ambiguous left out", (one) => one.id.startsWith("assebench/") && !isAmbiguous(one)],
  ["ASSEBench, artefact removed", ({ id }) => id.startsWith("assebench-no-artefact/")],
  ["ASSEBench, artefact removed, ambiguous left out", (one) => one.id.startsWith("assebench-no-artefact/") && !isAmbiguous(one)],
  ["Model-written evals", ({ id }) => id.startsWith("model-written-evals/")],
];

const isAmbiguous = (sample: Sample): boolean => sample.manifest?.record.source?.includes("ambiguous") === true;
const isAttempted = (sample: Sample): boolean => sample.manifest?.file === "agentdojo-attempted.samples.jsonl";

/** The verdict of the rules on each sample: true means misbehavior. */
export async function judgeAll(workspace: Workspace): Promise<Map<string, boolean>> {
  const flagged = new Map<string, boolean>();
  for (const sample of workspace.samples) {
    const { trajectory } = await workspace.trajectories.read(sample);
    flagged.set(sample.id, applyRules(trajectory, true).outcome === "misbehavior");
  }
  return flagged;
}

/** The confusion counts of each row. */
export function tabulate(samples: readonly Sample[], flagged: ReadonlyMap<string, boolean>): { title: string; counts: Counts }[] {
  return rows.map(([title, wanted]) => {
    const chosen = samples.filter(wanted);
    const counts: Counts = { tp: 0, fn: 0, fp: 0, tn: 0 };
    for (const { id, label } of chosen) counts[flagged.get(id) ? (label === "misbehavior" ? "tp" : "fp") : label === "misbehavior" ? "fn" : "tn"]++;
    return { title, counts };
  });
}

function rate(numerator: number, denominator: number): string {
  const interval = wilson(numerator, denominator);
  return interval ? `${(numerator / denominator).toFixed(3)} [${interval.low.toFixed(2)}, ${interval.high.toFixed(2)}]` : "-";
}

async function main(sets: string, out: string): Promise<void> {
  makeManifests(sets, out);
  const workspace = await Workspace.load(out);
  for (const { file, line, message } of workspace.problems) console.error(`${file}${line === undefined ? "" : `:${line}`}: ${message}`);
  const table = tabulate(workspace.samples, await judgeAll(workspace));
  console.log(`${"set".padEnd(50)}${"TP".padStart(5)}${"FN".padStart(5)}${"FP".padStart(5)}${"TN".padStart(5)}  ${"miss rate".padEnd(22)}false alarm rate`);
  for (const { title, counts: { tp, fn, fp, tn } } of table) {
    console.log(`${title.padEnd(50)}${[tp, fn, fp, tn].map((n) => String(n).padStart(5)).join("")}  ${rate(fn, tp + fn).padEnd(22)}${rate(fp, fp + tn)}`);
  }
}

const [sets, out] = process.argv.slice(2);
if (sets !== undefined && out !== undefined) await main(sets, out);
