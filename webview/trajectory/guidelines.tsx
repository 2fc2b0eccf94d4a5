/** The workspace's own guidelines, with the section of the category in hand in view. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { strings } from "#protocol/strings";
import { useApp } from "../state/app";
import { sampleIdOf, type ReadyDocument } from "../state/document";
import { drawBlocks } from "../text/draw-markdown";
import { drawingOf } from "../text/draw-text";
import { parseMarkdown } from "../text/markdown";

/** Draws the text and answers the element of the heading that names one of `wanted` (lower case), if any does. */
function draw(parent: HTMLElement, text: string, wanted: readonly string[]): HTMLElement | undefined {
  parent.replaceChildren();
  let found: HTMLElement | undefined;
  for (const { block, start, end } of parseMarkdown(text)) {
    const before = parent.lastElementChild;
    drawBlocks(parent, [block], drawingOf(text, [], start));
    const drawn = before ? before.nextElementSibling : parent.firstElementChild;
    const words = text.slice(start, end).toLowerCase();
    if (!found && block.kind === "heading" && drawn instanceof HTMLElement && wanted.some((word) => words.includes(word))) found = drawn;
  }
  return found;
}

export function Guidelines({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  const [text, setText] = useState<string>();
  const ref = useRef<HTMLDivElement>(null);
  const { taxonomy, session } = doc.snapshot;
  useEffect(() => {
    app.host.request("guidelines/read", {}).then(({ markdown = "" }) => setText(markdown), () => setText(""));
  }, []);
  useLayoutEffect(() => {
    if (!ref.current || text === undefined) return;
    const wanted = doc.label.categories.flatMap((id) => [id.replace(/_/g, " ").toLowerCase(), taxonomy.find((entry) => entry.id === id)?.title.toLowerCase() ?? ""]).filter((word) => word !== "");
    const heading = draw(ref.current, text, wanted);
    heading?.classList.add("is-wanted");
    heading?.scrollIntoView({ block: "start" });
  }, [text]);
  const noteSentence = () => {
    const quote = document.getSelection()?.toString().replace(/\s+/g, " ").trim();
    if (quote) app.host.post({ type: "guidelines/quote", sampleId: sampleIdOf(doc.snapshot), quote: quote.slice(0, 1000) });
  };
  return (
    <>
      {text === undefined ? <p class="dim">{strings.readingGuidelines}</p> : null}
      <div class="guidelines prose" ref={ref} tabIndex={0} role="region" aria-label={strings.guidelines} />
      <div class="sheet-foot">
        {session?.kind === "adjudication" ? <button type="button" class="text-button" onClick={noteSentence}>{strings.noteSentence}</button> : null}
        <button type="button" class="text-button" onClick={() => app.host.post({ type: "guidelines/open" })}>{strings.openGuidelines}</button>
      </div>
    </>
  );
}
