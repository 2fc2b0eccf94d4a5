// What a test can do and see in an open workbench. Every method waits for what it needs; none sleeps.
import { untilDone } from "./attempts.mjs";

/** The limit of each wait: on a busy machine an extension takes half a minute to become active. */
const TIMEOUT_MS = 90_000;
/** A key pressed while the focus is in a webview that still loads is lost: press it again after this time. */
const KEY_LOST_MS = 3_000;
/** How long an entry may take to show before the quick input is opened anew. */
const ATTEMPT_MS = 15_000;
const OPTION = ".quick-input-widget .quick-input-list [role=option]";
/** The four default themes by the names that settings use: the class that shows them, and their label in the picker. */
const THEMES = {
    "Default Dark Modern": { kind: "vs-dark", label: "Dark Modern" },
    "Default Light Modern": { kind: "vs", label: "Light Modern" },
    "Default High Contrast": { kind: "hc-black", label: "Dark High Contrast" },
    "Default High Contrast Light": { kind: "hc-light", label: "Light High Contrast" },
};

/** An attribute's value as a CSS string. */
const css = (text) => JSON.stringify(text);

export class Workbench {
    /** Made by `openWorkbench`. `page` is Playwright's, for everything there is no word for here. */
    constructor(browser, page, server) {
        this.browser = browser;
        this.page = page;
        this.server = server;
        /** Errors in the console of the workbench and of its webviews, as they came. */
        this.consoleErrors = [];
        page.setDefaultTimeout(TIMEOUT_MS);
        page.on("console", (message) => message.type() === "error" && this.consoleErrors.push(message.text()));
        page.on("pageerror", (error) => this.consoleErrors.push(String(error)));
    }

    /** Waits until the explorer shows the folder's first row. */
    async waitForWorkbench() {
        await this.page.locator(".explorer-folders-view [role=treeitem]").first().waitFor();
    }

    /** Waits for an item of the status bar that contains `text` (a string or RegExp), a sign that an extension is active. */
    async waitForStatus(text) {
        await this.page.locator(".statusbar-item:visible").filter({ hasText: text }).first().waitFor();
    }

    /** The texts of the status bar's items, left to right. */
    async statusItems() {
        const texts = await this.page.locator(".statusbar-item:visible").allInnerTexts();
        return texts.map((text) => text.trim()).filter(Boolean);
    }

    /** Changes to one of the four default colour themes, in the open window, and waits until it shows. */
    async setTheme(theme) {
        if (!THEMES[theme]) throw new Error(`${theme} is not one of ${Object.keys(THEMES).join(", ")}: name it in openWorkbench.`);
        await this.command("Preferences: Color Theme");
        await this.#quickInput().fill(THEMES[theme].label);
        await this.pick(THEMES[theme].label);
        await this.waitForTheme(theme);
    }

    /** Waits until a theme of the kind of `theme` shows, or, for one that is not a default theme, any theme. */
    async waitForTheme(theme) {
        const kind = THEMES[theme] ? `.${THEMES[theme].kind}` : "";
        await this.page.locator(`.monaco-workbench${kind}[class*=vscode-theme-]`).first().waitFor();
    }

    /** Opens a file for good by its path within the workspace folder (with "/"), through quick open, and waits for its tab. */
    async openFile(path) {
        const { name, folder } = splitPath(path);
        const within = folder ? `[aria-label*=${css(folder)}]` : "";
        await this.#ask("ControlOrMeta+P", path, `${OPTION}[aria-label^=${css(name)}]${within}`, `file ${path}`);
        await this.waitForTab({ name });
    }

    /** Opens a file for good by a double click on its row in the explorer, unfolding the folders of `path`; its row must then be in view. */
    async openFromExplorer(path) {
        const parts = path.split("/");
        let row;
        for (let level = 1; level <= parts.length; level++) {
            row = await this.#explorerRow(parts.slice(0, level));
            if (level === parts.length || (await row.getAttribute("aria-expanded")) === "true") continue;
            await row.click();
        }
        await row.dblclick();
        await this.waitForTab({ name: parts.at(-1) });
    }

