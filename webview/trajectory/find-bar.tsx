/** Find over the whole trajectory, as the editor's own find widget looks. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { strings, fill } from "#protocol/strings";
import { closeFind, findWords, moveHit, setQuery, toggleCase } from "../actions/find";
import { typedMeanwhile } from "../actions/typed-ahead";
import { useApp, type FindState } from "../state/app";
import { IconButton } from "../ui/icon";
import { TextField, type FieldHandle } from "../ui/text-field";

function count(find: FindState): string {
  if (find.total === 0) return findWords(find);
  if (find.current < 0) return fill(strings.results, { count: find.total });
  return fill(find.total > find.hits.length ? strings.firstResults : strings.resultOf, { n: find.current + 1, count: find.total, shown: find.hits.length });
}

export function FindBar({ find }: { readonly find: FindState }) {
  const app = useApp();
  const field = useRef<FieldHandle>(null);
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!document.activeElement?.closest(".find-bar")) before.current = document.activeElement;
    const reach = (): FindState => {
      field.current?.focus();
      const now = app.now.get().find, late = typedMeanwhile();
      // What was taken from the selection gives way to what is typed.
      if (late) setQuery(app, (now.isTyping ? now.query : "") + late);
      return app.now.get().find;
    };
    // At once, so that nothing typed goes elsewhere, and again when the field's inside is drawn: letters in between reach the page only.
    reach();
    const frame = requestAnimationFrame(() => {
      if (!reach().isTyping) field.current?.selectAll();
    });
    return () => cancelAnimationFrame(frame);
  }, [find.asked]);
  const close = () => {
    closeFind(app);
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus({ preventScroll: true });
  };
  return (
    <div class="find-bar" role="search">
      <TextField
        handle={field} className="find-field" value={find.query} label={strings.find} placeholder={strings.findPlaceholder}
        onValue={(query) => setQuery(app, query)} onEnter={(event) => moveHit(app, event.shiftKey ? -1 : 1)} onEscape={close}
      />
      <IconButton icon="case-sensitive" label={strings.matchCase} pressed={find.caseSensitive} onPress={() => toggleCase(app)} />
      <span class="find-count" aria-live="polite">{count(find)}</span>
      <IconButton icon="arrow-up" label={strings.previousMatch} disabled={find.hits.length === 0} onPress={() => moveHit(app, -1)} />
      <IconButton icon="arrow-down" label={strings.nextMatch} disabled={find.hits.length === 0} onPress={() => moveHit(app, 1)} />
      <IconButton icon="close" label={strings.close} onPress={close} />
    </div>
  );
}
