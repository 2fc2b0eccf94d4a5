/** The categories of the label: toggles with their letter tag and their key. */
import { useEffect, useRef, useState } from "preact/hooks";
import { strings } from "#protocol/strings";
import { toggleCategory } from "../actions/label";
import { useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { lookOf, type CategoryLook } from "../state/marks";
import { Checkbox } from "../ui/checkbox";
import { Icon } from "../ui/icon";

/** Taxonomy entries, and categories of the label that the taxonomy does not know. */
function entriesOf(doc: ReadyDocument): readonly { readonly id: string; readonly title: string; readonly description: string }[] {
  const { taxonomy } = doc.snapshot;
  const unknown = doc.label.categories.filter((id) => !taxonomy.some((entry) => entry.id === id));
  return [...taxonomy, ...unknown.map((id) => ({ id, title: id, description: "" }))];
}

export function CategoryList({ doc, looks }: { readonly doc: ReadyDocument; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const app = useApp();
  return (
    <ul class="category-list" aria-label={strings.categories}>
      {entriesOf(doc).map((entry, index) => {
        const look = lookOf(looks, entry.id);
        return (
          <li key={entry.id} class={look.hue >= 0 ? `hue-${look.hue}` : ""}>
            <Checkbox checked={doc.label.categories.includes(entry.id)} onChecked={() => toggleCategory(app, entry.id)} title={entry.description || entry.title}>
              <span class="tag">{look.tag}</span> {entry.title}
            </Checkbox>
            {index < 9 ? <kbd>{index + 1}</kbd> : null}
          </li>
        );
      })}
    </ul>
  );
}

/** The same behind one button, for the bar. */
export function CategoryMenu({ doc, looks }: { readonly doc: ReadyDocument; readonly looks: ReadonlyMap<string, CategoryLook> }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onDown = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", onDown);
    return () => document.removeEventListener("pointerdown", onDown);
  }, [isOpen]);
  const chosen = doc.label.categories;
  return (
    <div class="menu" ref={box} onKeyDown={(event) => event.key === "Escape" && isOpen && (event.stopPropagation(), setOpen(false))}>
      <button type="button" class="menu-button" aria-expanded={isOpen} aria-label={chosen.length === 0 ? strings.categories : `${strings.categories}: ${chosen.map((id) => `${lookOf(looks, id).tag} ${lookOf(looks, id).title}`).join(", ")}`} title={chosen.map((id) => lookOf(looks, id).title).join(", ") || strings.categories} onClick={() => setOpen(!isOpen)}>
        {chosen.length === 0 ? strings.categories : chosen.map((id) => {
          const look = lookOf(looks, id);
          return <span key={id} class={`tag${look.hue >= 0 ? ` hue-${look.hue}` : ""}`}>{look.tag}</span>;
        })}
        <Icon name="chevron-down" />
      </button>
      {isOpen ? (
        <div class="menu-panel">
          <CategoryList doc={doc} looks={looks} />
        </div>
      ) : null}
    </div>
  );
}
