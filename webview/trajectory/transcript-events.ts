/** Clicks and keys inside the transcript, heard in one place for all drawn rows. */
import { useEffect } from "preact/hooks";
import { useApp, setNow, type App } from "../state/app";
import { placeOf } from "../text/places";
import { scan } from "../text/scan";

/** Opens what is marked at an element: the innermost evidence becomes the current finding, an own span its popup. */
function openMarks(app: App, from: HTMLElement): void {
  let evidence: HTMLElement | undefined;
  let own: HTMLElement | undefined;
  for (let element: HTMLElement | null = from; element; element = element.parentElement?.closest<HTMLElement>("mark[data-ref]") ?? null) {
    if (element.dataset["mark"]?.startsWith("e:")) evidence ??= element;
    if (element.dataset["mark"]?.startsWith("o:")) own ??= element;
  }
  if (evidence) {
    const { ref, mark } = evidence.dataset;
    app.view.update((view) => ({ ...view, findingId: ref, place: Number(mark!.split(":").at(-2)) }));
  }
  if (own) setNow(app, { spanId: own.dataset["ref"] });
}

/** Whether rows of a part are missing in the middle of what is drawn of it. */
function hasGap(step: number, part: number): boolean {
  const rows = [...document.querySelectorAll(`[data-part="${part}"][data-step="${step}"]`)].map((element) => Number(element.closest<HTMLElement>("[data-index]")?.dataset["index"]));
  return Math.max(...rows) - Math.min(...rows) + 1 > new Set(rows).size;
}

/** Copies tool text as it was recorded, and any text whose middle is not drawn. Colour codes are left out. */
function copyWhole(app: App, event: ClipboardEvent): void {
  const selection = app.now.get().selection;
  if (!selection || selection.wasCut || !event.clipboardData) return;
  const dom = document.getSelection();
  const range = dom?.rangeCount ? dom.getRangeAt(0) : undefined;
  const start = range && placeOf(range.startContainer, range.startOffset, "start");
  const part = app.steps?.get(selection.step)?.parts[selection.part];
  if (!start || !part || start.step !== selection.step) return;
  const isProse = part.kind === "text" || part.kind === "reasoning";
  if (isProse && !hasGap(selection.step, selection.part)) return;
  const { text } = part;
  const { pieces } = scan(text, selection.start, selection.end);
  event.clipboardData.setData("text/plain", pieces.map((piece) => text.slice(piece.start, piece.end)).join(""));
  event.preventDefault();
}

export function useTranscriptEvents(scroller: { readonly current: HTMLElement | null }): void {
  const app = useApp();
  useEffect(() => {
    const element = scroller.current!;
    const find = (event: Event, selector: string) => (event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null);
    const onClick = (event: MouseEvent) => {
      // A click that ends a selection is not one on the mark under it.
      if (document.getSelection()?.isCollapsed === false) return;
      const link = find(event, "[data-href]");
      if (link) return app.host.post({ type: "link/open", href: link.dataset["href"] ?? "" });
      const mark = find(event, "mark[data-ref]");
      if (mark) openMarks(app, mark);
      const article = find(event, "[data-step-index]");
      const step = Number(article?.dataset["stepIndex"] ?? -1);
      if (step >= 0 && app.view.get().step !== step) app.view.update((view) => ({ ...view, step }));
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (target.dataset["href"]) app.host.post({ type: "link/open", href: target.dataset["href"] });
      else if (target.matches("mark[data-ref]")) openMarks(app, target);
    };
    const onCopy = (event: ClipboardEvent) => copyWhole(app, event);
    element.addEventListener("click", onClick);
    element.addEventListener("keydown", onKey);
    element.addEventListener("copy", onCopy);
    return () => {
      element.removeEventListener("click", onClick);
      element.removeEventListener("keydown", onKey);
      element.removeEventListener("copy", onCopy);
    };
  }, []);
}
