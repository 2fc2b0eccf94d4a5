/** Collects the steps of one trajectory in reading order together with what had to be guessed, dropped or repaired. */
import { lighten, type LineValues } from "../light-text";
import type { Part, Place, Step, StepFlag, Warning } from "../model";

export type StepDraft = Omit<Step, "index">;

/** Steps whose texts stay at hand although the file is very large: the latest ones, that a reader may still add to. */
const heavySteps = 8;

export class StepList {
  readonly steps: Step[] = [];
  readonly warnings: Warning[] = [];

  /** `light` is that of the document whose lines the steps are made of. */
  constructor(private readonly light?: LineValues | undefined) {}

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
    const old = this.light && this.steps.at(-heavySteps);
    if (old) lighten(old, this.light!);
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
 * Pairs results with calls: by id to the nearest earlier unanswered call with that id; without an id in order, the calls
 * of the latest round (those since the last result) first. Marks orphans and repetitions, and reports them and the calls
 * that nothing answers. Texts are left as they are. `endsTalk` names calls that expect no result.
 */
export function pairResults(list: StepList, endsTalk: (part: Part) => boolean = () => false): void {
  const calls = new Calls();
  for (const step of list.steps) {
    for (const part of step.parts) if (part.kind === "tool_call") calls.add({ step, part, answered: false });
    const result = step.parts.find((part) => part.kind === "tool_result");
    if (result) pairOne(list, step, result, calls);
  }
  for (const { step, part, answered } of calls.all) {
    if (answered || endsTalk(part)) continue;
    const name = `${part.toolName ?? "tool"}${part.callId ? ` (${part.callId})` : ""}`;
    list.warn("call-without-result", `Step ${step.index}: no result of ${name} is recorded.`, step.places[0]);
  }
}

/** The calls so far; finding an unanswered one does not look at all of them again. */
class Calls {
  readonly all: OpenCall[] = [];
  /** Almost every id has one call only. */
  private readonly openById = new Map<string, OpenCall | OpenCall[]>();
  private firstOpen = 0;
  private roundStart = 0;
  private isAnswering = false;

  add(call: OpenCall): void {
    if (this.isAnswering) this.roundStart = this.all.length;
    this.isAnswering = false;
    this.all.push(call);
    const id = call.part.callId;
    if (id === undefined) return;
    const same = this.openById.get(id);
    if (same === undefined) this.openById.set(id, call);
    else if (Array.isArray(same)) same.push(call);
    else this.openById.set(id, [same, call]);
  }

  knows(id: string): boolean {
    return this.openById.has(id);
  }

  /** The call that a result answers, marked as answered; undefined when none is open. */
  answer(id: string | undefined): OpenCall | undefined {
    this.isAnswering = true;
    const call = id === undefined ? this.inOrder() : this.lastOpen(id);
    if (call) call.answered = true;
    return call;
  }

  private lastOpen(id: string): OpenCall | undefined {
    const same = this.openById.get(id);
    if (!Array.isArray(same)) return same?.answered ? undefined : same;
    let last = same.pop();
    while (last?.answered) last = same.pop();
    return last;
  }

  private inOrder(): OpenCall | undefined {
    for (let i = this.roundStart; i < this.all.length; i++) if (!this.all[i]!.answered) return this.all[i];
    while (this.firstOpen < this.all.length && this.all[this.firstOpen]!.answered) this.firstOpen++;
    return this.all[this.firstOpen];
  }
}

function pairOne(list: StepList, step: Step, result: Part, calls: Calls): void {
  const id = result.callId;
  if (calls.answer(id)) return;
  if (id !== undefined && calls.knows(id)) {
    addFlag(step, "duplicate");
    list.warn("repeated-result", `Step ${step.index} is another result for the call ${id}.`, step.places[0]);
  } else {
    addFlag(step, "orphan");
    list.warn("result-without-call", `Step ${step.index} is a result${id === undefined ? "" : ` (${id})`} whose call is not recorded.`, step.places[0]);
  }
}
