/** Other trajectories that an ATIF file names: sub-agents and its continuation, inside the file or in files beside it. */
import { isObject, member } from "#core/json/access";
import type { JsonDocument, JsonObject } from "#core/json/document";
import type { Source } from "../reader";
import { openDocument } from "../source-document";
import type { StepList } from "./step-list";
import { listOf, wordOf } from "./fields";

/** A trajectory found. `source` is set where it stands in a file of its own, against which its own references are resolved. */
export interface ChildFound {
  readonly id: string;
  readonly document: JsonDocument;
  readonly root: JsonObject;
  readonly source: Source | undefined;
  /** Index of the ATIF step that refers to it, in the parent. */
  readonly step: number;
}

interface Reference {
  readonly id: string;
  readonly path: string | undefined;
  readonly session: string | undefined;
  readonly step: number;
}

/** The references of a trajectory in the order of its steps, the continuation last. */
function referencesOf(root: JsonObject): Reference[] {
  const found: Reference[] = [];
  const steps = listOf(root["steps"]);
  steps.forEach((step, at) => {
    for (const result of listOf(member(member(step, "observation"), "results"))) {
      for (const reference of listOf(member(result, "subagent_trajectory_ref"))) {
        const path = wordOf(member(reference, "trajectory_path"));
        const session = wordOf(member(reference, "trajectory_id")) ?? wordOf(member(reference, "session_id"));
        if (path !== undefined || session !== undefined) found.push({ id: session ?? stem(path!), path, session, step: at });
      }
    }
  });
  const next = wordOf(root["continued_trajectory_ref"]);
  if (next !== undefined) found.push({ id: stem(next), path: next, session: undefined, step: Math.max(0, steps.length - 1) });
  return found;
}

/** File name without folders and `.json`. */
function stem(path: string): string {
  return path.split(/[\\/]/).at(-1)!.replace(/\.json$/i, "");
}

/** Resolves the references of `root`; those that lead nowhere are told to `missing`. Nothing outside the folder is opened. */
export function findChildren(root: JsonObject, document: JsonDocument, source: Source | undefined, missing: (reference: string) => void): ChildFound[] {
  const embedded = listOf(root["subagent_trajectories"]).filter(isObject);
  return referencesOf(root).flatMap((reference): ChildFound[] => {
    const inside = embedded.find((child) => reference.session !== undefined && [wordOf(child["trajectory_id"]), wordOf(child["session_id"])].includes(reference.session));
    if (inside) return [{ id: reference.id, document, root: inside, source: undefined, step: reference.step }];
    const file = reference.path === undefined ? undefined : siblingOf(source, reference.path);
    const json = file && openDocument(file).json();
    if (json && isObject(json.value) && Array.isArray(json.value["steps"])) return [{ id: reference.id, document: json, root: json.value, source: file, step: reference.step }];
    missing(reference.path ?? reference.id);
    return [];
  });
}

/** The file itself, or with the beginning of the own file's name before it: collections rename whole folders that way. */
function siblingOf(source: Source | undefined, path: string): Source | undefined {
  if (!source || path.split(/[\\/]/).includes("..")) return undefined;
  const own = source.path.split("/").at(-1)!;
  const prefix = /^(.*?)trajectory(\.[^/]*)?\.json$/i.exec(own)?.[1] ?? "";
  return source.sibling(path) ?? (prefix && !path.includes("/") ? source.sibling(prefix + path) : undefined);
}

/** Says which references could not be followed. */
export function warnMissing(list: StepList, references: readonly string[]): void {
  for (const reference of references) list.warn("child-not-found", `The trajectory ${reference} that this one refers to is not beside the file.`);
}
