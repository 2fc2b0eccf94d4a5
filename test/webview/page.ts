/** The development page in a real Chromium: built once for a test file, served from memory under a made-up address, with its policy's reports kept. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

const executablePath = process.env["TRACEMARK_CHROMIUM"] ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const folder = join(process.cwd(), "out", "dev");
export const origin = "http://views.test";

/** Why these tests cannot run here, or false. */
export const skip = existsSync(executablePath) ? false : `no Chromium at ${executablePath}; set TRACEMARK_CHROMIUM`;

export interface OpenOptions { readonly width?: number; readonly height?: number; readonly reducedMotion?: boolean }

/** A report of the content security policy: what was violated, and where the page says it came from. */
export interface Violation { readonly directive: string; readonly blocked: string; readonly source: string }

/** Chromium with the page built; `open` gives a page of its own for each test. */
export class Views {
  private constructor(readonly browser: Browser) {}

  static async launch(): Promise<Views> {
    execFileSync(process.execPath, ["webview/dev/build.mjs"], { stdio: "inherit" });
    return new Views(await chromium.launch({ executablePath, args }));
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  /** Opens a fixture (`agent`, `long&steps=200` ...) and waits until something of it is drawn. Page errors fail the test that reads them. */
  async open(query: string, options: OpenOptions = {}): Promise<ViewPage> {
    const context = await this.browser.newContext({ viewport: { width: options.width ?? 1400, height: options.height ?? 900 }, reducedMotion: options.reducedMotion ? "reduce" : "no-preference" });
    const page = await context.newPage();
    const view = new ViewPage(page);
    await page.addInitScript(() => {
      const found: Violation[] = [];
      Object.assign(window, { violations: found });
      document.addEventListener("securitypolicyviolation", (event) => found.push({ directive: event.effectiveDirective, blocked: event.blockedURI, source: event.sourceFile }));
    });
    await page.route(`${origin}/**`, (route) => route.fulfill({ path: join(folder, new URL(route.request().url()).pathname.slice(1) || "index.html") }));
    await page.goto(`${origin}/?fixture=${query}`);
    await page.waitForSelector(".header, .score, .pair-rows, .step-list");
    return view;
  }
}

export class ViewPage {
  readonly errors: string[] = [];
  readonly requests: string[] = [];

  constructor(readonly page: Page) {
    page.on("pageerror", (error) => this.errors.push(error.stack ?? error.message));
    page.on("request", (request) => this.requests.push(request.url()));
  }

  /** Waits until rows with text are drawn. */
  async drawn(): Promise<void> {
    await this.page.waitForSelector(".window");
    await this.settled();
  }

  /** Waits for some frames: drawing, measuring, drawing again. */
  settled(frames = 6): Promise<void> {
    return this.page.evaluate(async (count) => {
      for (let n = 0; n < count; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, frames);
  }

  /** What the view has sent to its host, of one type. */
  posted<T = Record<string, unknown>>(type: string): Promise<T[]> {
    return this.page.evaluate((wanted) => (window as unknown as DevWindow).tracemark.host.posted.filter((message) => message.type === wanted), type) as Promise<T[]>;
  }

  /** Gives the view a message of its host. */
  async send(message: unknown): Promise<void> {
    await this.page.evaluate((value) => (window as unknown as DevWindow).tracemark.host.send(value), message);
    await this.settled();
  }

  command(command: string): Promise<void> {
    return this.send({ type: "view/command", command });
  }

  /** The text under a mark, over all its pieces that are drawn, without glyphs and letter tags. */
  markText(id: string): Promise<string> {
    return this.page.$$eval(`mark[data-mark="${id}"]`, (elements) => elements.map((element) => element.textContent).join(""));
  }

  violations(): Promise<Violation[]> {
    return this.page.evaluate(() => (window as unknown as DevWindow).violations);
  }

  elements(): Promise<number> {
    return this.page.evaluate(() => document.querySelectorAll("*").length);
  }

  /** Selects from the first drawn occurrence of `from` to the end of the first one of `to` after it, as a mouse would leave it. */
  select(from: string, to = from): Promise<void> {
    return this.page.evaluate(([first, last]) => {
      const root = document.querySelector(".transcript")!;
      const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      let started = false;
      for (let node = walk.nextNode() as Text | null; node; node = walk.nextNode() as Text | null) {
        let after = 0;
        if (!started && node.data.includes(first!)) {
          range.setStart(node, node.data.indexOf(first!));
          after = node.data.indexOf(first!);
          started = true;
        }
        const end = started ? node.data.indexOf(last!, after) : -1;
        if (end < 0) continue;
        range.setEnd(node, end + last!.length);
        const selection = document.getSelection()!;
        selection.removeAllRanges();
        selection.addRange(range);
        return;
      }
      throw new Error(`"${first}" to "${last}" is not drawn`);
    }, [from, to]);
  }
}

interface DevWindow {
  readonly tracemark: { readonly host: { posted: { type: string }[]; send(message: unknown): void } };
  readonly violations: Violation[];
}
