/** Finds the bundle that talks to models beside the running program and loads it on first use. */
import { createRequire } from "node:module";
import { join } from "node:path";

export type ModelsModule = typeof import("./main");

let loaded: ModelsModule | undefined;

/** The module `models.cjs` of `folder` (the folder of the running bundle). It is big, and few commands need it. */
export function loadModels(folder: string): ModelsModule {
  loaded ??= createRequire(join(folder, "models.cjs"))("./models.cjs") as ModelsModule;
  return loaded;
}

/** The folder of the running bundle; from source the built one of the current folder. */
export function bundleFolder(): string {
  return typeof __dirname === "string" ? __dirname : join(process.cwd(), "dist");
}
