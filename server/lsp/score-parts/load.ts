/** Finds the bundle of score parts beside the running program and loads it on first use. */
import { createRequire } from "node:module";
import { join } from "node:path";

export type ScorePartsModule = typeof import("./main");

let loaded: ScorePartsModule | undefined;

/** The module `score-parts.cjs` of `folder` (the folder of the running bundle). Most sessions never look closer at scores. */
export function loadScoreParts(folder: string): ScorePartsModule {
  loaded ??= createRequire(join(folder, "score-parts.cjs"))("./score-parts.cjs") as ScorePartsModule;
  return loaded;
}
