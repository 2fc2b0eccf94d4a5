/** The trajectory that is edited as the page knows it: confirmed steps, and how many of its own edits are on their way. */
import { applySplice, type StepEdit } from "#core/authored/step-edit";
import type { AuthoredSnapshot, ToPairView } from "#protocol/pairs";

export interface AuthoredState {
  readonly snapshot: AuthoredSnapshot;
  /** Edits that were sent and not confirmed. */
  readonly onTheWay: number;
  /** Goes up when everything is other than it was: fields then take the new text whatever they hold. */
  readonly generation: number;
  readonly announcement: string;
  readonly error?: string | undefined;
}

/** The state after a message of the host. */
export function reduceAuthored(state: AuthoredState | undefined, message: ToPairView): AuthoredState | undefined {
  switch (message.type) {
    case "authored/snapshot":
      return { snapshot: message.snapshot, onTheWay: 0, generation: (state?.generation ?? 0) + 1, announcement: "", ...(state?.error === undefined ? {} : { error: state.error }) };
    case "authored/changed": {
      if (!state) return undefined;
      const { at, removed, inserted, revision, isDirty, announce } = message;
      const steps = applySplice(state.snapshot.steps, { at, removed: state.snapshot.steps.slice(at, at + removed), inserted });
      return { ...state, snapshot: { ...state.snapshot, steps, revision, isDirty }, onTheWay: Math.max(0, state.onTheWay - (message.own ? 1 : 0)), announcement: announce, error: undefined };
    }
    case "authored/saved":
      return state && { ...state, snapshot: { ...state.snapshot, isDirty: message.isDirty } };
    case "authored/refused":
    case "error/raised":
      return state && { ...state, error: message.message };
    default:
      return state;
  }
}

/** The message that carries an edit, and the state after it was sent. */
export function sendEdit(state: AuthoredState, edit: StepEdit): { state: AuthoredState; message: { type: "edit/apply"; revision: number; edit: StepEdit } } {
  return { state: { ...state, onTheWay: state.onTheWay + 1 }, message: { type: "edit/apply", revision: state.snapshot.revision + state.onTheWay, edit } };
}
