/** *Show in file*: where a step is recorded, as lines and columns of the text editor, or as one record to be shown by itself. */
import { dirname, resolve } from "node:path";
import type { JsonDocument } from "#core/json/document";
import type { Place } from "#core/trajectory/model";
import type { SourceDocument } from "#core/trajectory/reader";
import { isInside } from "#node/file-source";
import { openPath, type PathOpened } from "#node/open";
import type { RequestResult } from "#protocol/lsp";
import { defineHandler } from "./define";

/** VS Code's text editor turns features off at 50 MB; above it the one record is shown by itself. */
const editorLimit = 50 * 1024 * 1024;

type PlaceResult = RequestResult<"tracemark/place">;

export const place = defineHandler("tracemark/place", async (state, { document, index, step }): Promise<PlaceResult> => {
  const { opened: listed } = await state.files.open(document);
  const { trajectory } = await state.files.trajectory(document, index, true);
  const recorded = trajectory.steps[step]?.places[0] ?? {};
  const { opened, elsewhere } = await fileOf(listed, index, recorded);
  const source = opened.file.document;
  const name = opened.relativePath.split("/").pop() ?? "record";
  if (source.kind === "zip") return entryPlace(source, recorded, name);
  if (source.source.size > editorLimit) return recordPlace(source, recorded, name);
  return { ...textPlace(source, recorded, opened), ...(elsewhere ? { file: opened.path } : {}) };
});

/** The file that the record stands in: the document's own, a manifest sample's, or one beside it that holds a child. */
async function fileOf(listed: PathOpened, index: number, recorded: Place): Promise<{ opened: PathOpened; elsewhere: boolean }> {
  const own = listed.file.opened.heads[index]?.sample?.["path"];
  let path = typeof own === "string" ? resolve(dirname(listed.path), own) : listed.path;
  if (recorded.entry !== undefined && !/\.eval$/.test(path) && listed.file.document.kind !== "zip") path = resolve(dirname(path), recorded.entry);
  if (path === listed.path || !isInside(listed.root, path)) return { opened: listed, elsewhere: false };
  return { opened: await openPath(path, { root: listed.root }), elsewhere: true };
}

/** A step inside a container: its entry, cut down to the step's value where the pointer finds it. */
function entryPlace(source: SourceDocument, recorded: Place, name: string): PlaceResult {
  const entry = recorded.entry ?? source.source.archive?.entries[0]?.name ?? "";
  let text: string;
  try {
    text = new TextDecoder().decode(source.source.archive?.read(entry) ?? new Uint8Array());
  } catch (error) {
    text = error instanceof Error ? error.message : String(error);
  }
  const value = recorded.pointer === undefined ? undefined : valueAt(text, recorded.pointer);
  return { virtual: { name: `${name}.${entry.split("/").pop() ?? "entry"}`, text: pretty(value ?? text), position: `${name} › ${entry}${recorded.pointer ?? ""}` } };
}

/** A step of a file that is too large for the text editor: its line, or its value. */
function recordPlace(source: SourceDocument, recorded: Place, name: string): PlaceResult {
  if (recorded.line !== undefined && source.kind === "jsonl") {
    const record = source.lines().ofLine(recorded.line);
    const text = record ? new TextDecoder().decode(source.source.bytes(record.start, record.end)) : "";
    return { virtual: { name: `${name}.${recorded.line}.json`, text: pretty(text), position: `${name}, line ${recorded.line}, bytes ${record?.start ?? 0} to ${record?.end ?? 0}` } };
  }
  const json = source.json();
  const at = json.locate(recorded.pointer ?? "");
  const text = at ? rawText(json, recorded.pointer ?? "") : "";
  return { virtual: { name: `${name}.step.json`, text: pretty(text), position: `${name}${recorded.pointer ?? ""}, characters ${at?.start ?? 0} to ${at?.end ?? 0}` } };
}

function rawText(json: JsonDocument, pointer: string): string {
  let value: unknown = json.value;
  for (const key of pointer.split("/").slice(1)) value = (value as Record<string, unknown> | undefined)?.[key.replace(/~1/g, "/").replace(/~0/g, "~")];
  return json.rawOf(value as never) ?? JSON.stringify(value);
}

/** A step of a file that the text editor can hold: zero-based lines and UTF-16 columns. */
function textPlace(source: SourceDocument, recorded: Place, opened: PathOpened): PlaceResult {
  if (source.kind === "jsonl" && recorded.line !== undefined) {
    const record = source.lines().ofLine(recorded.line);
    const at = recorded.pointer ? record?.json?.locate(recorded.pointer) : undefined;
    const length = record ? new TextDecoder().decode(opened.file.document.source.bytes(record.start, record.end)).length : 0;
    return { line: recorded.line - 1, column: at?.start ?? 0, endLine: recorded.line - 1, endColumn: at?.end ?? length };
  }
  if (source.kind !== "json") return { line: (recorded.line ?? 1) - 1, column: 0 };
  const at = source.json().locate(recorded.pointer ?? "");
  if (!at) return { line: 0, column: 0 };
  const text = source.text();
  const start = lineAndColumn(text, at.start);
  const end = lineAndColumn(text, at.end);
  return { line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

/** Zero-based line and UTF-16 column of a UTF-16 offset. */
function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 0, begin = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++;
    begin = at + 1;
  }
  return { line, column: offset - begin };
}

function valueAt(text: string, pointer: string): string | undefined {
  try {
    let value: unknown = JSON.parse(text);
    for (const key of pointer.split("/").slice(1)) value = (value as Record<string, unknown>)[key.replace(/~1/g, "/").replace(/~0/g, "~")];
    return value === undefined ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Indented for reading where it is JSON; as it stands where it is not. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