    async #explorerRow(parts) {
        const found = await this.page.waitForFunction((names) => {
            const rows = [...document.querySelectorAll(".explorer-folders-view [role=treeitem]")];
            const at = (row) => Number(row.dataset.index);
            rows.sort((a, b) => at(a) - at(b));
            let after = -1;
            for (const [index, name] of names.entries()) {
                const row = rows.find(
                    (one) => at(one) > after && one.getAttribute("aria-level") === String(index + 1) && one.querySelector(".label-name")?.textContent === name,
                );
                if (!row) return undefined;
                after = at(row);
            }
            return { index: after };
        }, parts);
        const { index } = await found.jsonValue();
        return this.page.locator(`.explorer-folders-view [role=treeitem][data-index="${index}"]`);
    }

    /** Runs a command by its whole title in the palette, such as "Tracemark: Run Monitor". What it then asks is answered by `pick` and `type`. */
    async command(title) {
        await this.#ask("F1", `>${title}`, `${OPTION}[aria-label=${css(title)}], ${OPTION}[aria-label^=${css(`${title},`)}]`, `command ${title}`);
    }

    /** Chooses, in the open quick pick, the first entry whose label starts with `label`. */
    async pick(label) {
        await this.#clickOption(`${OPTION}[aria-label^=${css(label)}]`, `entry ${label}`);
    }

    /**
     * Runs a command and answers the lists that it shows, one after the other, by the beginning of an entry's label. A list
     * that closes because something else took the focus is asked for again, from the first one on.
     */
    async choose(title, ...labels) {
        await untilDone(`${title} with ${labels.join(", ")}`, Date.now() + 2 * TIMEOUT_MS, async () => {
            await this.command(title);
            for (const label of labels) await this.#clickOption(`${OPTION}[aria-label^=${css(label)}]`, `entry ${label}`, ATTEMPT_MS);
        });
    }

    /** The labels of the open quick pick, as a screen reader says them. */
    async pickLabels() {
        await this.page.locator(OPTION).first().waitFor();
        return this.page.locator(OPTION).evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
    }

    /** Fills the open input box with `text` and presses Enter. */
    async type(text) {
        await this.#quickInput().fill(text);
        await this.#untilAnswered(() => this.page.keyboard.press("Enter"));
    }

    /** Answers the open quick input by `answer` and waits until it is gone or asks something else, so that the next answer meets the next question. */
    async #untilAnswered(answer) {
        const look = () => {
            const widget = document.querySelector(".quick-input-widget");
            if (!widget || getComputedStyle(widget).display === "none") return "";
            const input = widget.querySelector(".quick-input-box input");
            return [widget.innerText, input?.value, input?.placeholder].join("\n");
        };
        const before = await this.page.evaluate(look);
        await answer();
        await this.page.waitForFunction(`(${look})() !== ${JSON.stringify(before)}`);
    }

    #quickInput() {
        return this.page.locator(".quick-input-widget:visible .quick-input-box input");
    }

    /**
     * Opens the quick input by `key`, types `text` and clicks the entry at `selector`. A webview that
     * has just loaded takes the focus, which closes the quick input: it is then opened again.
     */
    async #ask(key, text, selector, what) {
        await untilDone(what, Date.now() + TIMEOUT_MS, async () => {
            await this.#openQuickInput(key);
            await this.#quickInput().fill(text, { timeout: ATTEMPT_MS });
            await this.#clickOption(selector, what, ATTEMPT_MS);
        });
    }

    async #openQuickInput(key) {
        if (await this.#quickInput().isVisible()) await this.page.keyboard.press("Escape");
        await this.#quickInput().waitFor({ state: "hidden" });
        const deadline = Date.now() + TIMEOUT_MS;
        for (;;) {
            await this.page.keyboard.press(key);
            try {
                return await this.#quickInput().waitFor({ timeout: KEY_LOST_MS });
            } catch (error) {
                if (Date.now() > deadline) throw error;
            }
        }
    }

    async #clickOption(selector, what, timeout = TIMEOUT_MS) {
        try {
            const option = this.page.locator(selector).first();
            await option.waitFor({ timeout });
            await this.#untilAnswered(() => option.click({ timeout }));
        } catch (error) {
            const offered = await this.page.locator(OPTION).evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
            throw new Error(`No ${what} in the list, which offers: ${offered.join(" | ") || "nothing"}`, { cause: error });
        }
    }

    /**
     * The document inside the webview of the active editor, two frames deep, as Playwright's `Frame`,
     * once it has content. Ask again after the webview was hidden or reloaded: it is another one then.
     */
    async webview() {
        const deadline = Date.now() + TIMEOUT_MS;
        for (;;) {
            try {
                return await this.#webviewOnce(deadline - Date.now());
            } catch (error) {
                // A webview that is replaced while it is looked at takes its frames along.
                const replaced = /detached|Target closed|not attached|Execution context/i.test(String(error));
                if (!replaced || Date.now() > deadline) throw error;
            }
        }
    }

    async #webviewOnce(timeout) {
        // The editor's element names the overlay that holds its webview, which stands elsewhere in the page.
        const found = await this.page.waitForFunction(
            () => {
                for (const editor of document.querySelectorAll(".editor-group-container.active [aria-flowto]")) {
                    const overlay = document.getElementById(editor.getAttribute("aria-flowto"));
                    const shown = overlay && getComputedStyle(overlay).visibility === "visible" && getComputedStyle(overlay).display !== "none";
                    if (shown && overlay.querySelector("iframe.webview.ready")) return overlay.id;
                }
                return undefined;
            },
            undefined,
            { timeout },
        );
        const outer = await (await this.page.waitForSelector(`[id=${css(await found.jsonValue())}] iframe.webview.ready`, { timeout })).contentFrame();
        const inner = await (await outer.waitForSelector("iframe#active-frame", { state: "attached", timeout })).contentFrame();
        await inner.waitForSelector("body > *", { state: "attached", timeout });
        return inner;
    }

    /** Presses keys one after the other, each as Playwright names it ("j", "Shift+]", "ControlOrMeta+Z"), wherever the focus is. */
    async press(...keys) {
        for (const key of keys) await this.page.keyboard.press(key);
    }

    /** The tabs of all groups, in order: `{ name, active, dirty }`. */
    async tabs() {
        return this.page.locator(".tabs-container .tab").evaluateAll((tabs) =>
            tabs.map((tab) => ({
                name: tab.dataset.resourceName,
                active: tab.classList.contains("active") && tab.closest(".editor-group-container").classList.contains("active"),
                dirty: tab.classList.contains("dirty"),
            })),
        );
    }

    /** Waits until the active tab is that of the file `name`; with `dirty`, also until it has, or has no, unsaved changes. */
    async waitForTab({ name, dirty }) {
        const state = dirty === undefined ? "" : dirty ? ".dirty" : ":not(.dirty)";
        await this.page.locator(`.editor-group-container.active .tab.active${state}[data-resource-name=${css(name)}]`).waitFor();
    }

    /** The notifications on screen, newest first: `{ text, buttons }`. */
    async notifications() {
        return this.page.locator(".notification-list-item").evaluateAll((items) =>
            items.map((item) => ({
                text: item.querySelector(".notification-list-item-message")?.textContent ?? "",
                buttons: [...item.querySelectorAll(".notification-list-item-buttons-container [role=button]")].map((button) => button.textContent),
            })),
        );
    }

    /** Waits for a notification that contains `text` (a string or RegExp); with `button`, presses its button of that name. */
    async notification(text, button) {
        const item = this.page.locator(".notification-list-item").filter({ has: this.page.locator(".notification-list-item-message", { hasText: text }) }).first();
        await item.waitFor();
        if (button) await item.getByRole("button", { name: button, exact: true }).click();
    }

    /** Waits for a modal dialog and returns `{ message, detail, buttons }`. */
    async dialog() {
        const box = this.page.locator(".monaco-dialog-box");
        await box.waitFor();
        return box.evaluate((element) => ({
            message: element.querySelector(".dialog-message-text")?.textContent ?? "",
            detail: element.querySelector(".dialog-message-detail")?.textContent ?? "",
            buttons: [...element.querySelectorAll(".dialog-buttons [role=button]")].map((button) => button.textContent),
        }));
    }

    /** Presses the button `name` of the modal dialog and waits until the dialog is gone. */
    async answerDialog(name) {
        const box = this.page.locator(".monaco-dialog-box");
        await box.locator(".dialog-buttons").getByRole("button", { name, exact: true }).click();
        await box.waitFor({ state: "hidden" });
    }

    /**
     * The rows of the Problems view, files and their problems, as a screen reader says them. Shows
     * the view and moves the focus there. With `text`, waits for a row that contains it; without,
     * gives what is there at once.
     */
    async problems(text) {
        await this.command("Problems: Focus on Problems View");
        await this.page.locator(".markers-panel").waitFor();
        const rows = this.page.locator(".markers-panel [role=treeitem]");
        if (text !== undefined) await rows.filter({ hasText: text }).first().waitFor();
        return rows.evaluateAll((elements) => elements.map((row) => row.getAttribute("aria-label")));
    }

    /** Trusts the folder that was opened in Restricted Mode (`trust` of `startVsCode`) and waits until that mode is left. */
    async trustFolder() {
        await this.waitForStatus("Restricted Mode");
        await this.command("Workspaces: Manage Workspace Trust");
        await this.page.getByRole("button", { name: "Trust", exact: true }).click();
        await this.page.locator(".statusbar-item:visible").filter({ hasText: "Restricted Mode" }).waitFor({ state: "detached" });
    }

    /** Writes a picture of the whole window to the file `path` (.png). */
    async screenshot(path) {
        await this.page.screenshot({ path });
    }

    /** Reloads the window, as after a restart, and waits until the explorer shows again. */
    async reload() {
        await this.page.reload();
        await this.waitForWorkbench();
    }

    /** Closes the browser; the server goes on. */
    async close() {
        await this.browser.close();
    }
}

function splitPath(path) {
    const cut = path.lastIndexOf("/");
    return { name: path.slice(cut + 1), folder: path.slice(0, Math.max(cut, 0)) };
}
