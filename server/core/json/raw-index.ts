/** Finds the recorded text of parsed objects, by one walk over text and value side by side, made when first asked. */
import type { Json, JsonObject } from "./document";
import { listMembers, pairObjects, skipValue } from "./walk";

/** A stretch of JSON text and the container that was parsed from it. */
export interface TextPiece {
  /** The JSON text of the piece; may decode it anew at each call. */
  text(): string;
  readonly value: Json;
}

/** Keys under which tool arguments stand; their objects are remembered first, since mostly nothing else is asked for. */
const argumentKeys = new Set(["arguments", "args", "input", "kwargs", "parameters", "params", "tool_input", "action"]);

interface Spot {
  readonly piece: number;
  readonly start: number;
}

/** Identity of parsed objects and arrays to their text. Holds nothing until the first question. */
export class RawIndex {
  private named: Map<object, Spot> | undefined;
  private all: Map<object, Spot> | undefined;
  private held: { piece: number; text: string } | undefined;

  constructor(private readonly pieces: readonly TextPiece[]) {}

  /** The text that holds `value` and the offset at which it begins, or undefined for a stranger. */
  find(value: object): { text: string; start: number } | undefined {
    const root = this.pieces.length === 1 && this.pieces[0]!.value === value;
    const spot = root ? { piece: 0, start: 0 } : this.spotOf(value);
    if (!spot) return undefined;
    const text = this.textOf(spot.piece);
    return { text, start: root ? firstBracket(text) : spot.start };
  }

  members(object: JsonObject): { key: string; raw: string }[] | undefined {
    const found = this.find(object);
    return found && membersAt(found.text, found.start);
  }

  raw(value: object): string | undefined {
    const found = this.find(value);
    return found && found.text.slice(found.start, skipValue(found.text, found.start));
  }

  private spotOf(value: object): Spot | undefined {
    this.named ??= this.build((key) => argumentKeys.has(key));
    const quick = this.named.get(value);
    if (quick) return quick;
    this.all ??= this.build(() => true);
    return this.all.get(value);
  }

  private build(wanted: (key: string) => boolean): Map<object, Spot> {
    const found = new Map<object, Spot>();
    for (let piece = 0; piece < this.pieces.length; piece++) {
      pairObjects(this.textOf(piece), 0, this.pieces[piece]!.value, (object, start, key) => {
        if (wanted(key)) found.set(object as object, { piece, start });
      });
    }
    return found;
  }

  private textOf(piece: number): string {
    if (this.held?.piece !== piece) this.held = { piece, text: this.pieces[piece]!.text() };
    return this.held.text;
  }
}

function firstBracket(text: string): number {
  const at = text.search(/[[{]/);
  return at < 0 ? 0 : at;
}

/** Members of the object at `start`: a repeated key stays where it stood first and has its last value, as in JSON.parse. */
function membersAt(text: string, start: number): { key: string; raw: string }[] {
  const members = new Map<string, string>();
  for (const member of listMembers(text, start)) members.set(member.key, text.slice(member.start, member.end));
  return Array.from(members, ([key, raw]) => ({ key, raw }));
}
