/** The root of a file: the folder of the nearest `tracemark.json` at or above it. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The folder of the nearest `tracemark.json` at or above `folder`, absolute; undefined where there is none. */
export function configFolderAbove(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, "tracemark.json"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The same, else `folder` itself. Absolute. */
export function rootAbove(folder: string): string {
  return configFolderAbove(folder) ?? resolve(folder);
}
