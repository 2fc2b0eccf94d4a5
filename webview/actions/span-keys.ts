/** Spans without a mouse: pick a word, move either edge by words, open the span for its category and note. */
import type { ViewSpan } from "#core/labels/state";
import { moveEdge, wordFrom } from "#core/evidence/word-edges";
import { fill, strings } from "#protocol/strings";
import { announce, readyDocument, setNow, type App, type TextSelection } from "../state/app";
import { readSelection } from "../trajectory/selection";
import { rangeOf } from "../text/places";
import { applyOp, currentVerdict } from "./label";

type Place = Pick<TextSelection, "step" | "part" | "start" | "end">;

const textOf = (app: App, { step, part }: Place): string | undefined => app.steps?.get(step)?.parts[part]?.text;

/** Selects a place as the mouse would, in sight. */
async function select(app: App, place: Place): Promise<void> {
  if (!rangeOf(place.step, place.part, place.start, place.end)) await app.transcript?.jump(place);
  const range = rangeOf(place.step, place.part, place.start, place.end);
  const selection = document.getSelection();
  if (range && selection) {
    selection.removeAllRanges();
    selection.addRange(range);
    range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
  }
  setNow(app, { selection: { ...place, wasCut: false } });
  announce(app, (textOf(app, place) ?? "").slice(place.start, place.end));
}

/** Where picking begins: the hit that find stands on, the quote in hand, else the step's first text. */
function beginning(app: App): Place | undefined {
  const { find } = app.now.get();
  const { step, findingId, place } = app.view.get();
  const hit = find.isOpen ? find.hits[find.current] : undefined;
  if (hit) return hit;
  const doc = readyDocument(app);
  const quote = doc && currentVerdict(app, doc)?.quotes.find(({ id }) => id === findingId);
  const piece = quote?.status === "absent" ? undefined : quote?.places[place ?? quote.current]?.pieces[0];
  if (piece && piece.step === step) return piece;
  const part = app.steps?.get(step)?.parts.findIndex(({ text }) => text.trim() !== "") ?? -1;
  const text = app.steps?.get(step)?.parts[part]?.text;
  const word = text === undefined ? undefined : wordFrom(text, 0, 1);
  return word && { step, part, ...word };
}

/** Selects the quote, hit or first word to begin with; then the word behind or before what is selected, over into the next part. */
export async function pickWord(app: App, by: 1 | -1): Promise<void> {
  const selected = app.now.get().selection ?? readSelection(app);
  const { step } = app.view.get();
  await app.steps?.want(step, step + 1);
  if (!selected || selected.step !== step) {
    const first = beginning(app);
    return first ? select(app, first) : announce(app, strings.nothingSelected);
  }
  const parts = app.steps?.get(step)?.parts ?? [];
  for (let part = selected.part; part >= 0 && part < parts.length; part += by) {
    const text = parts[part]!.text;
    const from = part === selected.part ? (by > 0 ? selected.end : selected.start) : by > 0 ? 0 : text.length;
    const word = wordFrom(text, from, by);
    if (word) return select(app, { step, part, ...word });
  }
  announce(app, strings.spanNoFurther);
}

/** Moves an edge of the open span, else of what is selected, by a word. */
export async function moveSpanEdge(app: App, edge: "start" | "end", by: 1 | -1): Promise<void> {
  const open = readyDocument(app)?.label.spans.find(({ id }) => id === app.now.get().spanId);
  const place: Place | undefined = open ?? app.now.get().selection ?? readSelection(app);
  if (!place) return pickWord(app, 1);
  await app.steps?.want(place.step, place.step + 1);
  const text = textOf(app, place);
  const moved = text === undefined ? undefined : moveEdge(text, place, edge, by);
  if (!moved || text === undefined) return announce(app, strings.spanNoFurther);
  if (!open) return select(app, { step: place.step, part: place.part, start: moved.start, end: moved.end });
  const span: ViewSpan = { ...open, start: moved.start, end: moved.end, exact: text.slice(moved.start, moved.end) };
  applyOp(app, { type: "span/update", span });
  announce(app, fill(strings.spanIs, { text: span.exact.length > 200 ? `${span.exact.slice(0, 90)} … ${span.exact.slice(-90)}` : span.exact }));
}

/** Opens one's own spans one after the other, the newest first. An open one is left for its category and note with Tab. */
export async function openNextSpan(app: App): Promise<void> {
  const spans = readyDocument(app)?.label.spans ?? [];
  const at = spans.findIndex(({ id }) => id === app.now.get().spanId);
  const next = spans[(at < 0 ? spans.length : at === 0 ? spans.length : at) - 1];
  if (!next) return announce(app, strings.noSpans);
  setNow(app, { spanId: undefined });
  await app.transcript?.jump({ step: next.step, part: next.part, start: next.start, end: next.end, markRef: next.id });
  setNow(app, { spanId: next.id });
  announce(app, fill(strings.spanIs, { text: next.exact.slice(0, 200) }));
}

/** Puts the focus on the category of the open span; from there Tab leads to its note. Without an open one the newest is opened first. */
export async function editSpan(app: App): Promise<void> {
  if (app.now.get().spanId === undefined) await openNextSpan(app);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".span-popup vscode-dropdown")?.focus());
}
