/** The kit's button under our own names. */
import { h, type ComponentChildren } from "preact";

export interface ButtonProps {
  readonly onPress: () => void;
  readonly kind?: "primary" | "secondary";
  readonly disabled?: boolean | undefined;
  /** Tooltip; also says why a button is off. */
  readonly title?: string | undefined;
  /** Set for a button that is on or off. */
  readonly pressed?: boolean | undefined;
  readonly className?: string | undefined;
  readonly children: ComponentChildren;
}

export function Button({ onPress, kind = "secondary", disabled = false, title, pressed, className, children }: ButtonProps) {
  return h(
    "vscode-button",
    {
      appearance: kind, disabled, title, class: `${className ?? ""}${pressed ? " is-pressed" : ""}`,
      "aria-pressed": pressed === undefined ? undefined : String(pressed),
      onClick: () => {
        if (!disabled) onPress();
      },
    },
    children,
  );
}
