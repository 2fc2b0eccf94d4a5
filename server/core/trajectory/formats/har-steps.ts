/** Requests of a browser's network log (HAR) as steps: each a call of its method, what came back as its result. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { toolCallText, type ExtraBlock, type ToolArgument } from "../model";
import { listOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { pairResults, type StepList } from "./step-list";

/** Is it an entry of a HAR log? */
export function isHarEntry(value: Json | undefined): boolean {
  return isObject(member(value, "request")) && isObject(member(value, "response"));
}

/**
 * Appends a call and a result for each request but those that only load a page's own files: scripts, styles, fonts,
 * pictures, and whatever lies in a folder `static`. Those are counted in a warning.
 */
export function addHarEntries(list: StepList, document: JsonDocument, entries: readonly Json[], pointer: string): void {
  const folded = new Map<string, number>();
  let bodies = 0;
  entries.forEach((entry, index) => {
    const place = { pointer: `${pointer}/${index}` };
    if (!isObject(entry) || !isHarEntry(entry)) return list.warn("bad-record", `Entry ${index} of the log has no request and response and is left out.`, place);
    const kind = assetKind(entry);
    if (kind !== undefined) {
      folded.set(kind, (folded.get(kind) ?? 0) + 1);
      return;
    }
    const request = entry["request"] as JsonObject;
    const args = argumentsOf(document, request);
    const method = wordOf(request["method"]) ?? "request";
    const time = wordOf(entry["startedDateTime"]);
    list.add({ role: "assistant", parts: [{ kind: "tool_call", text: toolCallText(args), toolName: method, args }], time, places: [place] });
    const { text, failed, elsewhere, extras } = resultOf(entry["response"] as JsonObject);
    if (elsewhere) bodies++;
    list.add({ role: "tool", parts: [{ kind: "tool_result", text, toolName: method, ...(failed ? { isError: true } : {}) }], extras, places: [{ pointer: `${place.pointer}/response` }] });
  });
  pairResults(list);
  const kinds = [...folded].sort((a, b) => b[1] - a[1]).map(([kind, count]) => `${kind} × ${count}`).join(", ");
  const total = [...folded.values()].reduce((sum, count) => sum + count, 0);
  if (total > 0) list.warn("folded-requests", `${total} requests that only load files of the pages are left out: ${kinds}.`, { pointer });
  if (bodies > 0) list.warn("bodies-elsewhere", `What ${bodies} requests brought back is not in the log; their results name the file that it was saved to.`, { pointer });
}

/** What kind of page file a request loads; undefined for one that is worth a step. */
function assetKind(entry: JsonObject): string | undefined {
  const mime = (stringOf(memberAt(entry, "response", "content", "mimeType")) ?? "").split(";")[0]!.trim();
  const path = (stringOf(memberAt(entry, "request", "url")) ?? "").replace(/^[a-z]+:\/\/[^/]*/i, "").split(/[?#]/)[0]!;
  const get = (stringOf(memberAt(entry, "request", "method")) ?? "GET").toUpperCase() === "GET";
  if (!get) return undefined;
  const kind = /^(image|font|audio|video)\//.exec(mime)?.[1] ?? (/javascript|ecmascript|wasm/.test(mime) ? "script" : mime === "text/css" ? "style" : undefined);
  return kind ?? (/(^|\/)static\//.test(path) ? "static file" : undefined);
}

function argumentsOf(document: JsonDocument, request: JsonObject): ToolArgument[] {
  const args: ToolArgument[] = [{ key: "url", text: stringOf(request["url"]) ?? "" }];
  const posted = request["postData"];
  const body = stringOf(member(posted, "text")) ?? (listOf(member(posted, "params")).length > 0 ? textOf(document, member(posted, "params")) : undefined);
  if (body) args.push({ key: "body", text: body });
  return args;
}

/** Status, type, where it leads, and the body: text as recorded, encoded bytes as a block. `elsewhere`: the log names a file in place of it. */
function resultOf(response: JsonObject): { text: string; failed: boolean; elsewhere: boolean; extras: ExtraBlock[] } {
  const status = numberOf(response["status"]) ?? 0;
  const content = response["content"];
  const file = wordOf(member(content, "_file"));
  const body = stringOf(member(content, "text"));
  const encoded = wordOf(member(content, "encoding"));
  const lines = [
    `${status} ${stringOf(response["statusText"]) ?? ""}`.trim(), wordOf(member(content, "mimeType")) ?? "",
    wordOf(response["redirectURL"]) === undefined ? "" : `redirected to ${String(response["redirectURL"])}`,
    body === undefined && file !== undefined ? `body in ${file}` : "",
  ].filter((line) => line !== "");
  const mime = wordOf(member(content, "mimeType"))?.split(";")[0];
  const extras = body && encoded !== undefined ? [{ type: `body (${encoded})`, raw: JSON.stringify(body), ...(mime === undefined ? {} : { mediaType: mime }) }] : [];
  const shown = body && encoded === undefined ? `\n\n${body}` : "";
  return { text: lines.join("\n") + shown, failed: status >= 400 || status <= 0, elsewhere: body === undefined && file !== undefined, extras };
}
