/** Tabs with one panel each: the kit's panels under our own names. */
import { h, type ComponentChildren } from "preact";

export interface TabsProps {
  readonly label: string;
  readonly active: string;
  readonly onActive: (id: string) => void;
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly content: ComponentChildren }[];
}

interface PanelsElement extends HTMLElement { activeid: string }

export function Tabs({ label, active, onActive, tabs }: TabsProps) {
  return h(
    "vscode-panels",
    {
      "aria-label": label, activeid: `tab-${active}`,
      onChange: (event: Event) => {
        const id = (event.currentTarget as PanelsElement).activeid?.replace(/^tab-/, "");
        // Changes of fields inside a panel bubble up to here.
        if (event.target === event.currentTarget && id && id !== active) onActive(id);
      },
    },
    ...tabs.map((tab) => h("vscode-panel-tab", { id: `tab-${tab.id}`, key: `t${tab.id}` }, tab.title)),
    ...tabs.map((tab) => h("vscode-panel-view", { id: `view-${tab.id}`, key: `v${tab.id}` }, tab.id === active ? tab.content : null)),
  );
}
