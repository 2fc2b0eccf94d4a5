/** Cuts an aider transcript into chats, and a chat into what the user typed, what the program printed and what the model wrote. */

export interface Block {
  readonly kind: "user" | "output" | "text";
  /** Without the marks; line breaks as LF. */
  readonly text: string;
  /** 1-based line of its first line. */
  readonly line: number;
}

export interface Chat {
  /** As recorded behind "aider chat started at"; undefined for what stands before the first one. */
  readonly started: string | undefined;
  readonly line: number;
  readonly blocks: readonly Block[];
  /** Lines that are no part of the talk: front matter and prose of a published page, an editor's mode line. */
  readonly outside: readonly { line: number; text: string }[];
}

const header = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/;
const fenceMark = /^\s*(?:```|~~~)/;
const pageOpen = /^<div class="chat-transcript"/;
/** What aider prints behind a reply, also where its line lost the two spaces at its end. */
const knownOutput = /^> (?:Tokens: |Cost: |Commit [0-9a-f]{7} |Applied edit to |\^C)/;

/** The chats of a file, in order. Before the first header there is one only if something was said there. */
export function chatsOf(text: string): Chat[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const isPage = lines.some((line) => pageOpen.test(line));
  // aider ends each of the user's lines with two spaces; files without any were trimmed by an editor.
  const marked = lines.some((line) => line.startsWith("#### ") && line.endsWith("  "));
  const chats: Chat[] = [];
  let reader = new ChatReader(undefined, 1, isPage, marked);
  const close = () => {
    const chat = reader.finish();
    if (chat.started !== undefined || chat.blocks.length > 0) chats.push(chat);
  };
  lines.forEach((line, index) => {
    const found = isPage ? null : header.exec(line);
    if (found) {
      close();
      reader = new ChatReader(found[1], index + 1, isPage, marked);
    } else reader.take(line, index + 1);
  });
  close();
  return chats;
}

class ChatReader {
  private readonly blocks: Block[] = [];
  private readonly outside: { line: number; text: string }[] = [];
  private kind: Block["kind"] | undefined;
  private lines: string[] = [];
  private from = 0;
  private inFence = false;
  /** Inside the part of a page that holds the transcript. */
  private inTalk: boolean;
  private previous = "";

  constructor(private readonly started: string | undefined, private readonly line: number, private readonly isPage: boolean, private readonly marked: boolean) {
    this.inTalk = !isPage;
  }

  take(line: string, at: number): void {
    if (this.isPage && (pageOpen.test(line) || (this.inTalk && line.trim() === "</div>"))) {
      this.close();
      this.inTalk = pageOpen.test(line);
    } else if (!this.inTalk || (at === 1 && /^-\*- .* -\*-\s*$/.test(line))) {
      if (line.trim() !== "") this.outside.push({ line: at, text: line });
    } else this.takeTalk(line, at);
    this.previous = line;
  }

  private takeTalk(line: string, at: number): void {
    const kind = this.kindOf(line);
    if (kind === "text") {
      if (this.kind !== "text" && line.trim() === "") return this.close();
      if (this.kind !== "text") this.start("text", at);
      if (fenceMark.test(line)) this.inFence = !this.inFence;
      this.lines.push(line);
      return;
    }
    if (this.kind !== kind) this.start(kind, at);
    this.lines.push(unmarked(line, kind === "user" ? 5 : 2));
  }

  /** Marks inside a code fence are text, unless the fence was never closed: the reply was interrupted, and aider's own line ends follow. */
  private kindOf(line: string): Block["kind"] {
    const ends = line.endsWith("  ");
    if (line.startsWith("#### ")) return ends || (!this.marked && !this.inFence) ? "user" : "text";
    if (!line.startsWith("> ") && line !== ">") return "text";
    if (this.kind === "output" || !this.inFence || knownOutput.test(line)) return "output";
    return ends && this.marked && this.previous.trim() === "" ? "output" : "text";
  }

  private start(kind: Block["kind"], at: number): void {
    this.close();
    this.kind = kind;
    this.from = at;
  }

  private close(): void {
    const { kind } = this;
    if (kind === "text") while (this.lines.at(-1)?.trim() === "") this.lines.pop();
    if (kind !== undefined && this.lines.length > 0) this.blocks.push({ kind, text: this.lines.join("\n"), line: this.from });
    this.lines = [];
    this.kind = undefined;
    this.inFence = false;
  }

  finish(): Chat {
    this.close();
    return { started: this.started, line: this.line, blocks: this.blocks, outside: this.outside };
  }
}

/** Without the mark and the two spaces that end the line in Markdown. */
function unmarked(line: string, mark: number): string {
  const text = line.slice(mark);
  return text.endsWith("  ") ? text.slice(0, -2) : text;
}
