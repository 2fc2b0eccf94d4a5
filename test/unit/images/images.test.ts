/** What is said of images in the shapes that formats record them in, and which of them have data that may be drawn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { imageData, imageFacts, largestImage } from "#core/trajectory/image";
import { openFile } from "#core/trajectory/open";
import { MemorySource } from "#node/file-source";

// One pixel: 68 bytes in 92 characters.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const block = (type: string, value: unknown, mediaType?: string) => ({ type, raw: JSON.stringify(value), ...(mediaType ? { mediaType } : {}) });

test("embedded images of every shape give their type, size and data", () => {
  const bytes = Buffer.from(png, "base64").length;
  for (const [name, extra] of Object.entries({
    "chat, object": block("image_url", { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "low" } }),
    "chat, text": block("image_url", { type: "image_url", image_url: `data:image/png;base64,${png}` }),
    responses: block("input_image", { type: "input_image", image_url: `data:image/png;base64,${png}`, file_id: null }),
    anthropic: block("image", { type: "image", source: { type: "base64", media_type: "image/png", data: png } }, "image/png"),
    gemini: block("inlineData", { inlineData: { mimeType: "image/png", data: png } }, "image/png"),
    inspect: block("image", { type: "image", image: `data:image/png;base64,${png}`, detail: "auto" }),
    "image generation": block("image", { type: "image_generation_call", status: "completed", result: png }, "image/png"),
    "bare address": block("image", `data:image/png;base64,${png}`),
  })) {
    assert.deepEqual({ ...imageFacts(extra) }, { mediaType: "image/png", bytes }, name);
    assert.deepEqual(imageData(extra), { mediaType: "image/png", base64: png }, name);
  }
});

test("images that are elsewhere, of other types, too large or left out say so and have no data", () => {
  const svg = `data:image/svg+xml;base64,${Buffer.from("<svg onload=alert(1) xmlns='http://www.w3.org/2000/svg'/>").toString("base64")}`;
  const large = "A".repeat(Math.ceil((largestImage + 3) / 3) * 4);
  for (const [name, extra, facts] of [
    ["a URL", block("image_url", { image_url: { url: "https://example.org/a.png" } }), { address: "https://example.org/a.png" }],
    ["a source by URL with words", block("image", { type: "image", source: { type: "url", url: "http://example.org/b" }, alt: "a cat" }), { address: "http://example.org/b", alt: "a cat" }],
    ["a path", block("screenshot", "screens/1.png"), { address: "screens/1.png" }],
    ["an SVG", block("image", { url: svg }), { mediaType: "image/svg+xml", bytes: 57, problem: "type" }],
    ["too large", block("image", { source: { media_type: "image/png", data: large } }), { mediaType: "image/png", bytes: largestImage + 3 - ((largestImage + 3) % 3 === 0 ? 0 : (largestImage + 3) % 3) + ((largestImage + 3) % 3 === 0 ? 0 : 3), problem: "size" }],
    ["left out", block("image", { type: "image", source: { type: "base64", media_type: "image/png", data: "[omitted]" } }, "image/png"), { mediaType: "image/png", problem: "missing" }],
    ["no image at all", block("changes", { "a.py": { type: "update" } }), undefined],
    ["no JSON", { type: "note", raw: "{broken" }, undefined],
  ] as const) {
    const found = imageFacts(extra);
    assert.deepEqual(found && { ...found }, facts, name);
    assert.equal(imageData(extra), undefined, name);
  }
});

test("an image in a chat file is found again by its step and its place among the blocks", () => {
  const messages = [{ role: "user", content: [{ type: "text", text: "What is this?" }, { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }] }, { role: "assistant", content: "A pixel." }];
  const { steps } = openFile(new MemorySource("a.json", new TextEncoder().encode(JSON.stringify({ messages })))).load(0);
  assert.equal(imageData(steps[0]!.extras![0]!)?.base64, png);
});
