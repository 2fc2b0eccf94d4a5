/** The note on a sample. Every input is remembered at once; the host hears of it after a pause or when the field is left. */
import { useEffect, useRef } from "preact/hooks";
import { strings } from "#protocol/strings";
import { commitNote } from "../actions/label";
import { useApp } from "../state/app";
import { sampleIdOf, type ReadyDocument } from "../state/document";
import { useStore } from "../state/store";
import { TextArea, TextField } from "../ui/text-field";

const pauseMs = 1200;

export function NoteField({ doc, isLong }: { readonly doc: ReadyDocument; readonly isLong: boolean }) {
  const app = useApp();
  const id = sampleIdOf(doc.snapshot);
  const draft = useStore(app.view, (view) => view.drafts[id]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    // A draft that the last page left behind, or that was being written when the sample changed.
    if (app.view.get().drafts[id] !== undefined) timer.current = setTimeout(() => commitNote(app), pauseMs);
    return () => clearTimeout(timer.current);
  }, [id]);
  const onValue = (value: string) => {
    app.view.update((view) => ({ ...view, drafts: { ...view.drafts, [id]: value } }));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commitNote(app), pauseMs);
  };
  const leave = () => {
    clearTimeout(timer.current);
    commitNote(app);
  };
  const blur = () => {
    leave();
    (document.activeElement as HTMLElement | null)?.blur();
  };
  const Field = isLong ? TextArea : TextField;
  return (
    <Field
      key={id} className={`note-field${isLong ? " is-long" : ""}`} label={strings.note} placeholder={strings.notePlaceholder} value={draft ?? doc.label.note}
      onValue={onValue} onLeave={leave} onEscape={blur} onEnter={isLong ? undefined : blur}
    />
  );
}
