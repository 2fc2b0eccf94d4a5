/** Hostile text stays text, and the page keeps a strict policy: the development page and the product's own bundle. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions } from "esbuild";
import { origin, skip, Views, type Violation } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

/** The bundling options of the product. The path is made at run time: this file is bundled, that one must not be. */
async function viewBundle(): Promise<BuildOptions> {
  return ((await import(pathToFileURL("webview/bundle.mjs").href)) as { viewBundle: BuildOptions }).viewBundle;
}

/**
 * The one report that a strict policy is known to give: the kit puts an empty style element into the page for its design
 * tokens, and fills it through the CSSOM. Nothing looks different without it.
 */
const isKnown = (violation: Violation): boolean => violation.directive === "style-src-elem" && violation.blocked === "inline";

test("scripts, markup and links of a log stay literal text", { skip }, async () => {
  const view = await views.open("hostile", { height: 2400 });
  await view.drawn();
  await view.command("evidence/next");
  await view.settled(10);
  const text = await view.page.innerText(".transcript");
  for (const literal of ["<script>window.pwned = 1</script>", "<img src=x onerror=\"window.pwned = 2\">", "<svg/onload=window.pwned=3>", "[click](javascript:window.pwned=5)", "<base href=\"https://example.org/\">", "<b>code</b>", "<b>entity</b>"]) {
    assert.ok(text.includes(literal), `${literal} is shown as it was written`);
  }
  assert.match(await view.page.innerText(".header"), /<script>window\.pwned = 1<\/script>/);
  await view.page.locator(".warnings summary").click();
  for (let n = 0; n < 5; n++) {
    await view.page.evaluate(() => (document.querySelector(".transcript")!.scrollTop = 1e6));
    await view.settled();
  }
  await view.page.locator("details.extra summary").last().click();
  await view.settled();
  const found = await view.page.evaluate(() => ({
    pwned: (window as never as { pwned?: number }).pwned,
    foreign: document.querySelectorAll("#app :is(script, img, iframe, style, base, meta, form, object, embed, link, svg)").length,
    handlers: [...document.querySelectorAll("#app *")].filter((element) => element.getAttributeNames().some((name) => name.startsWith("on"))).length,
    hrefs: document.querySelectorAll("#app [href], #app [src], #app [srcdoc]").length,
  }));
  assert.deepEqual(found, { pwned: undefined, foreign: 0, handlers: 0, hrefs: 0 });
  assert.deepEqual(view.requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:")), []);
  assert.deepEqual((await view.violations()).filter((violation) => !isKnown(violation)), []);
  assert.deepEqual(view.errors, []);
});

test("links do nothing but ask the host, and only harmless ones ask", { skip }, async () => {
  const view = await views.open("hostile", { height: 2400 });
  await view.drawn();
  await view.page.locator(".transcript .link", { hasText: "image" }).first().click();
  await view.settled();
  assert.deepEqual(await view.posted("link/open"), [{ type: "link/open", href: "https://example.org/track.png" }]);
  assert.equal(await view.page.evaluate(() => location.pathname), "/");
  const hrefs = await view.page.$$eval("[data-href]", (elements) => [...new Set(elements.map((element) => new URL((element as HTMLElement).dataset["href"]!).protocol))]);
  assert.deepEqual(hrefs.filter((protocol) => !["http:", "https:", "mailto:"].includes(protocol)), []);
});

test("images are drawn only when asked for, only out of the file, and no request ever leaves the page", { skip }, async () => {
  const view = await views.open("images", { height: 1600 });
  await view.drawn();
  const row = view.page.locator('[data-step-index="0"] .extras');
  await row.waitFor();
  // Type and size are said before anything is decoded; of what is elsewhere the address is text.
  assert.deepEqual(await row.getByRole("button", { name: /image/ }).allTextContents(), ["Show image (image/png, 70 B)"]);
  assert.equal(await row.getByRole("button", { name: "Copy address" }).count(), 2);
  const said = await row.locator(".image").allTextContents();
  assert.deepEqual(said.map((words) => words.replace(/Copy address|Show.*/g, "").trim()), [
    "A pixel", "not embedded in the record and never fetchedhttps://example.org/track.png?id=7", "not embedded in the record and never fetchedhttp://127.0.0.1:9/local.png",
    "image/svg+xml, 30 B: images of this type are not drawn", "image/png: the record does not hold the image",
  ]);
  for (const details of await row.locator("details").all()) await details.locator("summary").click();
  await view.settled();
  assert.equal(await view.page.locator("img").count(), 0);
  assert.equal((await view.posted<{ method: string }>("request")).filter(({ method }) => method === "image/read").length, 0);
  await row.getByRole("button", { name: /Show image/ }).click();
  await view.page.waitForFunction(() => document.querySelector("img")?.naturalWidth === 1);
  assert.equal(await view.page.locator("img").getAttribute("alt"), "A pixel");
  await row.getByRole("button", { name: "Hide image" }).click();
  assert.equal(await view.page.locator("img").count(), 0);
  assert.deepEqual(view.requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:image/png;base64,") && url !== "data:,"), []);
  assert.deepEqual((await view.violations()).filter((violation) => !isKnown(violation)), []);
});

test("an image that a page would ask the network for is stopped by the policy", { skip }, async () => {
  const view = await views.open("images");
  await view.drawn();
  const sent: string[] = [];
  // The browser tells of what its policy stops as of a request that failed before it was sent.
  view.page.on("requestfinished", (request) => sent.push(request.url()));
  const failed = new Promise<string | undefined>((done) => view.page.on("requestfailed", (request) => done(request.failure()?.errorText)));
  await view.page.evaluate(() => new Promise((done) => {
    const image = new Image();
    image.onerror = image.onload = done;
    image.src = "https://example.org/track.png";
  }));
  await view.settled();
  assert.deepEqual(sent, []);
  assert.match((await failed) ?? "", /csp/i);
  assert.deepEqual((await view.violations()).filter((violation) => !isKnown(violation)).map(({ directive, blocked }) => [directive, blocked]), [["img-src", "https://example.org/track.png"]]);
});

test("the product's bundle runs in a page as the extension makes it, and checks what it is told", { skip }, async () => {
  const bundle = await build({
    ...(await viewBundle()), entryPoints: ["webview/main.tsx"], outdir: "out/product-view", write: false, minify: true,
  });
  const page = await (await views.browser.newContext()).newPage();
  const nonce = "bm9uY2U=";
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${origin}; font-src ${origin}; img-src ${origin} data:`;
  const html = `<!DOCTYPE html><html lang="en"><head><meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="stylesheet" href="${origin}/main.css"></head><body data-view="trajectory"><div id="app"></div><script nonce="${nonce}" src="${origin}/main.js"></script></body></html>`;
  await page.addInitScript(() => {
    const state = { posted: [] as unknown[], violations: [] as Violation[], acquired: 0 };
    Object.assign(window, {
      test: state,
      acquireVsCodeApi: () => {
        state.acquired++;
        return { postMessage: (message: unknown) => state.posted.push(message), getState: () => undefined, setState: () => undefined };
      },
    });
    document.addEventListener("securitypolicyviolation", (event) => state.violations.push({ directive: event.effectiveDirective, blocked: event.blockedURI, source: event.sourceFile }));
  });
  await page.route(`${origin}/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === "") return route.fulfill({ contentType: "text/html", body: html });
    const file = bundle.outputFiles.find((output) => output.path.endsWith(`/${name}`));
    return file ? route.fulfill({ contentType: name.endsWith(".css") ? "text/css" : name.endsWith(".js") ? "text/javascript" : "font/ttf", body: Buffer.from(file.contents) }) : route.fulfill({ status: 404 });
  });
  await page.goto(`${origin}/`);
  await page.waitForFunction(() => (window as never as { test: { posted: { type: string }[] } }).test.posted.some((message) => message.type === "view/ready"));
  const tell = (message: unknown) => page.evaluate((value) => window.postMessage(value, "*"), message);
  await tell({ type: "doc/loading", fileName: "x.traj" });
  await page.waitForFunction(() => document.querySelector(".title")?.textContent === "x.traj");
  // Malformed and unknown messages are answered with their tag and nothing of their content, and change nothing.
  await tell({ type: "doc/failed", fileName: 7, message: "secret words" });
  await tell({ type: "no/such", text: "secret words" });
  await page.waitForFunction(() => (window as never as { test: { posted: { type: string }[] } }).test.posted.filter((message) => message.type === "error/raised").length === 2);
  const state = await page.evaluate(() => (window as never as { test: { posted: unknown[]; violations: Violation[]; acquired: number } }).test);
  assert.equal(state.acquired, 1);
  const raised = JSON.stringify(state.posted);
  assert.match(raised, /doc\/failed.*no\/such/);
  assert.ok(!raised.includes("secret words"));
  assert.deepEqual(state.violations.filter((violation) => !isKnown(violation)), []);
  assert.equal(await page.textContent(".title"), "x.traj");
  await page.keyboard.press("j");
  const types = await page.evaluate(() => (window as never as { test: { posted: { type: string }[] } }).test.posted.map((message) => message.type));
  assert.ok(!types.includes("edit/apply") && !types.includes("decision/submit"), "keys belong to the editor");
});

