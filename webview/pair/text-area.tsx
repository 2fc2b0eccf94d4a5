/** A text that can be edited: what is typed is handed over when the typing pauses, so that undo goes by words and not by letters. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { keepKeys } from "../ui/keys";

export interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly isMono?: boolean;
  /** Another number: the field takes `value` whatever it holds. */
  readonly generation: number;
  readonly onText: (text: string) => void;
  readonly onHistory: (isRedo: boolean) => void;
}

/** Typing that pauses this long is an edit. */
const pauseMs = 500;

/** Fields with something typed that was not handed over yet. */
const unsent = new Map<HTMLTextAreaElement, () => void>();

/** Hands over whatever is typed: before saving, and before a step is moved or split. */
export function flushTyping(): void {
  for (const send of [...unsent.values()]) send();
}

export function TextArea({ label, value, placeholder, isMono, generation, onText, onHistory }: TextAreaProps) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(onText);
  latest.current = onText;
  const send = () => {
    const field = ref.current;
    clearTimeout(timer.current);
    if (!field || !unsent.delete(field)) return;
    latest.current(field.value);
  };
  useLayoutEffect(() => {
    const field = ref.current;
    if (!field || unsent.has(field) || field.value === value) return;
    // Setting the value throws the caret to the end; a word that undo changed leaves it where it was.
    const { selectionStart } = field;
    field.value = value;
    if (document.activeElement === field) field.setSelectionRange(Math.min(selectionStart, value.length), Math.min(selectionStart, value.length));
  }, [value, generation]);
  useLayoutEffect(() => {
    const field = ref.current;
    if (field) unsent.delete(field);
    if (field && field.value !== value) field.value = value;
  }, [generation]);
  useEffect(() => () => {
    clearTimeout(timer.current);
    if (ref.current) unsent.delete(ref.current);
  }, []);
  return (
    <textarea
      ref={ref} class={isMono ? "part-field is-mono" : "part-field"} aria-label={label} placeholder={placeholder} rows={1} spellcheck={false} dir="auto"
      onInput={() => {
        if (!ref.current) return;
        unsent.set(ref.current, send);
        clearTimeout(timer.current);
        timer.current = setTimeout(send, pauseMs);
      }}
      onBlur={send}
      onKeyDown={(event) => {
        const isHistory = (event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key);
        if (isHistory) {
          event.preventDefault();
          send();
          onHistory(event.key.toLowerCase() === "y" || event.shiftKey);
        }
        keepKeys(event);
      }}
    />
  );
}
