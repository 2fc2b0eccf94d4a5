// Finds or downloads the Node that a version of the registry's VS Code runs on.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { cachedFolder } from "./cache.mjs";
import { npm } from "./npm.mjs";

/** Platforms whose Node comes as a package that holds the binary and needs no install script. */
const PACKAGED = new Set(["linux-x64", "linux-arm64"]);
const PINNED = { 20: "20.20.2", 24: "24.22.3" };

/**
 * The path of a Node executable of the major version `major` (20 or 24): the running one where it
 * fits, else one out of the npm registry, kept in the cache. `say` gets progress lines.
 */
export async function ensureNode(major, say) {
    if (Number(process.versions.node.split(".")[0]) === major) return process.execPath;
    const platform = `${process.platform}-${process.arch}`;
    const version = PINNED[major];
    const folder = await cachedFolder(
        `node-${version}`,
        platform,
        async (into) => {
            say(`downloading Node ${version} for ${platform} (about 130 MB unpacked)`);
            await fs.writeFile(path.join(into, "package.json"), '{ "private": true }\n');
            // The package "node" picks a platform's binary in its install script, hence the second form.
            const args = PACKAGED.has(platform)
                ? ["install", "--ignore-scripts", `node-${platform}@${version}`]
                : ["install", "--ignore-scripts=false", `node@${major}`];
            await npm(args, { cwd: into, log: path.join(into, "install.log") });
        },
        say,
    );
    return findBinary(path.join(folder, "node_modules"), platform);
}

async function findBinary(modules, platform) {
    const name = process.platform === "win32" ? "node.exe" : "node";
    const candidates = [path.join(modules, `node-${platform}`, "bin", name), path.join(modules, "node", "bin", name)];
    for (const candidate of candidates) {
        if (await fs.access(candidate).then(() => true, () => false)) return candidate;
    }
    throw new Error(`No Node executable in ${modules} (looked for ${candidates.join(", ")}). Remedy: delete ${path.dirname(modules)} and try again.`);
}
