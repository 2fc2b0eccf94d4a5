/** In a process of its own: looks at damaged files one after the other and tells its parent before and after each. */
import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readSeeds } from "./corpus";
import { damagedFile, examine } from "./examine";

const [from = "0", to = "0", ...folders] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tracemark-fuzz-"));

/** Milliseconds of processor time since `began`: a busy machine does not make a file slow. */
function spent(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

async function main(): Promise<void> {
  const seeds = await readSeeds(folders);
  process.send!({ seeds: seeds.length });
  for (let round = Number(from); round < Number(to); round++) {
    const damaged = damagedFile(seeds, round);
    const name = `${damaged.seed.name} (${damaged.kind})`;
    await new Promise((sent) => process.send!({ begins: round, name }, sent as never));
    const began = process.cpuUsage();
    let fault: string | undefined;
    let steps = 0;
    try {
      ({ steps } = await examine(damaged, folder));
    } catch (error) {
      fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    process.send!({ ended: round, name, ms: spent(began), rss: process.memoryUsage.rss(), steps, fault });
  }
}

await main().finally(() => rmSync(folder, { recursive: true, force: true }));
process.disconnect();
