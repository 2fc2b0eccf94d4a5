/** What a file of a root is: told by where it lies, and else by its first line. */
import type { WorkspaceSettings } from "#core/workspace/config";
import { isManifestName } from "#core/workspace/manifest";

export type FileKind = "config" | "manifest" | "labels" | "run" | "plan" | "trajectory";

/** `file` from the root with `/`; `start` are its first characters, enough for a line. */
export function kindOfFile(file: string, settings: WorkspaceSettings, start: string): FileKind {
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (name === "tracemark.json") return "config";
  if (isManifestName(name)) return "manifest";
  if (!name.endsWith(".jsonl")) return "trajectory";
  const folder = file.slice(0, Math.max(0, file.lastIndexOf("/")));
  if (folder === settings.labels) return "labels";
  if (folder === settings.runs) return "run";
  if (folder === settings.plans) return "plan";
  return kindOfLine(firstObject(start));
}

function kindOfLine(line: Record<string, unknown>): FileKind {
  if (line["type"] === "run" && "run_id" in line) return "run";
  if (line["type"] === "plan" && "plan_id" in line) return "plan";
  if ("sample_id" in line && "annotator" in line && "label" in line) return "labels";
  return "trajectory";
}

function firstObject(start: string): Record<string, unknown> {
  const line = start.replace(/^\uFEFF/, "").split("\n").find((text) => text.trim() !== "") ?? "";
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    // A label or run file whose first line is damaged, or longer than what was read, still shows its keys.
    if (/^\s*\{"type":\s*"run",\s*"run_id"/.test(line)) return { type: "run", run_id: "" };
    return /"sample_id"/.test(line) && /"annotator"/.test(line) ? { sample_id: "", annotator: "", label: null } : {};
  }
}
