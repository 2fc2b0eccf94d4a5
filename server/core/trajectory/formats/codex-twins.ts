/** Which events of a Codex rollout say again what an item near them says. */
import { member } from "#core/json/access";
import { itemTexts, spokenEvent, type CodexRecord, type Side } from "./codex-records";
import { listOf, stringOf } from "./fields";

interface Spoken { readonly side: Side; readonly texts: readonly string[]; used: boolean }

/** How many records an event and the item that it repeats are apart at most: counts of tokens and notices come between. */
const nearby = 12;

/**
 * The events that say again what a response item near them says: the same side, the same text, one to one. A text that
 * was really said twice has two items and two events, so it stays. Takes all records in their order and keeps the words of
 * those only that are near: the texts of a long session are most of it.
 */
export class TwinFinder {
  private readonly items = new Map<number, Spoken[]>();
  private readonly events = new Map<number, { side: Side; text: string }>();
  private count = 0;

  /** `found` is told of each twin by its number, from 0. */
  constructor(private readonly found: (at: number) => void) {}

  take(record: CodexRecord): void {
    const at = this.count++;
    const event = spokenEvent(record);
    if (event) this.events.set(at, event);
    if (isSpokenItem(record)) this.items.set(at, spokenItems(record));
    this.judge(at - nearby);
  }

  finish(): void {
    for (let at = Math.max(0, this.count - nearby); at < this.count; at++) this.judge(at);
  }

  /** Called in order, and once all items near the event are known. */
  private judge(at: number): void {
    const event = this.events.get(at);
    this.events.delete(at);
    if (event && this.isRepeated(at, event)) this.found(at);
    this.items.delete(at - nearby);
  }

  private isRepeated(at: number, event: { side: Side; text: string }): boolean {
    const wanted = event.text.trim();
    for (let distance = 1; distance <= nearby; distance++) {
      const said = [...(this.items.get(at - distance) ?? []), ...(this.items.get(at + distance) ?? [])]
        .find((item) => !item.used && item.side === event.side && item.texts.some((text) => text.trim() === wanted));
      if (!said) continue;
      said.used = true;
      return true;
    }
    return false;
  }
}

function isSpokenItem({ kind, type, payload: { role } }: CodexRecord): boolean {
  return kind === "response_item" && (type === "reasoning" || ((type === undefined || type === "message") && (role === "user" || role === "assistant")));
}

function spokenItems(record: CodexRecord): Spoken[] {
  const { type, payload } = record;
  if (type === "reasoning") {
    const texts = [...listOf(payload["summary"]), ...listOf(payload["content"])].flatMap((part) => stringOf(member(part, "text")) ?? []);
    return texts.map((text) => ({ side: "reasoning" as const, texts: [text], used: false }));
  }
  const texts = itemTexts(record);
  return [{ side: payload["role"] === "user" ? "user" : "assistant", texts: [...texts, texts.join(""), texts.join("\n")], used: false }];
}
