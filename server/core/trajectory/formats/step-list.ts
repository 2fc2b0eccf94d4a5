/** Collects the steps of one trajectory in reading order together with what had to be guessed, dropped or repaired. */
import type { Part, Place, Step, StepFlag, Warning } from "../model";

export type StepDraft = Omit<Step, "index">;

export class StepList {
  readonly steps: Step[] = [];
  readonly warnings: Warning[] = [];

  /** Appends a step with the next index; members that are undefined, and empty lists of flags and extras, are left out. */
  add(draft: StepDraft): Step {
    const step: Step = { index: this.steps.length, role: draft.role, parts: draft.parts, places: draft.places };
    if (draft.name !== undefined) step.name = draft.name;
    if (draft.time !== undefined) step.time = draft.time;
    if (draft.tokens !== undefined) step.tokens = draft.tokens;
    if (draft.costUsd !== undefined) step.costUsd = draft.costUsd;
    if (draft.model !== undefined) step.model = draft.model;
    if (draft.reasoningHidden) step.reasoningHidden = true;
    if (draft.flags && draft.flags.length > 0) step.flags = [...draft.flags];
    if (draft.extras && draft.extras.length > 0) step.extras = [...draft.extras];
    this.steps.push(step);
    return step;
  }

  warn(code: string, message: string, place?: Place): void {
    const warning: Warning = { code, message };
    if (place?.line !== undefined) warning.line = place.line;
    if (place?.pointer) warning.pointer = place.pointer;
    this.warnings.push(warning);
  }
}

export function addFlag(step: Step, flag: StepFlag): void {
  if (!step.flags?.includes(flag)) step.flags = [...(step.flags ?? []), flag];
}

interface OpenCall { step: Step; part: Part; answered: boolean }

/**
 * Pairs results with calls: by id to the nearest earlier unanswered call with that id, without an id in order.
 * Marks orphans and repetitions, and reports them and the calls that nothing answers. Texts are left as they are.
 * `endsTalk` names calls that expect no result.
 */
export function pairResults(list: StepList, endsTalk: (part: Part) => boolean = () => false): void {
  const calls: OpenCall[] = [];
  const callsById = new Map<string, OpenCall[]>();
  for (const step of list.steps) {
    for (const part of step.parts) {
      if (part.kind !== "tool_call") continue;
      const call = { step, part, answered: false };
      calls.push(call);
      if (part.callId === undefined) continue;
      const same = callsById.get(part.callId);
      if (same) same.push(call);
      else callsById.set(part.callId, [call]);
    }
    const result = step.parts.find((part) => part.kind === "tool_result");
    if (result) pairOne(list, step, result, calls, callsById);
  }
  for (const { step, part, answered } of calls) {
    if (answered || endsTalk(part)) continue;
    const name = `${part.toolName ?? "tool"}${part.callId ? ` (${part.callId})` : ""}`;
    list.warn("call-without-result", `Step ${step.index}: no result of ${name} is recorded.`, step.places[0]);
  }
}

function pairOne(list: StepList, step: Step, result: Part, calls: readonly OpenCall[], callsById: ReadonlyMap<string, OpenCall[]>): void {
  const id = result.callId;
  const same = id === undefined ? calls : (callsById.get(id) ?? []);
  const open = id === undefined ? same.find((call) => !call.answered) : same[same.map((call) => call.answered).lastIndexOf(false)];
  if (open) open.answered = true;
  else if (id !== undefined && same.length > 0) {
    addFlag(step, "duplicate");
    list.warn("repeated-result", `Step ${step.index} is another result for the call ${id}.`, step.places[0]);
  } else {
    addFlag(step, "orphan");
    list.warn("result-without-call", `Step ${step.index} is a result${id === undefined ? "" : ` (${id})`} whose call is not recorded.`, step.places[0]);
  }
}
