/** Tabs that go on in a second line where the view is narrow; one stop in the tab order, moved by arrow keys. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface TabListProps {
  readonly label: string;
  readonly active: string;
  readonly onActive: (id: string) => void;
  readonly tabs: readonly { readonly id: string; readonly title: string }[];
  readonly children: ComponentChildren;
}

export function TabList({ label, active, onActive, tabs, children }: TabListProps) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = tabs.findIndex(({ id }) => id === active);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = next === undefined ? undefined : tabs[next % tabs.length];
    if (!tab) return;
    event.preventDefault();
    onActive(tab.id);
    list.current?.querySelector<HTMLElement>(`#tab-${tab.id}`)?.focus();
  };
  return (
    <>
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button key={id} type="button" role="tab" id={`tab-${id}`} class="tab" aria-selected={id === active} aria-controls={id === active ? `view-${id}` : undefined} tabIndex={id === active ? 0 : -1} onClick={() => onActive(id)}>{title}</button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`view-${active}`} aria-labelledby={`tab-${active}`}>{children}</div>
    </>
  );
}
