/** What was typed between asking for a field and the field having the focus: it belongs into the field. */
import { takesText } from "../ui/keys";

/** Keys older than this were not meant for a field that opens now (milliseconds). */
const memory = 1500;
let recent: { readonly key: string; readonly at: number }[] = [];

/** Notes unmodified letters typed while no field has the focus. Returns the way to stop. */
export function noteTypedKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || takesText(event.composedPath()[0])) return;
    recent = [...recent.filter((entry) => event.timeStamp - entry.at < memory), { key: event.key, at: event.timeStamp }];
  };
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

/** The letters typed since `trigger` was pressed last, and forgets them. */
export function typedSince(trigger: string): string {
  const at = recent.findLastIndex((entry) => entry.key === trigger);
  const typed = at < 0 ? "" : recent.slice(at + 1).map((entry) => entry.key).join("");
  recent = [];
  return typed;
}
