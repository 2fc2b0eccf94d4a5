// Packages what is built in dist/ once for all test files of a run.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { packageFolder } from "./package-extension.mjs";

/** The path of a package made from dist/ as it stands; made again when dist/ is newer. */
export async function packageOnce() {
    const out = resolve("out", "test-package", "tracemark.vsix");
    mkdirSync(resolve("out", "test-package"), { recursive: true });
    const built = Math.max(...["extension.cjs", "server.cjs", "webview.js", "score.js", "pair.js"].map((name) => statSync(resolve("dist", name)).mtimeMs));
    if (!existsSync(out) || statSync(out).mtimeMs < built) await packageFolder(resolve("."), out);
    return out;
}
