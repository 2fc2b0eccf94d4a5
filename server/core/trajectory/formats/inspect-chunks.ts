/** The chunked layout of Inspect samples: a folder of small entries, each named by the index at which its items begin. */
import { isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Warning } from "../model";
import type { EntryReader } from "./inspect-entries";
import { fromPool } from "./inspect-events";
import type { InspectSample, Piece } from "./inspect-sample";

/** The sample in `folder` (`samples/ID_epoch_N`), or undefined where its `sample.json` is missing or unreadable. */
export function chunkedSample(folder: string, entries: EntryReader, warnings: Warning[]): InspectSample | undefined {
  const entry = `${folder}/sample.json`;
  const document = entries.json(entry, warnings);
  if (!document || !isObject(document.value)) return undefined;
  const root = document.value;
  const parts = new Map<string, Piece[]>();
  const part = (name: string): Piece[] => {
    const known = parts.get(name) ?? readChunks(`${folder}/${name}`, entries, warnings);
    parts.set(name, known);
    return known;
  };
  const refs: Json | undefined = member(root, "message_refs");
  return {
    root, document, listsAgents: false,
    // The pool also holds messages of graders and sub-agents; the sample says which ones are its own.
    messages: Array.isArray(refs) ? fromPool(refs, part("messages")) : part("messages"),
    events: () => part("events"),
    pool: () => part("messages"),
    attachments: (key) => {
      const found = part("attachments")[Number(key)]?.value;
      return typeof found === "string" ? found : undefined;
    },
  };
}

/** All items below `folder`, joined by the number that each entry begins at. */
function readChunks(folder: string, entries: EntryReader, warnings: Warning[]): Piece[] {
  const pieces: Piece[] = [];
  const chunks = entries.below(`${folder}/`).flatMap((entry) => {
    const start = /^(\d+)\.json$/.exec(entry.slice(folder.length + 1))?.[1];
    return start === undefined ? [] : [{ entry, start: Number(start) }];
  });
  for (const { entry, start } of chunks.sort((a, b) => a.start - b.start)) {
    const document = entries.json(entry, warnings);
    const items = document && Array.isArray(document.value) ? document.value : [];
    if (document && start > pieces.length) {
      warnings.push({ code: "damaged-entry", message: `Items ${pieces.length} to ${start - 1} of ${folder} are missing.` });
      // Keeps the numbering that references rely on.
      while (pieces.length < start && start - pieces.length < 1e6) pieces.push({ value: null, document, place: { entry } });
    }
    if (document) items.forEach((value, index) => pieces.push({ value, document, place: { entry, pointer: `/${index}` } }));
  }
  return pieces;
}
