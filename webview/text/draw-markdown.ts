/** Draws Markdown blocks as elements from a short allow-list; every character comes from the recorded text. */
import { drawStandIn, drawText, type Drawing } from "./draw-text";
import type { Block, Inline } from "./markdown";

const element = <K extends keyof HTMLElementTagNameMap>(tag: K, parent: Node, className?: string): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  parent.appendChild(made);
  return made;
};

/** Only these are worth offering to the host; anything else stays plain text with its address in the tooltip. */
const canOpen = (href: string): boolean => /^(https?|mailto):/i.test(href);

function drawInlines(parent: Node, inlines: readonly Inline[], drawing: Drawing): void {
  for (const inline of inlines) {
    switch (inline.kind) {
      case "run":
        drawText(parent, drawing, inline.start, inline.end);
        break;
      case "stand-in":
        drawStandIn(parent, drawing, inline.start, inline.end, inline.shown);
        break;
      case "break":
        element("br", parent);
        break;
      case "link": {
        if (!canOpen(inline.href)) {
          const made = element("span", parent, "dead-link");
          made.title = inline.href;
          drawInlines(made, inline.inlines, drawing);
          break;
        }
        // No href attribute: the page never navigates. The transcript hears clicks and asks the host.
        const made = element("a", parent, "link");
        made.setAttribute("role", "link");
        made.tabIndex = 0;
        made.dataset["href"] = inline.href;
        made.title = inline.href;
        drawInlines(made, inline.inlines, drawing);
        break;
      }
      default:
        drawInlines(element(inline.kind, parent), inline.inlines, drawing);
    }
  }
}

function drawList(parent: Node, block: Extract<Block, { kind: "list" }>, drawing: Drawing): void {
  const list = element(block.ordered ? "ol" : "ul", parent);
  if (list instanceof HTMLOListElement && block.first !== 1) list.start = block.first;
  for (const item of block.items) {
    const made = element("li", list);
    const [only] = item;
    // A tight item needs no paragraph of its own.
    if (item.length === 1 && only?.kind === "paragraph") drawInlines(made, only.inlines, drawing);
    else drawBlocks(made, item, drawing);
  }
}

export function drawBlocks(parent: Node, blocks: readonly Block[], drawing: Drawing): void {
  for (const block of blocks) {
    switch (block.kind) {
      case "paragraph":
        drawInlines(withDirection(element("p", parent)), block.inlines, drawing);
        break;
      case "heading": {
        // The page has headings of its own: a level inside a message must not look like one of them to a screen reader.
        const made = withDirection(element("p", parent, `heading heading-${block.level}`));
        drawInlines(made, block.inlines, drawing);
        break;
      }
      case "list":
        drawList(parent, block, drawing);
        break;
      case "quote":
        drawBlocks(element("blockquote", parent), block.blocks, drawing);
        break;
      case "code":
        drawCode(parent, block.lines, drawing);
        break;
      case "table": {
        const table = element("table", element("div", parent, "table-box"));
        for (const cells of block.rows) {
          const row = element("tr", table);
          for (const cell of cells) drawInlines(element(cell.head ? "th" : "td", row), cell.inlines, drawing);
        }
        break;
      }
      case "rule":
        element("hr", parent);
        break;
      case "plain":
        drawText(element("pre", parent, "as-recorded"), drawing, block.start, block.end);
    }
  }
}

/** Right-to-left prose reads from its own side. */
function withDirection<T extends HTMLElement>(made: T): T {
  made.dir = "auto";
  return made;
}

/** Lines of a code block, each at its place in the recorded text. */
export function drawCode(parent: Node, lines: readonly { readonly start: number; readonly end: number }[], drawing: Drawing): void {
  const pre = element("pre", parent, "code");
  lines.forEach((line, index) => {
    if (index > 0) pre.appendChild(document.createTextNode("\n"));
    drawText(pre, drawing, line.start, line.end);
  });
}
