/** Markdown as blocks and runs that know their places in the recorded text, so that highlights land on rendered prose. */
import MarkdownIt from "markdown-it";
import { lineStartsOf, SourceLines } from "./source-lines";
import { walkInline, type Inline } from "./walk-inline";

export type { Inline } from "./walk-inline";

/** Offsets are UTF-16 units of the part's text. `plain` is drawn as recorded: what we could not place exactly, or was too big. */
export type Block =
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly first: number; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "code"; readonly language: string; readonly lines: readonly { readonly start: number; readonly end: number }[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly { readonly head: boolean; readonly inlines: readonly Inline[] }[])[] }
  | { readonly kind: "rule" }
  | { readonly kind: "plain"; readonly start: number; readonly end: number };

/** A block of the top level with the range and the number of source lines it covers. */
export interface TopBlock { readonly block: Block; readonly start: number; readonly end: number; readonly lines: number }

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

// HTML stays text and images stay text; links are found only where they are written as such. Joining text tokens would
// lose the place of an escaped character.
const parser = new MarkdownIt("commonmark", { html: false }).enable(["table", "strikethrough"]).disable(["image", "text_join", "reference"]);

interface Cursor { readonly tokens: readonly Token[]; at: number }

function parseBlocks(cursor: Cursor, source: SourceLines, until?: string): Block[] {
  const blocks: Block[] = [];
  while (cursor.at < cursor.tokens.length) {
    const token = cursor.tokens[cursor.at]!;
    if (token.type === until) return blocks;
    const block = parseBlock(cursor, source);
    if (block) blocks.push(block);
  }
  return blocks;
}

/** The block at the cursor, which moves behind it. */
function parseBlock(cursor: Cursor, source: SourceLines): Block | undefined {
  const token = cursor.tokens[cursor.at++]!;
  const take = (close: string): Block[] => {
    const blocks = parseBlocks(cursor, source, close);
    cursor.at++;
    return blocks;
  };
  switch (token.type) {
    case "paragraph_open":
    case "heading_open": {
      const inlines = parseInline(cursor.tokens[cursor.at]!, source);
      cursor.at += 2;
      if (!inlines) return source.plain(token.map);
      return token.type === "paragraph_open" ? { kind: "paragraph", inlines } : { kind: "heading", level: Number(token.tag[1]), inlines };
    }
    case "bullet_list_open":
    case "ordered_list_open": {
      const items: Block[][] = [];
      const close = token.type.replace("open", "close");
      while (cursor.tokens[cursor.at]!.type !== close) {
        cursor.at++;
        items.push(take("list_item_close"));
      }
      cursor.at++;
      return { kind: "list", ordered: token.type[0] === "o", first: Number(token.attrGet("start") ?? 1), items };
    }
    case "blockquote_open":
      return { kind: "quote", blocks: take("blockquote_close") };
    case "fence":
    case "code_block": {
      const lines = source.codeLines(token.map, token.content, token.type === "fence");
      return lines ? { kind: "code", language: token.info.trim().split(/\s/)[0] ?? "", lines } : source.plain(token.map);
    }
    case "table_open":
      return parseTable(cursor, source, token);
    case "hr":
      return { kind: "rule" };
    default:
      return source.plain(token.map);
  }
}

function parseTable(cursor: Cursor, source: SourceLines, open: Token): Block | undefined {
  const rows: { head: boolean; inlines: readonly Inline[] }[][] = [];
  let exact = true;
  let after = 0;
  // Only rows say on which line they stand, not their cells.
  let map = open.map;
  for (; cursor.tokens[cursor.at]!.type !== "table_close"; cursor.at++) {
    const token = cursor.tokens[cursor.at]!;
    if (token.type === "tr_open") {
      rows.push([]);
      after = 0;
      map = token.map;
    }
    if (token.type !== "inline") continue;
    const start = source.findInLine(map, token.content, after);
    const inlines = start === undefined ? undefined : walkInline(token.children ?? [], token.content, (at) => source.toText(start + at));
    if (start !== undefined) after = start + token.content.length;
    exact &&= inlines !== undefined;
    rows.at(-1)?.push({ head: cursor.tokens[cursor.at - 1]!.type === "th_open", inlines: inlines ?? [] });
  }
  cursor.at++;
  return exact ? { kind: "table", rows } : source.plain(open.map);
}

function parseInline(token: Token, source: SourceLines): Inline[] | undefined {
  const place = source.contentPlaces(token.map, token.content);
  return place && walkInline(token.children ?? [], token.content, place);
}

/** The top-level blocks of a text. Never throws: what the parser cannot do is one plain block. */
export function parseMarkdown(text: string): TopBlock[] {
  const source = new SourceLines(text, lineStartsOf(text));
  const cursor: Cursor = { tokens: parser.parse(source.normalised, {}), at: 0 };
  const blocks: TopBlock[] = [];
  while (cursor.at < cursor.tokens.length) {
    const map = cursor.tokens[cursor.at]!.map;
    const block = parseBlock(cursor, source);
    if (!block || !map) continue;
    const range = source.rangeOf(map);
    blocks.push({ block, ...range, lines: map[1] - map[0] });
  }
  return blocks;
}
