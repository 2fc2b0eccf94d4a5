/** A choice of one: the kit's dropdown under our own names, with its type-ahead kept away from key combinations. */
import { h } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface DropdownElement extends HTMLElement { value: string; open: boolean; keydownHandler(event: KeyboardEvent): boolean | void }

export interface SelectProps {
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue: (value: string) => void;
  readonly label: string;
  readonly title?: string | undefined;
  readonly className?: string | undefined;
  readonly disabled?: boolean;
}

const modifiers = new Set(["Control", "Meta", "Alt", "Shift", "AltGraph"]);

/**
 * The kit's dropdown takes the letter of Ctrl+S as type-ahead and fires `change` even for Ctrl alone, which would change a
 * choice behind the reader's back. The wrapper around its handler leaves combinations to the page.
 */
function guardKeys(element: DropdownElement): void {
  const original = element.keydownHandler.bind(element);
  element.keydownHandler = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || modifiers.has(event.key)) return true;
    return original(event);
  };
}

export function Select({ value, options, onValue, label, title, className, disabled = false }: SelectProps) {
  const ref = useRef<DropdownElement>(null);
  useLayoutEffect(() => {
    if (ref.current) guardKeys(ref.current);
  }, []);
  const key = options.map((option) => `${option.value}\t${option.label}`).join("\n");
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const apply = () => {
      if (element.value !== value) element.value = value;
    };
    apply();
    // The options are slotted later than they are drawn, and a value without its option does not stick.
    const frame = requestAnimationFrame(() => requestAnimationFrame(apply));
    return () => cancelAnimationFrame(frame);
  }, [value, key]);
  return h(
    "vscode-dropdown",
    {
      ref, class: className, title, disabled, "aria-label": label,
      onChange: (event: Event) => {
        const chosen = (event.currentTarget as DropdownElement).value;
        if (chosen !== value && options.some((option) => option.value === chosen)) onValue(chosen);
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
      },
    },
    options.map((option) => h("vscode-option", { key: option.value, value: option.value }, option.label)),
  );
}