test("the bundle stays within its budget and free of other rooms", async () => {
  const result = await build({
    ...(await viewBundle()), entryPoints: ["webview/main.tsx"], outdir: "out/product-view", write: false, metafile: true, minify: true,
  });
  const script = result.outputFiles.find((file) => file.path.endsWith(".js"))!;
  assert.ok(script.contents.length <= 480_000, `${script.contents.length} bytes`);
  const packages = new Set<string>();
  for (const input of Object.keys(result.metafile.inputs)) {
    if (input.startsWith("node_modules/")) packages.add(/^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)![1]!);
    else assert.match(input, /^(webview|server\/core|server\/protocol)\//);
    assert.doesNotMatch(input, /^webview\/dev\/|browser-host/);
  }
  const allowed = ["@microsoft/fast-element", "@microsoft/fast-foundation", "@microsoft/fast-web-utilities", "@tanstack/virtual-core", "@vscode/codicons", "@vscode/webview-ui-toolkit", "diff", "entities", "exenv-es6", "markdown-it", "mdurl", "preact", "tabbable", "tslib", "uc.micro", "zod"];
  assert.deepEqual([...packages].filter((name) => !allowed.includes(name)), []);
  assert.ok(!readFileSync("webview/main.tsx", "utf8").includes("browser-host"));
});
