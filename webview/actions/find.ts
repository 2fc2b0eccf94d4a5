/** Find over all text of the trajectory, folded and not loaded text too: the host searches, the view walks the hits. */
import { strings } from "#protocol/strings";
import { readyDocument, type App, type FindState } from "../state/app";

const change = (app: App, next: Partial<FindState>) => app.now.update((now) => ({ ...now, find: { ...now.find, ...next } }));

let timer: ReturnType<typeof setTimeout> | undefined;
let ticket = 0;

async function run(app: App): Promise<void> {
  const doc = readyDocument(app);
  const { query, caseSensitive } = app.now.get().find;
  const mine = ++ticket;
  if (!doc || query === "") return change(app, { hits: [], total: 0, current: -1, isRunning: false, error: undefined });
  change(app, { isRunning: true, error: undefined });
  try {
    const { hits, total } = await app.host.request("find/run", { index: doc.snapshot.index, query, caseSensitive });
    if (mine !== ticket) return;
    change(app, { hits, total, current: -1, isRunning: false });
    if (hits.length > 0) goToHit(app, firstFromHere(app));
  } catch (error) {
    if (mine === ticket) change(app, { hits: [], total: 0, current: -1, isRunning: false, error: error instanceof Error ? error.message : String(error) });
  }
}

/** The first hit at or after the step that the reader stands on. */
function firstFromHere(app: App): number {
  const { hits } = app.now.get().find;
  const at = hits.findIndex((hit) => hit.step >= app.view.get().step);
  return at < 0 ? 0 : at;
}

/** Opens the bar, with what was typed ahead of it or what is selected in it. Typed letters go on where they end. */
export function openFind(app: App, { selected, typed }: { readonly selected?: string | undefined; readonly typed?: string | undefined } = {}): void {
  const query = typed || selected;
  change(app, { isOpen: true, isTyping: Boolean(typed), asked: (app.now.get().find.asked ?? 0) + 1, ...(query ? { query } : {}) });
  if (query) void run(app);
}

export function closeFind(app: App): void {
  clearTimeout(timer);
  ticket++;
  change(app, { isOpen: false, isRunning: false });
}

/** Searches again a moment after the last key. */
export function setQuery(app: App, query: string): void {
  change(app, { query, isTyping: true });
  clearTimeout(timer);
  timer = setTimeout(() => void run(app), 180);
}

export function toggleCase(app: App): void {
  change(app, { caseSensitive: !app.now.get().find.caseSensitive });
  void run(app);
}

export function goToHit(app: App, index: number): void {
  const { hits } = app.now.get().find;
  const hit = hits[index];
  if (!hit) return;
  change(app, { current: index });
  void app.transcript?.jump({ ...hit });
}

export function moveHit(app: App, by: number): void {
  const { hits, current } = app.now.get().find;
  if (hits.length === 0) return;
  goToHit(app, current < 0 ? (by > 0 ? 0 : hits.length - 1) : (current + by + hits.length) % hits.length);
}

export function findWords(find: FindState): string {
  if (find.error) return find.error;
  if (find.isRunning && find.hits.length === 0) return strings.searching;
  return find.query === "" ? "" : find.total === 0 ? strings.noResults : "";
}
