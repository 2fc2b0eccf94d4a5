/** Damages values and bytes on purpose, the same way in every run, and checks that a reader answers and never throws. */
import assert from "node:assert/strict";
import type { TrajectoryFile } from "#core/trajectory/open";

export const rounds = 300;

/** Seeded numbers from 0 up to, not including, 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const strange: readonly unknown[] = [null, true, 0, -1, 1e21, "", "text", "attachment://0", [], [null], [[]], {}, { type: "text" }, { text: "x" }, { __proto__: null, id: 1 }, "\ud800"];

/** A copy of `value` with one place in it replaced, removed or repeated. */
export function twist(value: unknown, random: () => number): unknown {
  if (random() < 0.12 || typeof value !== "object" || value === null) return strange[Math.floor(random() * strange.length)];
  const keys = Object.keys(value);
  if (keys.length === 0) return strange[Math.floor(random() * strange.length)];
  const key = keys[Math.floor(random() * keys.length)] ?? "";
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  if (random() < 0.1) delete copy[key];
  else if (random() < 0.08 && Array.isArray(copy)) copy.push(copy[Number(key)]);
  else copy[key] = twist(copy[key], random);
  return copy;
}

/** UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Cuts, flips, or fills with noise. */
export function damage(bytes: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * bytes.length);
  const kind = random();
  if (kind < 0.4) return bytes.slice(0, at);
  const copy = bytes.slice();
  const flips = kind < 0.7 ? 1 : 20;
  for (let i = 0; i < flips; i++) copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
  return copy;
}

/** Loads everything: steps numbered, no reader failed. Answers the number of steps. */
export function check(file: TrajectoryFile, format: string, round: number): number {
  const told = [...file.warnings()];
  let steps = 0;
  file.opened.heads.forEach((_head, index) => {
    const trajectory = file.load(index);
    told.push(...trajectory.warnings);
    steps += trajectory.steps.length;
    trajectory.steps.forEach((step, at) => assert.equal(step.index, at));
  });
  const failures = told.filter((warning) => warning.code === "reader-failed");
  assert.deepEqual(failures, [], `${format}, round ${round}`);
  return steps;
}
