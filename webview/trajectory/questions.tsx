/** The questions of the workspace's own, in the label bar, each with its key. */
import { useRef } from "preact/hooks";
import type { FieldQuestion } from "#protocol/webview";
import { strings } from "#protocol/strings";
import { answer, choicesOf, keyOf } from "../actions/session";
import { useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { TextField } from "../ui/text-field";

/** A text is sent when typing pauses, so that it is one step of undo. */
const pauseMs = 1200;

function TextAnswer({ question, value }: { readonly question: FieldQuestion; readonly value: string }) {
  const app = useApp();
  const draft = useRef<string | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const commit = () => {
    clearTimeout(timer.current);
    if (draft.current !== undefined && draft.current !== value) answer(app, question, draft.current);
    draft.current = undefined;
  };
  const onValue = (next: string) => {
    draft.current = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(commit, pauseMs);
  };
  return <TextField className="question-text" label={question.title} value={draft.current ?? value} onValue={onValue} onLeave={commit} onEscape={() => (document.activeElement as HTMLElement | null)?.blur()} />;
}

function Question({ question, value }: { readonly question: FieldQuestion; readonly value: unknown }) {
  const app = useApp();
  return (
    <div class="question" role="group" aria-label={question.title}>
      <span class="question-title" dir="auto">{question.title}{keyOf(question) ? <> <kbd>{keyOf(question)}</kbd></> : null}</span>
      {question.kind === "text" ? <TextAnswer question={question} value={typeof value === "string" ? value : ""} /> : choicesOf(question).map((choice) => (
        <button
          key={choice.label} type="button" class={`question-choice${choice.value === value ? " is-pressed" : ""}`} aria-pressed={choice.value === value}
          onClick={() => answer(app, question, choice.value === value ? undefined : choice.value)}
        >{choice.label}</button>
      ))}
    </div>
  );
}

export function Questions({ doc }: { readonly doc: ReadyDocument }) {
  const { fields = [], index } = doc.snapshot;
  if (fields.length === 0) return null;
  return (
    <div class="questions" role="group" aria-label={strings.questions}>
      {fields.map((question) => <Question key={`${index}/${question.id}`} question={question} value={doc.label.fields?.[question.id]} />)}
    </div>
  );
}
