/** All records of a Codex rollout: of one that is too large to be held a few numbers for each, and the record itself again from its line. */
import type { JsonObject } from "#core/json/document";
import type { LineDocuments } from "../light-text";
import type { Warning } from "../model";
import { NumberColumn } from "../number-column";
import type { SourceDocument } from "../reader";
import { codexRecords, recordOf, spokenEvent, type CodexRecord } from "./codex-records";
import { isUserMessage } from "./codex-turns";
import { TwinFinder } from "./codex-twins";
import { idOf, stringOf } from "./fields";
import { changedDocument } from "./light-records";

/** What a record is, without reading it; many share one. */
export interface RecordName { readonly kind: string; readonly type: string | undefined; readonly role: string | undefined }

/** Records `from` up to `to`, which is not one of them. */
export interface RecordRange { readonly from: number; readonly to: number }

const twin = 1;
const turn = 2;
const flagBits = 2;

export class CodexLog {
  readonly warnings: Warning[] = [];
  private readonly light: LineDocuments | undefined;
  private readonly names: RecordName[] = [];
  /** For each record its name's place in `names` and its flags. */
  private readonly facts = new NumberColumn();
  /** Of a rollout that is held its records; of another the numbers of their lines, and the calls that results name. */
  private readonly held: CodexRecord[] = [];
  private readonly lines = new NumberColumn();
  private readonly results = new NumberColumn();
  private readonly resultIds: (string | undefined)[] = [];

  constructor(document: SourceDocument) {
    this.light = document.light;
    const codes = new Map<string | undefined, Map<string | undefined, Map<string | undefined, number>>>();
    const twins = new TwinFinder((at) => this.facts.set(at, (this.facts.at(at) & ~turn) | twin));
    for (const record of codexRecords(document, this.warnings)) {
      const isTurn = spokenEvent(record)?.side === "user" || isUserMessage(record);
      this.facts.push((this.code(codes, record) << flagBits) | (isTurn ? turn : 0));
      if (this.light) this.keepLight(record);
      else this.held.push(record);
      twins.take(record);
    }
    twins.finish();
  }

  get length(): number {
    return this.facts.length;
  }

  nameOf(at: number): RecordName {
    return this.names[this.facts.at(at) >> flagBits]!;
  }

  /** True for an event that repeats an item. */
  isTwin(at: number): boolean {
    return (this.facts.at(at) & twin) !== 0;
  }

  /** True for a record in which a person speaks, as against the program in a person's place. */
  isTurn(at: number): boolean {
    return (this.facts.at(at) & turn) !== 0;
  }

  lineOf(at: number): number | undefined {
    return this.light ? this.lines.at(at) : this.held[at]?.place.line;
  }

  /** The record, whole; without texts where its line was changed (`isChanged`). */
  record(at: number): CodexRecord {
    if (!this.light) return this.held[at]!;
    const place = { line: this.lines.at(at) };
    const document = this.light.lineJson(place.line);
    return (document && recordOf(document.value, document, place)) ?? this.changed(at);
  }

  /** The first record in the ranges that `test` takes. */
  find(ranges: readonly RecordRange[], test: (at: number) => boolean): CodexRecord | undefined {
    for (const { from, to } of ranges) for (let at = from; at < to; at++) if (test(at)) return this.record(at);
    return undefined;
  }

  /** Whose place in the talk it is stays known, and of a result the call. */
  private changed(at: number): CodexRecord {
    const { kind, type, role } = this.nameOf(at);
    const payload: JsonObject = {};
    if (type !== undefined) payload["type"] = type;
    if (role !== undefined) payload["role"] = role;
    const id = this.resultIds[this.results.indexOf(at)];
    if (id !== undefined) payload["call_id"] = id;
    return { kind, type, payload, document: changedDocument, place: { line: this.lines.at(at) }, time: undefined };
  }

  private keepLight({ type, payload, place }: CodexRecord): void {
    if (type?.endsWith("_output")) {
      this.results.push(this.lines.length);
      this.resultIds.push(idOf(payload["call_id"]));
    }
    this.lines.push(place.line ?? 0);
  }

  private code(codes: Map<string | undefined, Map<string | undefined, Map<string | undefined, number>>>, { kind, type, payload }: CodexRecord): number {
    const role = stringOf(payload["role"]);
    const types = codes.get(kind) ?? new Map<string | undefined, Map<string | undefined, number>>();
    codes.set(kind, types);
    const roles = types.get(type) ?? new Map<string | undefined, number>();
    types.set(type, roles);
    const known = roles.get(role);
    if (known !== undefined) return known;
    roles.set(role, this.names.length);
    return this.names.push({ kind, type, role }) - 1;
  }
}
