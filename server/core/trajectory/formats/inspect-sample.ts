/** A sample of an Inspect log in pieces: its own object, messages and events, each with the document and place it came from. */
import { arrayMember, isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place } from "../model";

/** One message or event. */
export interface Piece { value: Json; document: JsonDocument; place: Place }

export interface InspectSample {
  readonly root: JsonObject;
  readonly document: JsonDocument;
  readonly messages: readonly Piece[];
  /** Events in order; asked for when needed only. */
  events(): readonly Piece[];
  /** Messages that model events refer to by index. */
  pool(): readonly Piece[];
  /** Text behind an attachment's key. */
  attachments(key: string): string | undefined;
  /** True where sub-agents are trajectories of their own. */
  readonly listsAgents: boolean;
}

/** A sample that is one JSON object in `document`; `place` is the object's. */
export function wholeSample(root: JsonObject, document: JsonDocument, place: Place, listsAgents: boolean): InspectSample {
  const pieces = (value: Json | undefined, pointer: string): Piece[] =>
    (Array.isArray(value) ? value : []).map((item, index) => ({ value: item, document, place: { ...place, pointer: `${place.pointer ?? ""}${pointer}/${index}` } }));
  const transcript = member(root["transcript"], "events");
  return {
    root, document, listsAgents,
    messages: pieces(root["messages"], "/messages"),
    events: () => (Array.isArray(root["events"]) ? pieces(root["events"], "/events") : pieces(transcript, "/transcript/events")),
    pool: () => {
      const data = arrayMember(root["events_data"], "messages");
      return data ? pieces(data, "/events_data/messages") : pieces(root["message_pool"], "/message_pool");
    },
    attachments: (key) => attachmentIn(root["attachments"], key) ?? attachmentIn(member(root["transcript"], "content"), key),
  };
}

function attachmentIn(attachments: Json | undefined, key: string): string | undefined {
  const found = isObject(attachments) ? member(attachments, key) : Array.isArray(attachments) ? attachments[Number(key)] : undefined;
  return typeof found === "string" ? found : undefined;
}
