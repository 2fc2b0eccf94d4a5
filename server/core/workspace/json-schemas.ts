/** The published JSON Schemas of the workspace files, made from the zod schemas that read them. */
import * as z from "zod/mini";
import { monitorKeyDocs, monitorSnippets } from "./monitor-docs";
import { LabelRecord, PlanHeader, PlanItem, RunHeader, SampleRecord, Span, VerdictRecord, WorkspaceConfig } from "./schemas";

const schemaByName = {
  "tracemark": WorkspaceConfig, "sample": SampleRecord, "label": LabelRecord, "run": RunHeader, "verdict": VerdictRecord, "span": Span,
  "plan": PlanHeader, "plan_item": PlanItem,
} as const;

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema;
  description?: string;
  defaultSnippets?: unknown;
}

/** File name (without ending) to JSON Schema, draft 7, which VS Code checks against. Keys that a schema does not name are allowed. */
export function jsonSchemas(): Record<string, unknown> {
  const schemas = Object.fromEntries(Object.entries(schemaByName).map(([name, schema]) => [name, z.toJSONSchema(schema, { io: "input", target: "draft-7" }) as JsonSchema]));
  const monitor = schemas["tracemark"]?.properties?.["monitors"]?.additionalProperties;
  if (monitor) {
    describe(monitor, "");
    monitor.defaultSnippets = monitorSnippets;
  }
  return schemas;
}

/** Puts the words of `monitorKeyDocs` at their keys. */
function describe({ properties = {} }: JsonSchema, above: string): void {
  for (const [key, schema] of Object.entries(properties)) {
    const words = monitorKeyDocs[`${above}${key}`];
    if (words !== undefined) schema.description = words;
    describe(schema, `${above}${key}.`);
  }
}
