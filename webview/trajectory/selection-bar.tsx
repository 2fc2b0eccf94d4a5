/** The small bar at selected text: mark it, copy it with its reference, find it elsewhere. */
import { useRef } from "preact/hooks";
import { strings } from "#protocol/strings";
import { openFind } from "../actions/find";
import { copyReference, markSelection } from "../actions/label";
import { useApp, type TextSelection } from "../state/app";
import { rangeOf } from "../text/places";
import { Icon } from "../ui/icon";
import { useFloating, visibleRect } from "./floating";

export function SelectionBar({ selection }: { readonly selection: TextSelection }) {
  const app = useApp();
  const ref = useRef<HTMLDivElement>(null);
  useFloating(ref, () => visibleRect(rangeOf(selection.step, selection.part, selection.start, selection.end)), [selection]);
  // Pressing a button must not take the selection away before it is used.
  const keep = (event: Event) => event.preventDefault();
  const find = () => {
    const text = app.steps?.get(selection.step)?.parts[selection.part]?.text.slice(selection.start, selection.end) ?? "";
    openFind(app, { selected: text.split("\n")[0]!.slice(0, 200) });
  };
  return (
    <div class="selection-bar" ref={ref} role="toolbar" aria-label={strings.selectionBar} onMouseDown={keep}>
      <button type="button" class="text-button" onClick={() => markSelection(app)}><Icon name="tag" /> {strings.markSpan} <kbd aria-hidden="true">S</kbd></button>
      <button type="button" class="text-button" onClick={() => copyReference(app)}><Icon name="copy" /> {strings.copyReference}</button>
      <button type="button" class="text-button" onClick={find}><Icon name="search" /> {strings.findSelection}</button>
    </div>
  );
}
