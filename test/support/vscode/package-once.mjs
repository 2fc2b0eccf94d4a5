// Packages what is built in dist/ once for all test files of a run.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { packageFolder } from "./package-extension.mjs";

/** The path of a package made from dist/ and the manifest as they stand; made again when one of them is newer. */
export async function packageOnce() {
    const out = resolve("out", "test-package", "tracemark.vsix");
    mkdirSync(resolve("out", "test-package"), { recursive: true });
    const parts = ["package.json", "package.nls.json", ...["extension.cjs", "server.cjs", "webview.js", "score.js", "pair.js"].map((name) => `dist/${name}`)];
    const built = Math.max(...parts.map((name) => statSync(resolve(name)).mtimeMs));
    if (!existsSync(out) || statSync(out).mtimeMs < built) await packageFolder(resolve("."), out);
    return out;
}
