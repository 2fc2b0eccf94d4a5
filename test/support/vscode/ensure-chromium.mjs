// Finds a Chromium for the tests, or installs Debian's where that is allowed.
import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const MAC_APPLICATIONS = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];
/** Without recommended packages there are no fonts, and pages show boxes. */
const DEBIAN_PACKAGES = ["chromium", "fonts-dejavu-core", "fonts-liberation"];

/**
 * The path of a Chromium executable: the one named by the environment variable TRACEMARK_CHROMIUM,
 * else Playwright's own, else one on the PATH; on Debian, as root, it is installed with apt-get.
 * Throws an `Error` that says what to install where there is none. `say` gets progress lines.
 */
export async function ensureChromium(say = (line) => process.stderr.write(`${line}\n`)) {
    const named = process.env.TRACEMARK_CHROMIUM;
    if (named) {
        if (await isExecutable(named)) return named;
        throw new Error(`TRACEMARK_CHROMIUM names ${named}, which cannot be run. Remedy: correct or unset it.`);
    }
    const found = await findChromium();
    if (found) return found;
    if (await canInstall()) {
        say("installing Chromium with apt-get (once, about 100 MB to download)");
        await aptGet(["update"]);
        await aptGet(["install", "-y", "--no-install-recommends", ...DEBIAN_PACKAGES]);
        const installed = await findChromium();
        if (installed) return installed;
    }
    throw new Error(
        "The tests in a browser need Chromium or Chrome, and none was found. Remedy: install one " +
            "(Debian: apt-get install chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium; " +
            "anywhere: npx playwright-core install --with-deps chromium), or set TRACEMARK_CHROMIUM to its path.",
    );
}

async function findChromium() {
    const onPath = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
    const candidates = [
        chromium.executablePath(),
        ...NAMES.map((name) => `/usr/bin/${name}`),
        ...onPath.flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
        ...(process.platform === "darwin" ? MAC_APPLICATIONS : []),
    ];
    for (const candidate of candidates) if (candidate && (await isExecutable(candidate))) return candidate;
    return undefined;
}

async function isExecutable(file) {
    return fs.access(file, fs.constants.X_OK).then(() => true, () => false);
}

/** Debian itself only: Ubuntu's package of that name is an empty one that asks for snap. */
async function canInstall() {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
    const release = await fs.readFile("/etc/os-release", "utf8").catch(() => "");
    return /^ID=debian$/m.test(release) && (await isExecutable("/usr/bin/apt-get"));
}

function aptGet(args) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    // Another apt-get may be at work: wait for it rather than fail.
    const all = ["-q", "-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3", ...args];
    return new Promise((resolve, reject) => {
        execFile("apt-get", all, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
            if (!error) return resolve();
            const tail = `${stdout}${stderr}`.trimEnd().split("\n").slice(-10).join("\n");
            reject(new Error(`apt-get ${args.join(" ")} failed:\n${tail}\nRemedy: install Chromium by hand, or set TRACEMARK_CHROMIUM to its path.`));
        });
    });
}
