/** The editor of an authored trajectory: its steps as fields, every change an edit on the editor's undo stack. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pairStrings as words } from "#protocol/strings-pairs";
import type { StepEdit } from "#core/authored/step-edit";
import type { AuthoredSnapshot } from "#protocol/pairs";
import { Icon, IconButton } from "../ui/icon";
import { reduceAuthored, sendEdit, type AuthoredState } from "./authored-state";
import { Facts } from "./facts";
import type { PairHost } from "./host";
import { StepEditor, type StepActions } from "./step-editor";
import { flushTyping } from "./text-area";

interface HeadProps { readonly snapshot: AuthoredSnapshot; readonly host: PairHost; readonly actions: StepActions }

function Head({ snapshot, host, actions }: HeadProps) {
  const save = () => {
    flushTyping();
    host.post({ type: "document/save" });
  };
  return (
    <header class="authored-head">
      <h1 title={snapshot.fileName}>{snapshot.sampleId}</h1>
      {snapshot.isWithheld ? <span class="chip" title={words.withheldTitle}><Icon name="eye-closed" /> {words.withheld}</span> : <Facts facts={{ ...snapshot, id: snapshot.sampleId }} />}
      <span class="stretch" />
      <span class="head-tools">
        <span class={snapshot.isDirty ? "save-state is-dirty" : "save-state dim"}><Icon name={snapshot.isDirty ? "circle-filled" : "check"} /> {snapshot.isDirty ? words.unsaved : words.saved}</span>
        <IconButton icon="discard" label={words.undo} onPress={() => actions.history(false)} />
        <IconButton icon="redo" label={words.redo} onPress={() => actions.history(true)} />
        <IconButton icon="save" label={words.save} onPress={save} />
      </span>
      {snapshot.pairId !== undefined ? <button type="button" class="text-button" onClick={() => { flushTyping(); host.post({ type: "pair/open" }); }}>{words.openPair}</button> : null}
      {snapshot.isWithheld ? null : <button type="button" class="text-button" title={words.labelItTitle} onClick={() => { flushTyping(); host.post({ type: "trajectory/open" }); }}>{words.labelIt}</button>}
    </header>
  );
}

/** The step whose text is written on after an edit: the one that came, or went with the caret. */
function focusAfter(edit: StepEdit): number | undefined {
  switch (edit.type) {
    case "step/insert":
    case "step/merge":
      return edit.step;
    case "step/move":
      return edit.to;
    case "step/split":
    case "step/cut":
      return edit.step + 1;
    default:
      return undefined;
  }
}

export function AuthoredView({ host }: { readonly host: PairHost }) {
  const [state, setState] = useState<AuthoredState | undefined>(undefined);
  const [loadError, setLoadError] = useState<string | undefined>(undefined);
  const latest = useRef(state);
  const set = (next: AuthoredState | undefined) => {
    latest.current = next;
    setState(next);
  };
  const wanted = useRef<number | undefined>(undefined);
  const actions = useMemo<StepActions>(() => ({
    apply(edit) {
      // A text that is being typed comes before the step that holds it goes somewhere else.
      if (edit.type !== "part/text" && edit.type !== "part/argument") flushTyping();
      if (!latest.current) return;
      const sent = sendEdit(latest.current, edit);
      latest.current = sent.state;
      wanted.current = focusAfter(edit);
      host.post(sent.message);
    },
    history(isRedo) {
      flushTyping();
      host.post({ type: isRedo ? "history/redo" : "history/undo" });
    },
    complain(message) {
      if (latest.current) set({ ...latest.current, error: message });
    },
  }), []);
  useEffect(() => {
    const stop = host.onMessage((message) => {
      if (message.type === "error/raised" && !latest.current) setLoadError(message.message);
      set(reduceAuthored(latest.current, message));
      const step = message.type === "authored/changed" && message.own ? wanted.current : undefined;
      if (step === undefined) return;
      wanted.current = undefined;
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-step="${step}"] .part-field`)?.focus());
    });
    // What is typed goes with the save that the editor makes on its own.
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") flushTyping();
    };
    const onBlur = () => flushTyping();
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("blur", onBlur);
    host.post({ type: "view/ready" });
    return () => {
      stop();
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("blur", onBlur);
    };
  }, []);
  if (!state) return <main class="authored"><p class={loadError === undefined ? "late dim" : "notice is-error"}>{loadError ?? words.loading}</p></main>;
  const { snapshot, generation } = state;
  return (
    <main class="authored">
      <Head snapshot={snapshot} host={host} actions={actions} />
      {state.error === undefined ? null : <div class="notice is-error" role="alert"><Icon name="error" /> <span>{state.error}</span></div>}
      <div class="step-list" aria-label={words.steps}>
        <div class="insert-first"><button type="button" class="text-button" onClick={() => actions.apply({ type: "step/insert", step: 0, role: "user" })}><Icon name="add" /> {words.insertFirst}</button></div>
        {snapshot.steps.map((step) => <StepEditor key={step.index} step={step} isLast={step.index === snapshot.steps.length - 1} generation={generation} actions={actions} />)}
        {snapshot.steps.length === 0 ? <p class="dim">{words.noSteps}</p> : null}
      </div>
      <div class="live" role="status" aria-live="polite">{state.announcement}</div>
    </main>
  );
}

