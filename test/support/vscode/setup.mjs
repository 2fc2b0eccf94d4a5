// Makes everything the tests in a browser need ahead of them, telling what it does: node test/support/vscode/setup.mjs [chromium] [newest] [floor]
import { ensureChromium } from "./ensure-chromium.mjs";
import { ensureVsCode } from "./install.mjs";

const say = (line) => console.log(line);
const parts = { chromium: () => ensureChromium(say), newest: () => ensureVsCode("newest", say), floor: () => ensureVsCode("floor", say) };

const asked = process.argv.slice(2);
try {
    for (const name of asked.length > 0 ? asked : Object.keys(parts)) {
        if (!parts[name]) throw new Error(`There is no part ${name}: name some of ${Object.keys(parts).join(", ")}, or none for all.`);
        await parts[name]();
    }
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
}
