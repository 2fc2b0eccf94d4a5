/** Images among a step's blocks: what can be said of one without drawing it, and its data where the file itself holds it. */
import type { ExtraBlock } from "./model";

/**
 * What a block says of an image. With `bytes` the file holds it (decoded size); `address` is where it says that the image is
 * (a URL, a path, a file id), which nothing ever goes to; `problem` is why one that is embedded is not drawn.
 */
export interface ImageFacts {
  mediaType?: string | undefined;
  bytes?: number | undefined;
  address?: string | undefined;
  alt?: string | undefined;
  problem?: "type" | "size" | "missing" | undefined;
}

export interface ImageData { readonly mediaType: string; readonly base64: string }

/** Decoded bytes of the largest image that is drawn. */
export const largestImage = 20 << 20;

/** Types that hold pixels and cannot hold a script. */
const drawable = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const addressKeys = new Set(["url", "image_url", "image", "uri", "fileUri", "file_uri", "path", "file_path", "filename", "file_id", "fileId", "screenshot_path"]);
const dataKeys = new Set(["data", "base64", "b64_json", "bytes", "result", "image"]);
const altKeys = new Set(["alt", "alt_text", "caption"]);
const mostValues = 400;

interface Found extends ImageFacts { base64?: string }

/** Undefined where the block is no image. Never throws. */
export function imageFacts(extra: ExtraBlock): ImageFacts | undefined {
  const found = look(extra);
  if (!found) return undefined;
  const { base64: _, ...facts } = found;
  return facts;
}

/** The data of an image that the file holds and that may be drawn: base64 without white space. */
export function imageData(extra: ExtraBlock): ImageData | undefined {
  const found = look(extra);
  if (!found?.base64 || found.problem || found.mediaType === undefined) return undefined;
  return { mediaType: found.mediaType, base64: found.base64.replace(/\s+/g, "") };
}

function look(extra: ExtraBlock): Found | undefined {
  const saysImage = /image|screenshot/i.test(extra.type) || /^image\//.test(extra.mediaType ?? "");
  if (!saysImage && !/image|screenshot/i.test(extra.raw.slice(0, 4000)) && !extra.raw.includes("data:image/")) return undefined;
  const found: Found = {};
  walk(parsed(extra.raw), extra.mediaType, found);
  if (found.base64 !== undefined) return judged(found);
  if (!saysImage) return undefined;
  const mediaType = found.mediaType ?? (/^image\//.test(extra.mediaType ?? "") ? extra.mediaType : undefined);
  return { ...found, ...(mediaType === undefined ? {} : { mediaType }), ...(found.address === undefined ? { problem: "missing" as const } : {}) };
}

/** Where the recorded text is no JSON it is taken as it is. */
function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return raw;
  }
}

function judged(found: Found): Found {
  const mediaType = found.mediaType?.toLowerCase().replace("image/jpg", "image/jpeg");
  const base64 = found.base64!;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const bytes = Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
  const problem = !mediaType || !drawable.has(mediaType) ? ("type" as const) : bytes > largestImage ? ("size" as const) : undefined;
  const { problem: _ofAnotherValue, ...rest } = found;
  return { ...rest, mediaType, bytes, ...(problem ? { problem } : {}) };
}

interface Visit { readonly value: unknown; readonly key: string; readonly mediaType: string | undefined }

/** Looks through the values of a block; the first image data wins, else the first address. */
function walk(root: unknown, mediaType: string | undefined, found: Found): void {
  const queue: Visit[] = [{ value: root, key: "url", mediaType }];
  for (let at = 0; at < queue.length && at < mostValues && found.base64 === undefined; at++) {
    const { value, key, mediaType: type } = queue[at]!;
    if (typeof value === "string") takeText(value, key, type, found);
    else if (Array.isArray(value)) for (const item of value.slice(0, mostValues) as unknown[]) queue.push({ value: item, key, mediaType: type });
    else if (typeof value === "object" && value !== null) {
      const object = value as Record<string, unknown>;
      const own = ["media_type", "mediaType", "mimeType", "mime_type"].map((name) => object[name]).find((name) => typeof name === "string") as string | undefined;
      for (const inner of Object.keys(object).slice(0, mostValues)) queue.push({ value: object[inner], key: inner, mediaType: own ?? type });
    }
  }
}

function takeText(value: string, key: string, mediaType: string | undefined, found: Found): void {
  const uri = /^data:(image\/[\w.+-]+)((?:;[\w.=-]+)*),/i.exec(value);
  if (uri) {
    found.mediaType = uri[1];
    if (/;base64$/i.test(uri[2]!) && isBase64(value.slice(uri[0].length))) found.base64 = value.slice(uri[0].length);
    else found.problem = "type";
  } else if (altKeys.has(key)) found.alt ??= value;
  else if (dataKeys.has(key) && /^image\//i.test(mediaType ?? "") && value.length >= 40 && isBase64(value)) {
    found.mediaType = mediaType;
    found.base64 = value;
  } else if (addressKeys.has(key) && value !== "" && value.length < 4000 && !/^data:/i.test(value)) found.address ??= value;
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\s]+=*\s*$/.test(text);
}
