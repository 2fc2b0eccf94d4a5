/** How long the language server takes: from its start to its first answer, to the first screen of a small log, and of a large one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DocumentRef } from "#protocol/lsp";
import { fileRef, LanguageClient } from "../lsp/language-client";
import { sweAgentFile } from "./generate";
import type { BenchRow } from "./read";

const rounds = 5;
/** Steps that a view at the top asks for. */
const firstWindow = 40;

interface Start {
  /** Milliseconds from the start of the process. */
  readonly answered: number;
  readonly drawn: number;
  /** Bytes received for the screen. */
  readonly bytes: number;
}

/** Starts a server and asks for what the first screen of `document` shows, in the order in which the editor does. */
async function start(document: DocumentRef): Promise<Start> {
  const began = performance.now();
  const client = await LanguageClient.start();
  const answered = performance.now() - began;
  const before = client.bytes;
  await client.request("tracemark/open", document);
  await client.request("tracemark/header", { document, index: 0 });
  await client.request("tracemark/outline", { document, index: 0 });
  await client.request("tracemark/monitors", document.root ? { root: document.root } : {});
  await client.request("tracemark/verdicts", { document, index: 0 });
  await client.request("tracemark/steps", { document, index: 0, from: 0, to: firstWindow });
  const drawn = performance.now() - began;
  await client.close();
  return { answered, drawn, bytes: client.bytes - before };
}

async function middle(document: DocumentRef): Promise<Start> {
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round++) starts.push(await start(document));
  const median = (pick: (one: Start) => number) => starts.map(pick).sort((a, b) => a - b)[rounds >> 1]!;
  return { answered: median((one) => one.answered), drawn: median((one) => one.drawn), bytes: starts[0]!.bytes };
}

function row(name: string, value: number, unit: "ms" | "MB", target: number, detail: string): BenchRow {
  return { name, value: Number(value.toFixed(unit === "ms" ? 0 : 3)), unit, target, met: value <= target, detail };
}

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-bench-"));
  try {
    const file = join(folder, "large.traj");
    writeFileSync(file, sweAgentFile(20 << 20));
    const small = await middle(fileRef("samples/swe-agent/split-bill-1.traj", "samples"));
    const large = await middle(fileRef(file));
    const of = `median of ${rounds}`;
    return [
      row("server-start-first-answer", small.answered, "ms", 500, `process start to the answer of initialize, ${of}`),
      row("server-start-first-screen", small.drawn, "ms", 1000, `process start to the first ${firstWindow} steps of a sample with its verdicts, ${of}`),
      row("server-start-20mb-first-screen", large.drawn, "ms", 3000, `the same for a SWE-agent file of 20 MB, ${of}`),
      row("wire-20mb-first-screen", large.bytes / 1e6, "MB", 1, `everything the server sent for it, one window of ${firstWindow} steps among it`),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
