/**
 * A large JSON document read piece by piece from its bytes. Decoding 20 MB into one string costs more than parsing it,
 * because that string is fresh memory; pieces of some 32 KB live and die quickly, and no file is too long for a string.
 */
import { AsciiPieces } from "./ascii-piece";
import { RawNumber } from "./document";
import type { Json, JsonDocument, JsonObject } from "./document";
import { decodeUtf8 } from "./decode";
import { RawIndex } from "./raw-index";
import type { TextPiece } from "./raw-index";
import { scanBytes, usualCuts } from "./scan";
import type { BigContainer, BigPart, ByteScan, CutSizes, SkipRule } from "./scan";
import { countMembers, duplicateNotes, parseJson, rawScalar } from "./text-document";
import type { JsonResult } from "./text-document";
import { parseTolerant, setMember } from "./tolerant";
import type { Note } from "./tolerant";
import { findPointer } from "./walk";

/** `invalidAt`: byte offset (from the start of `bytes`) of the first bytes that are no UTF-8; they became U+FFFD. */
export type ByteJsonResult = JsonResult & { readonly invalidAt?: number | undefined };

/** Thrown and caught inside this file: the pieces do not fit together, the whole has to be read at once. */
class Misfit {}

/**
 * Parses UTF-8 JSON between two byte offsets (no byte order mark). Never throws, except where a damaged text is too long
 * for one string (about 512 MB). Options as for `parseJson`; `cuts` is for tests. What
 * `skip` names is null in the value of a large document: content that repeats what stands elsewhere.
 */
export function parseJsonBytes(bytes: Uint8Array, start: number, end: number, options: { recover?: boolean; cuts?: CutSizes; skip?: SkipRule } = {}): ByteJsonResult {
  const cuts = options.cuts ?? usualCuts;
  if (end - start >= cuts.split) {
    const scan = scanBytes(bytes, start, end, cuts, options.skip);
    if (scan.root) {
      try {
        return new Assembly(bytes, scan).document(scan.root, start, end);
      } catch (thrown) {
        if (!(thrown instanceof Misfit)) throw thrown;
      }
    }
  }
  const decoded = decodeUtf8(bytes.subarray(start, end));
  const invalidAt = decoded.invalidAt === undefined ? undefined : start + decoded.invalidAt;
  return { ...parseJson(decoded.text, options), invalidAt };
}

class Assembly {
  private readonly pieces: TextPiece[] = [];
  private readonly containers = new Map<object, BigContainer>();
  private readonly notes: Note[] = [];
  private invalidAt: number | undefined;
  private readonly ascii: AsciiPieces;

  constructor(private readonly bytes: Uint8Array, private readonly scan: ByteScan) {
    this.ascii = new AsciiPieces(bytes, scan.skipped);
  }

  document(root: BigContainer, start: number, end: number): ByteJsonResult {
    this.blank(start, root.start);
    this.blank(root.end, end);
    const value = this.container(root);
    const whole = () => decodeUtf8(this.bytes.subarray(start, end)).text;
    const notes = countMembers(value) === this.scan.members ? this.notes : [...this.notes, ...duplicateNotes(whole())];
    return { document: new PieceDocument(value, notes, this.pieces, this.containers, this.bytes, whole), invalidAt: this.invalidAt };
  }

  private container(container: BigContainer): Json {
    const list: Json[] = [];
    const object: JsonObject = {};
    const { isArray, parts } = container;
    parts.forEach((part, i) => {
      if (part.child) {
        const key = this.keyOf(part, part.child, isArray);
        const value = this.container(part.child);
        if (isArray) list.push(value);
        else setMember(object, key, value);
        const next = parts[i + 1];
        this.blank(part.to, next ? next.from - 1 : container.end - 1);
        return;
      }
      if (this.isBlank(part.from, part.to)) {
        if (parts.length === 1) return;
        throw new Misfit();
      }
      const held = this.parse(this.toParse(part, isArray), part);
      if (isArray !== Array.isArray(held)) throw new Misfit();
      if (Array.isArray(held)) for (const item of held) list.push(item);
      else for (const key of Object.keys(held as JsonObject)) setMember(object, key, (held as JsonObject)[key]!);
      const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
      this.pieces.push({ value: held, text: () => open + this.decode(part.from, part.to) + close });
    });
    const value = isArray ? list : object;
    this.containers.set(value, container);
    return value;
  }

  private keyOf(part: BigPart, child: BigContainer, isArray: boolean): string {
    if (isArray) {
      this.blank(part.from, child.start);
      return "";
    }
    const held = this.parse(`{${this.decode(part.from, child.start)}0}`, { from: part.from, to: child.start });
    const keys = Object.keys(held as JsonObject);
    if (keys.length !== 1) throw new Misfit();
    return keys[0]!;
  }

  private parse(text: string, part: BigPart): Json {
    if (!this.holdsOdd(part)) {
      try {
        return JSON.parse(text) as Json;
      } catch {
        throw new Misfit();
      }
    }
    const result = parseTolerant(text);
    if ("problem" in result) throw new Misfit();
    // Repeated keys are found for the whole document, with offsets that mean something there.
    if (result.notes.some((note) => note.code !== "duplicate-key")) throw new Misfit();
    return result.value;
  }

  private holdsOdd(part: BigPart): boolean {
    const { odd } = this.scan;
    let low = 0;
    let high = odd.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (odd[middle]! < part.from) low = middle + 1;
      else high = middle;
    }
    return low < odd.length && odd[low]! < part.to;
  }

  private decode(from: number, to: number): string {
    const decoded = decodeUtf8(this.bytes.subarray(from, to));
    if (decoded.invalidAt !== undefined) this.noteInvalid(from + decoded.invalidAt);
    return decoded.text;
  }

  /** The part's text between brackets of its own, to be parsed. */
  private toParse(part: BigPart, isArray: boolean): string {
    const piece = this.ascii.wrapped(part.from, part.to, isArray);
    if (!piece) throw new Misfit();
    if (piece.invalid) this.noteInvalid(part.from + (decodeUtf8(this.bytes.subarray(part.from, part.to)).invalidAt ?? 0));
    return piece.text;
  }

  private noteInvalid(at: number): void {
    this.invalidAt = Math.min(this.invalidAt ?? Infinity, at);
  }

  private isBlank(from: number, to: number): boolean {
    for (let i = from; i < to; i++) {
      const code = this.bytes[i]!;
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return false;
    }
    return true;
  }

  private blank(from: number, to: number): void {
    if (!this.isBlank(from, to)) throw new Misfit();
  }
}

class PieceDocument implements JsonDocument {
  private readonly index: RawIndex;

  constructor(
    readonly value: Json,
    readonly notes: readonly Note[],
    pieces: readonly TextPiece[],
    private readonly containers: ReadonlyMap<object, BigContainer>,
    private readonly bytes: Uint8Array,
    private readonly whole: () => string,
  ) {
    this.index = new RawIndex(pieces);
  }

  rawMembers(object: JsonObject) {
    const big = this.bigText(object);
    if (big === undefined) return this.index.members(object);
    return new RawIndex([{ text: () => big, value: object }]).members(object);
  }

  rawOf(value: Json) {
    if (typeof value !== "object" || value === null || value instanceof RawNumber) return rawScalar(value);
    return this.bigText(value) ?? this.index.raw(value);
  }

  locate(pointer: string) {
    return findPointer(this.whole(), pointer);
  }

  private bigText(value: object): string | undefined {
    const container = this.containers.get(value);
    return container && decodeUtf8(this.bytes.subarray(container.start, container.end)).text;
  }
}
