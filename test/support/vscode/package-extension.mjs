// Makes extension packages (.vsix) for the harness to install.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { npm } from "./npm.mjs";

/** The project's root: the nearest folder upwards, from the working folder, that holds our manifest. */
export async function projectRoot() {
    for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
        const manifest = await fs.readFile(path.join(folder, "package.json"), "utf8").then(JSON.parse, () => undefined);
        if (manifest?.name === "tracemark") return folder;
        if (folder === path.dirname(folder)) throw new Error("Not inside a checkout of Tracemark. Remedy: start this from the project's folder.");
    }
}

/** Builds and packages Tracemark itself with the project's own `npm run package`, into the file `out`; returns `out`. */
export async function packageTracemark(out) {
    const root = await projectRoot();
    const log = path.join(root, "out", "package.log");
    await fs.mkdir(path.dirname(log), { recursive: true });
    await npm(["run", "package", "--", "--out", out], { cwd: root, log });
    await fs.access(out).catch(() => {
        throw new Error(`npm run package did not make ${out}: see ${log}.`);
    });
    return out;
}

/** Packages the built extension in `folder` as it stands into the file `out`; returns `out`. */
export async function packageFolder(folder, out) {
    const vsce = createRequire(path.join(await projectRoot(), "package.json")).resolve("@vscode/vsce/vsce");
    const args = [vsce, "package", "--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository", "--skip-license", "--out", out];
    await new Promise((resolve, reject) => {
        execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
            if (error) reject(new Error(`${folder} could not be packaged:\n${stdout}${stderr}`));
            else resolve();
        });
    });
    return out;
}
