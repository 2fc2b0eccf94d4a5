// How the views are bundled, the same for the product, the development page and the tests.
import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** esbuild options of a view's bundle but for where it comes from and goes to. The target is the Chromium of VS Code 1.100. */
export const viewBundle = {
  bundle: true, platform: "browser", format: "iife", target: "chrome132", jsx: "automatic", jsxImportSource: "preact", loader: { ".ttf": "file" }, assetNames: "[name]",
  // Parts of the Markdown parser that the views never use: finding bare addresses, and international domain names.
  alias: { "linkify-it": join(root, "webview/text/no-linkify.ts"), "punycode.js": join(root, "webview/text/no-punycode.ts") },
};
