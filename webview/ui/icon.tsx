/** A codicon. Decoration only: the words stand beside it or in the label of what holds it. */
export type IconName =
  | "check" | "chevron-down" | "chevron-right" | "chevron-left" | "arrow-up" | "arrow-down" | "close" | "play" | "stop-circle" | "search" | "case-sensitive"
  | "list-tree" | "layout-sidebar-right" | "go-to-file" | "code" | "fold" | "unfold" | "copy" | "warning" | "error" | "info" | "note" | "trash" | "tag" | "keyboard"
  | "graph" | "refresh" | "eye" | "eye-closed" | "law" | "circle-filled" | "circle-outline" | "question" | "pass" | "loading" | "book" | "debug-restart" | "markdown" | "diff" | "comment" | "save" | "sync" | "device-camera"
  | "add" | "split-vertical" | "combine" | "fold-down" | "discard" | "redo" | "history";

export function Icon({ name, spin }: { readonly name: IconName; readonly spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? " is-spinning" : ""}`} aria-hidden="true" />;
}

export interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onPress: () => void;
  readonly pressed?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  readonly tabIndex?: number | undefined;
}

/** A small button that shows an icon only; `label` is its name and its tooltip. */
export function IconButton({ icon, label, onPress, pressed, disabled, expanded, tabIndex }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} aria-pressed={pressed} aria-expanded={expanded} disabled={disabled} tabIndex={tabIndex} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}
