// Bundles the development page into out/dev and, with --serve, serves it on http://127.0.0.1:4173/.
import { build } from "esbuild";
import { viewBundle } from "../bundle.mjs";
import { cpSync, createReadStream, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Builds the page; `out` is a folder. The views' part is bundled as in the product. */
export async function buildDevPage(out = join(root, "out", "dev")) {
  mkdirSync(out, { recursive: true });
  await build({
    ...viewBundle, absWorkingDir: root, entryPoints: { dev: "webview/dev/main.tsx" }, outdir: out, minify: !process.argv.includes("--plain"), sourcemap: "linked", logLevel: "warning",
  });
  cpSync(join(root, "webview", "dev", "index.html"), join(out, "index.html"));
  return out;
}

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".ttf": "font/ttf", ".map": "application/json" };

/** Serves a folder on loopback; resolves to its address and the way to stop it. */
export function serve(folder, port = 0) {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://localhost").pathname.slice(1) || "index.html";
    const file = join(folder, name);
    if (!file.startsWith(folder) || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = await buildDevPage();
  if (process.argv.includes("--serve")) console.log((await serve(out, 4173)).url);
}
