// Opens the workbench in a browser and gives tests words for what a person does there.
import { chromium } from "playwright-core";
import { ensureChromium } from "./ensure-chromium.mjs";
import { Workbench } from "./workbench.mjs";

/** Chromium as root in a container, without what it would fetch or start by itself. */
export const CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/**
 * Opens the workbench that `server` (what `startVsCode` resolved with) serves, in a headless browser
 * of its own, and resolves with a `Workbench` once the explorer shows.
 *
 * `theme` is the name of a colour theme, such as "Default Light Modern"; `width` and `height` are the
 * window's size in CSS pixels. `server` may also be a bare address, where no theme can be chosen.
 */
export async function openWorkbench(server, { theme, width = 1400, height = 900 } = {}) {
    const url = typeof server === "string" ? server : server.url;
    if (theme && !server.setSettings) throw new Error("A theme needs the object that startVsCode gave, not only its address.");
    if (theme) await server.setSettings({ "workbench.colorTheme": theme });
    const browser = await chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_ARGUMENTS });
    try {
        const context = await browser.newContext({ viewport: { width, height }, permissions: ["clipboard-read", "clipboard-write"] });
        const workbench = new Workbench(browser, await context.newPage(), server);
        await workbench.page.goto(url);
        await workbench.waitForWorkbench();
        if (theme) await workbench.waitForTheme(theme);
        return workbench;
    } catch (error) {
        await browser.close();
        throw error;
    }
}
