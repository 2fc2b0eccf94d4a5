/** One line of text, and several: the kit's fields under our own names. Keys typed into them stay with them. */
import { h, type Ref } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { keepKeys } from "./keys";

export interface FieldElement extends HTMLElement { value: string; control?: HTMLInputElement }

/** Sets a field's text, inside too: the kit hands it on only with the next frame, and a letter typed before would take its place. */
export function setFieldText(element: FieldElement, text: string): void {
  element.value = text;
  if (element.control && element.control.value !== text) element.control.value = text;
}

/** Gives a field the focus, the caret behind its text: left to the browser all of it is selected, and the next letter takes its place. */
export function focusField(element: FieldElement): void {
  element.focus();
  element.control?.setSelectionRange(element.value.length, element.value.length);
}

export interface TextFieldProps {
  readonly value: string;
  /** Called at every input, not only when the field is left: a hidden page is destroyed without a change event. */
  readonly onValue: (value: string) => void;
  readonly label: string;
  readonly placeholder?: string | undefined;
  readonly className?: string | undefined;
  readonly onEnter?: ((event: KeyboardEvent) => void) | undefined;
  readonly onEscape?: (() => void) | undefined;
  readonly onLeave?: (() => void) | undefined;
  /** Receives a handle once drawn. */
  readonly handle?: Ref<FieldHandle> | undefined;
}

export interface FieldHandle { focus(): void; selectAll(): void }

function useField(tag: "vscode-text-field" | "vscode-text-area", props: TextFieldProps) {
  const ref = useRef<FieldElement>(null);
  // A property and not an attribute; and never while it is as it should be, which would move the caret.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element && element.value !== props.value) setFieldText(element, props.value);
  }, [props.value]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    // The kit names a field after its text or "Text field"; the name has to be set after it did so, inside too.
    element.setAttribute("aria-label", props.label);
    const handle: FieldHandle = {
      focus: () => focusField(element),
      selectAll: () => element.control?.select(),
    };
    if (typeof props.handle === "function") props.handle(handle);
    else if (props.handle) props.handle.current = handle;
  }, [props.label]);
  return h(tag, {
    ref, class: props.className, placeholder: props.placeholder,
    onInput: (event: Event) => props.onValue((event.currentTarget as FieldElement).value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.isComposing) return event.stopPropagation();
      if (event.key === "Enter" && props.onEnter) {
        event.preventDefault();
        props.onEnter(event);
      }
      if (event.key === "Escape" && props.onEscape) {
        event.stopPropagation();
        props.onEscape();
      }
      keepKeys(event);
    },
    onFocusOut: props.onLeave,
  });
}

export function TextField(props: TextFieldProps) {
  return useField("vscode-text-field", props);
}

export function TextArea(props: TextFieldProps) {
  return useField("vscode-text-area", props);
}
