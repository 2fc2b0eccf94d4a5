/** The published JSON Schemas of the workspace files, made from the zod schemas that read them. */
import * as z from "zod/mini";
import { LabelRecord, PlanHeader, PlanItem, RunHeader, SampleRecord, Span, VerdictRecord, WorkspaceConfig } from "./schemas";

const schemaByName = {
  "tracemark": WorkspaceConfig, "sample": SampleRecord, "label": LabelRecord, "run": RunHeader, "verdict": VerdictRecord, "span": Span,
  "plan": PlanHeader, "plan_item": PlanItem,
} as const;

/** File name (without ending) to JSON Schema, draft 7, which VS Code checks against. Keys that a schema does not name are allowed. */
export function jsonSchemas(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemaByName).map(([name, schema]) => [name, z.toJSONSchema(schema, { io: "input", target: "draft-7" })]));
}
