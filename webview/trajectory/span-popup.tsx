/** One own span: its category, a note on it, and deleting it. */
import { useEffect, useRef } from "preact/hooks";
import type { ViewSpan } from "#core/labels/state";
import type { TaxonomyEntry } from "#core/workspace/schemas";
import { strings } from "#protocol/strings";
import { applyOp, removeSpan } from "../actions/label";
import { setNow, useApp } from "../state/app";
import { rangeOf } from "../text/places";
import { IconButton } from "../ui/icon";
import { Select } from "../ui/select";
import { TextField } from "../ui/text-field";
import { useFloating, visibleRect } from "./floating";

const pauseMs = 800;

function without(span: ViewSpan, key: "category" | "note"): ViewSpan {
  const { [key]: _gone, ...rest } = span;
  return rest;
}

export function SpanPopup({ span, taxonomy }: { readonly span: ViewSpan; readonly taxonomy: readonly TaxonomyEntry[] }) {
  const app = useApp();
  const ref = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const note = useRef(span.note ?? "");
  const latest = useRef(span);
  latest.current = span;
  useFloating(ref, () => visibleRect(rangeOf(span.step, span.part, span.start, span.end)), [span]);
  const commit = () => {
    clearTimeout(timer.current);
    const now = latest.current;
    if (note.current !== (now.note ?? "")) applyOp(app, { type: "span/update", span: note.current === "" ? without(now, "note") : { ...now, note: note.current } });
  };
  const close = () => {
    commit();
    setNow(app, { spanId: undefined });
  };
  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (!ref.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", onDown);
    return () => {
      document.removeEventListener("pointerdown", onDown);
      commit();
    };
  }, [span.id]);
  const known = taxonomy.some((entry) => entry.id === span.category) || !span.category ? [] : [{ value: span.category, label: span.category }];
  return (
    <div class="popup span-popup" ref={ref} role="dialog" aria-label={strings.ownSpan} onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), close())}>
      <Select
        label={strings.category} value={span.category ?? ""} options={[{ value: "", label: strings.noCategory }, ...known, ...taxonomy.map((entry) => ({ value: entry.id, label: entry.title }))]}
        onValue={(id) => applyOp(app, { type: "span/update", span: id === "" ? without(span, "category") : { ...span, category: id } })}
      />
      <TextField
        label={strings.spanNote} placeholder={strings.spanNote} value={note.current} onEnter={close} onEscape={close} onLeave={commit}
        onValue={(value) => {
          note.current = value;
          clearTimeout(timer.current);
          timer.current = setTimeout(commit, pauseMs);
        }}
      />
      <IconButton icon="trash" label={strings.deleteSpan} onPress={() => removeSpan(app, span.id)} />
      <IconButton icon="close" label={strings.close} onPress={close} />
    </div>
  );
}
