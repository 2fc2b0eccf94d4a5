/** What is wrong with a file of the workspace, and where: the line that `validate --json` prints. */
import type { $ZodIssue } from "zod/v4/core";

export interface FileProblem {
  /** Path from the root with `/`, or absolute where the file lies elsewhere. */
  readonly file: string;
  /** 1-based; undefined where no line is to blame. */
  readonly line?: number | undefined;
  /** Kebab-case and stable. */
  readonly code: string;
  /** A sentence for people, with what to do. */
  readonly message: string;
}

/** The first issue of a failed check of `value` in words: `spans.0.start: expected a whole number`. */
export function describeIssues(issues: readonly $ZodIssue[], value: unknown): string {
  const [issue] = issues;
  if (!issue) return "does not have the expected form";
  const path = issue.path.map(String).join(".");
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return `${path === "" ? "" : `${path}: `}${describeIssue(issue, at(value, issue.path) === undefined)}${more}`;
}

function describeIssue(issue: $ZodIssue, missing: boolean): string {
  switch (issue.code) {
    case "invalid_type": return missing ? `missing, expected ${nameOfType(issue.expected)}` : `expected ${nameOfType(issue.expected)}`;
    case "invalid_value": return `${missing ? "missing, " : ""}expected ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_big": return `must not be above ${issue.maximum}`;
    case "too_small": return `must not be below ${issue.minimum}`;
    case "invalid_union": return "has none of the forms allowed here";
    default: return "does not have the expected form";
  }
}

/** What stands at `path` in `value`, or undefined. */
function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}

function nameOfType(type: string): string {
  const names: Record<string, string> = {
    string: "text", number: "a number", int: "a whole number", boolean: "true or false", array: "a list", object: "an object", record: "an object", nullable: "a value or null",
  };
  return names[type] ?? type;
}
