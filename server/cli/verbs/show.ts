/** `tracemark show`: a file's trajectories for people, or one JSON line each. */
import { isDamage } from "#core/trajectory/damage";
import type { Part, Step, Trajectory } from "#core/trajectory/model";
import type { PathOpened } from "#node/open";
import { contentSha256 } from "#node/sha256";
import type { Io } from "../define";
import { defineVerb, formatOption, jsonOption, rootOption, textOption } from "../define";
import { counted } from "../counted";
import { excerpt, printable } from "../printable";
import { chosen, loadWithWarnings, openOperand, tellEmpty, tellWarnings } from "../trajectories";

export const showVerb = defineVerb({
  name: "show",
  summary: "print the trajectories of a file: a list when there are many, else its steps",
  operands: "<file>",
  options: [{ flags: "--id <id>", description: "only the trajectory with this sample id, or this record id" }, jsonOption, formatOption, rootOption],
  async run(call) {
    const { io } = call;
    const file = call.args[0]!;
    const opened = await openOperand(call, file);
    if (opened.file.ids.length === 0) {
      tellEmpty(call, file, opened);
      return 1;
    }
    const indexes = chosen(opened, file, textOption(call, "id"));
    if (!call.options["json"] && indexes.length > 1) return list(opened, file, indexes, call.io);
    let damaged = false;
    for (const index of indexes) {
      const trajectory = loadWithWarnings(opened, index);
      damaged = trajectory.warnings.some(isDamage) || damaged;
      if (call.options["json"]) io.out(JSON.stringify(shown(trajectory)));
      else {
        tellWarnings(io, file, trajectory.warnings);
        io.out(page(trajectory));
      }
    }
    // Reading the lines may have brought faults to light that belong to no single trajectory.
    return damaged || opened.file.warnings().some(isDamage) ? 1 : 0;
  },
});

/** The line that the contract fixes, and nothing else. */
export function shown(trajectory: Trajectory) {
  return {
    id: trajectory.id, format: trajectory.format, title: trajectory.title, label: trajectory.label, content_sha256: contentSha256(trajectory.steps),
    steps: trajectory.steps.map((step) => ({ index: step.index, role: step.role, parts: step.parts.map(shownPart), flags: step.flags })),
    warnings: trajectory.warnings.map(({ code, message, line }) => ({ code, message, line })),
    parent_id: trajectory.parentId, reader: trajectory.reader,
  };
}

function shownPart(part: Part) {
  return { kind: part.kind, text: part.text, tool_name: part.toolName, call_id: part.callId, is_error: part.isError };
}

function list(opened: PathOpened, file: string, indexes: readonly number[], io: Io): number {
  let damaged = false;
  for (const index of indexes) {
    const trajectory = opened.file.load(index);
    const head = opened.file.opened.heads[index];
    damaged = tellWarnings(io, file, trajectory.warnings.filter(isDamage)) || damaged;
    const title = trajectory.title ?? head?.title ?? trajectory.warnings[0]?.message ?? "";
    const label = trajectory.label ? ` [${trajectory.label}]` : "";
    io.out(`${printable(trajectory.id)}  ${counted(trajectory.steps.length, "step")}${label}  ${printable(title).replace(/\s+/g, " ").slice(0, 100)}`);
  }
  damaged = tellWarnings(io, file, opened.file.warnings()) || damaged;
  io.note(`${counted(indexes.length, "trajectory", "trajectories")}, read as ${opened.file.format?.title}; --id ID shows one.`);
  return damaged ? 1 : 0;
}

function page(trajectory: Trajectory): string {
  const lines = [`${printable(trajectory.id)}  (${trajectory.format})`];
  const fact = (name: string, value: string | undefined) => {
    if (value) lines.push(`${name}: ${printable(value).replace(/\s+/g, " ").slice(0, 200)}`);
  };
  fact("title", trajectory.title);
  fact("model", trajectory.model);
  fact("label", trajectory.label && `${trajectory.label}${trajectory.labelMeaning ? ` (${trajectory.labelMeaning})` : ""}`);
  fact("outcome", outcomeLine(trajectory));
  lines.push(`steps: ${trajectory.steps.length}`, `content_sha256: ${contentSha256(trajectory.steps)}`);
  for (const step of trajectory.steps) lines.push("", ...stepLines(step));
  return lines.join("\n");
}

function outcomeLine({ outcome }: Trajectory): string | undefined {
  if (!outcome) return undefined;
  const success = outcome.success === undefined ? undefined : outcome.success ? "success" : "no success";
  return [outcome.status, success, outcome.error].filter((text) => text).join(", ") || undefined;
}

function stepLines(step: Step): string[] {
  const head = [`[${step.index}] ${step.role}`, step.name && `(${printable(step.name)})`, step.time && printable(step.time), ...(step.flags ?? []).map((flag) => `{${flag}}`)];
  const lines = [head.filter((word) => word).join(" ")];
  for (const part of step.parts) {
    if (part.kind === "text") lines.push(excerpt(part.text, "    "));
    else lines.push(`  ${partHead(part)}`, ...(part.text === "" ? [] : [excerpt(part.text, "    ")]));
  }
  if (step.reasoningHidden) lines.push("  reasoning: hidden");
  for (const extra of step.extras ?? []) lines.push(`  ${printable(extra.type)}: ${extra.raw.length} characters, not shown`);
  return lines;
}

function partHead(part: Part): string {
  const id = part.callId ? ` ${part.callId}` : "";
  if (part.kind === "reasoning") return "reasoning:";
  return printable(`${part.kind === "tool_call" ? "call" : "result"} ${part.toolName ?? ""}${id}${part.isError ? " (error)" : ""}`.replace(/\s+/g, " ").trim()) + ":";
}
