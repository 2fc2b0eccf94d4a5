/** Yes or no: the kit's checkbox under our own names. */
import { h, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface CheckboxProps { readonly checked: boolean; readonly onChecked: (checked: boolean) => void; readonly children: ComponentChildren; readonly title?: string | undefined; readonly className?: string | undefined }

interface CheckboxElement extends HTMLElement { checked: boolean }

export function Checkbox({ checked, onChecked, children, title, className }: CheckboxProps) {
  const ref = useRef<CheckboxElement>(null);
  useLayoutEffect(() => {
    if (ref.current && ref.current.checked !== checked) ref.current.checked = checked;
  });
  return h(
    "vscode-checkbox",
    {
      ref, title, class: className,
      onChange: (event: Event) => {
        const now = (event.currentTarget as CheckboxElement).checked;
        // The element also says "change" when it is set from outside.
        if (now !== checked) onChecked(now);
      },
    },
    children,
  );
}
