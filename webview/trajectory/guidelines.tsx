/** The workspace's own guidelines, with the section of the category in hand in view. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { strings } from "#protocol/strings";
import { announce, setNow, useApp } from "../state/app";
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

/** The sentences of the drawn text, block by block, as ranges of the page. */
function sentencesOf(root: HTMLElement): Range[] {
  const ranges: Range[] = [];
  const blocks = [...root.querySelectorAll<HTMLElement>("p, li, h1, h2, h3, h4, h5, h6, td")].filter((block) => !block.querySelector("p, li"));
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  for (const block of blocks) {
    const nodes: { readonly node: Text; readonly from: number }[] = [];
    let text = "";
    const walk = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode() as Text | null; node; node = walk.nextNode() as Text | null) {
      nodes.push({ node, from: text.length });
      text += node.data;
    }
    const at = (offset: number) => nodes.findLast(({ from }) => from <= offset)!;
    for (const { segment, index } of segmenter.segment(text)) {
      const words = segment.trim();
      if (words === "") continue;
      const from = index + segment.indexOf(words);
      const [first, last] = [at(from), at(from + words.length - 1)];
      const range = document.createRange();
      range.setStart(first.node, from - first.from);
      range.setEnd(last.node, from + words.length - last.from);
      ranges.push(range);
    }
  }
  return ranges;
}

function aroundOf(node: Node): Range {
  const range = document.createRange();
  range.selectNode(node);
  return range;
}

/** What is selected within the guidelines; a selection in the transcript is none of theirs. */
function selectedIn(root: HTMLElement): Selection | undefined {
  const selection = document.getSelection();
  return selection?.rangeCount && !selection.isCollapsed && root.contains(selection.anchorNode) && root.contains(selection.focusNode) ? selection : undefined;
}

/** Selects the sentence after (1) or before (-1) the one that is selected, and brings it into view. */
function moveSentence(root: HTMLElement, by: 1 | -1): void {
  const selection = document.getSelection();
  const sentences = sentencesOf(root);
  const now = selectedIn(root)?.getRangeAt(0);
  const wanted = root.querySelector(".is-wanted");
  // The first press goes to the section in hand.
  const start = now ?? (wanted ? aroundOf(wanted) : undefined);
  const isAfter = (range: Range) => !start || range.compareBoundaryPoints(Range.START_TO_START, start) > 0;
  const next = by === 1 ? sentences.find(isAfter) : sentences.findLast((range) => !!start && range.compareBoundaryPoints(Range.START_TO_START, start) < 0);
  if (!next || !selection) return;
  selection.removeAllRanges();
  selection.addRange(next);
  next.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
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
    if (session?.kind === "adjudication") ref.current.focus({ preventScroll: true });
  }, [text]);
  const noteSentence = () => {
    const quote = ref.current && selectedIn(ref.current)?.toString().replace(/\s+/g, " ").trim();
    if (!quote) return;
    app.host.post({ type: "guidelines/quote", sampleId: sampleIdOf(doc.snapshot), quote: quote.slice(0, 1000) });
    setNow(app, { sheet: undefined });
    announce(app, strings.sentenceIsNoted);
  };
  const isDeciding = session?.kind === "adjudication";
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isDeciding || !ref.current || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") moveSentence(ref.current, event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter") noteSentence();
    else return;
    event.preventDefault();
  };
  return (
    <>
      {text === undefined ? <p class="dim">{strings.readingGuidelines}</p> : null}
      <div class="guidelines prose" ref={ref} tabIndex={0} role="region" aria-label={strings.guidelines} onKeyDown={onKeyDown} />
      <div class="sheet-foot">
        {isDeciding ? <span class="dim stretch-words">{strings.noteSentenceHint}</span> : null}
        {isDeciding ? <button type="button" class="text-button" onClick={noteSentence}>{strings.noteSentence}</button> : null}
        <button type="button" class="text-button" onClick={() => app.host.post({ type: "guidelines/open" })}>{strings.openGuidelines}</button>
      </div>
    </>
  );
}
