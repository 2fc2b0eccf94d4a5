/** Opens real files, texts and made-up containers for the tests of readers, and sums a trajectory up for goldens. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { MemorySource } from "#node/file-source";
import { openPath } from "#node/open";
import { sha256 } from "#node/sha256";
import { contentCanonical, type Step, type Trajectory } from "#core/trajectory/model";
import { openFile, type TrajectoryFile } from "#core/trajectory/open";
import { projectRoot, sharedFile, sharedPath } from "../../support/shared";

/** A file of the reference collection, ids counted from the collection's root. */
export async function openShared(path: string): Promise<TrajectoryFile> {
  return (await openPath(path, { root: sharedPath("trajectories") })).file;
}

export function openText(path: string, text: string | Uint8Array): TrajectoryFile {
  return openFile(new MemorySource(path, typeof text === "string" ? new TextEncoder().encode(text) : text));
}

/** A container whose entries are the given values as JSON; texts and bytes stay as they are. */
export function openArchive(path: string, entries: Record<string, unknown>): TrajectoryFile {
  const bytes = new Map(Object.entries(entries).map(([name, value]) => [name, toBytes(value)]));
  const source = new MemorySource(path, new Uint8Array([0x50, 0x4b, 3, 4]));
  source.archive = {
    entries: [...bytes].map(([name, content]) => ({ name, size: content.length })),
    read: (name) => bytes.get(name) ?? new Uint8Array(),
  };
  return openFile(source);
}

function toBytes(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

export function loadAll(file: TrajectoryFile): Trajectory[] {
  return file.opened.heads.map((_head, index) => file.load(index));
}

/** `role [flags]: kind, kind tool, kind tool! (an error)` of a step. */
export function outline(step: Step): string {
  const flags = step.flags ? ` [${step.flags.join(" ")}]` : "";
  const parts = step.parts.map((part) => `${part.kind}${part.toolName ? ` ${part.toolName}` : ""}${part.isError ? "!" : ""}`);
  const extras = (step.extras ?? []).map((extra) => `(${extra.type})`);
  return `${step.role}${flags}: ${[...parts, ...extras, ...(step.reasoningHidden ? ["(reasoning hidden)"] : [])].join(", ")}`;
}

/** Calls that a result answers, by id; results without an id are counted by order. */
export function countPairs(trajectory: Trajectory): number {
  const open = trajectory.steps.flatMap((step) => step.parts.filter((part) => part.kind === "tool_call").map((part) => ({ id: part.callId, step: step.index })));
  let pairs = 0;
  for (const step of trajectory.steps) {
    const result = step.parts.find((part) => part.kind === "tool_result");
    const at = result ? open.findIndex((call) => call.id === result.callId && call.step < step.index) : -1;
    if (at < 0) continue;
    open.splice(at, 1);
    pairs++;
  }
  return pairs;
}

export interface Summary {
  id: string; label?: string; parent?: string; link?: number; steps: string[]; pairs: number; tokens?: string; warnings?: Record<string, number>; content: string;
}

export function summarise(trajectory: Trajectory): Summary {
  const warnings: Record<string, number> = {};
  for (const { code } of trajectory.warnings) warnings[code] = (warnings[code] ?? 0) + 1;
  const sum = (pick: (step: Step) => number | undefined): number => trajectory.steps.reduce((total, step) => total + (pick(step) ?? 0), 0);
  const tokens = `${sum((step) => step.tokens?.input)} in, ${sum((step) => step.tokens?.output)} out`;
  return {
    id: trajectory.id,
    ...(trajectory.label ? { label: trajectory.label } : {}),
    ...(trajectory.parentId ? { parent: trajectory.parentId } : {}),
    ...(trajectory.linkStep !== undefined ? { link: trajectory.linkStep } : {}),
    steps: trajectory.steps.map(outline),
    pairs: countPairs(trajectory),
    ...(trajectory.steps.some((step) => step.tokens) ? { tokens } : {}),
    ...(trajectory.warnings.length > 0 ? { warnings } : {}),
    content: sha256(contentCanonical(trajectory.steps)).slice(0, 16),
  };
}

/** The recorded golden, written anew first when UPDATE_GOLDENS is set; undefined where there is none. */
export function golden(format: string, name: string, actual: unknown): unknown {
  const path = join(projectRoot, "test/golden/formats", format, `${name.replace(/\.jsonl?$/, "")}.json`);
  if (process.env["UPDATE_GOLDENS"]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(actual, null, 1)}\n`);
  }
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

/** Files of many records keep a summary of the first ones and the hash of all. */
const mostTrajectories = 12;

/** What a golden holds: warnings of the file, summaries of its first trajectories, and sums over those behind them. */
export function summariseFile(path: string, file: TrajectoryFile): object {
  const all = loadAll(file).map(summarise);
  return { file: path, warnings: file.warnings(), count: all.length, trajectories: all.slice(0, mostTrajectories), rest: rest(all.slice(mostTrajectories)) };
}

/** What is kept of the trajectories behind the first ones: sums, and the hashes one behind the other. */
function rest(behind: readonly Summary[]): object | undefined {
  if (behind.length === 0) return undefined;
  const warnings: Record<string, number> = {};
  for (const summary of behind) for (const [code, count] of Object.entries(summary.warnings ?? {})) warnings[code] = (warnings[code] ?? 0) + count;
  return {
    steps: behind.reduce((sum, summary) => sum + summary.steps.length, 0), pairs: behind.reduce((sum, summary) => sum + summary.pairs, 0), warnings,
    content: behind.map((summary) => summary.content.slice(0, 4)).join(""),
  };
}

/** A test for each file (paths below `trajectories/`, by the format that has to read it) against its golden, in the shape that `sum` gives. UPDATE_GOLDENS=1 writes them anew. */
export function testGoldens(files: Readonly<Record<string, readonly string[]>>, sum: (path: string, file: TrajectoryFile) => object = summariseFile): void {
  for (const [format, paths] of Object.entries(files)) {
    for (const path of paths) {
      test(`${path} reads as its golden`, async (t) => {
        const full = sharedFile(t, `trajectories/${path}`);
        if (!full) return;
        const file = await openShared(full);
        assert.equal(file.format?.id, format);
        const actual = sum(path, file);
        assert.deepEqual(JSON.parse(JSON.stringify(actual)), golden(format, path.split("/").at(-1) ?? path, actual));
      });
    }
  }
}
