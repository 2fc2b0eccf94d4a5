/** One VS Code on a copy of the samples, for the tests of one file: what they do and see in the view, and the labels on disk. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Frame } from "playwright-core";
import { openWorkbench } from "../support/vscode/browser.mjs";
import { ensureChromium } from "../support/vscode/ensure-chromium.mjs";
import { packageOnce } from "../support/vscode/package-once.mjs";
import { startVsCode, type VsCode } from "../support/vscode/serve.mjs";
import type { Workbench } from "../support/vscode/workbench.mjs";

export interface LabelLine {
  readonly sample_id: string;
  readonly label: string | null;
  readonly note?: string;
  readonly retracted?: boolean;
}

export interface SessionOptions {
  /** Monitors that the workspace's `tracemark.json` gets beside its own. */
  readonly monitors?: Record<string, object>;
  readonly settings?: Record<string, unknown>;
  /** Opens the folder in Restricted Mode. */
  readonly untrusted?: boolean;
  readonly which?: "newest" | "floor";
  /** Folders of further extensions. */
  readonly moreExtensions?: string[];
  readonly env?: Record<string, string>;
  /** Puts more files into the folder before it is opened. */
  readonly prepare?: (folder: string) => void;
}

/** The longest that anything is waited for: the machine may be busy with other work. */
const patienceMs = 60_000;

/** Looks until what is seen is right, and fails with the last look when it never is. */
export async function eventually<T>(what: string, look: () => T | Promise<T>, isRight: (value: T) => boolean, timeoutMs = patienceMs): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (isRight(value)) return value;
    if (Date.now() > end) assert.fail(`${what}: ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The lines of a file that are whole, parsed; none where there is no file. The last one may just be being written. */
export function wholeLines<T>(path: string): T[] {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter(Boolean).map((line) => JSON.parse(line) as T);
}

export class Session {
  private constructor(readonly folder: string, readonly server: VsCode, readonly workbench: Workbench) {}

  static async start({ monitors = {}, settings = {}, untrusted = false, which = "newest", moreExtensions = [], env = {}, prepare }: SessionOptions = {}): Promise<Session> {
    await ensureChromium();
    const folder = mkdtempSync(join(tmpdir(), "tracemark-"));
    cpSync(resolve("samples"), folder, { recursive: true });
    const config = join(folder, "tracemark.json");
    const written = JSON.parse(readFileSync(config, "utf8")) as { monitors: object };
    writeFileSync(config, JSON.stringify({ ...written, monitors: { ...written.monitors, ...monitors } }, null, 2));
    prepare?.(folder);
    const server = await startVsCode({
      folder, vsix: await packageOnce(), trust: untrusted, which, moreExtensions, env, settings: { "tracemark.labelling.annotator": "tester", ...settings },
    });
    try {
      const workbench = await openWorkbench(server);
      // A file that is opened before the extension is known opens as text.
      await workbench.waitForStatus("Tracemark");
      return new Session(folder, server, workbench);
    } catch (error) {
      await server.dispose();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.workbench.close();
    await this.server.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Opens a trajectory and waits until its transcript is drawn. */
  async open(path: string): Promise<Frame> {
    await this.workbench.openFile(path);
    return this.view();
  }

  /** The active view's frame, once its transcript is drawn. */
  async view(): Promise<Frame> {
    const frame = await this.workbench.webview();
    await frame.locator(".row").first().waitFor();
    return frame;
  }

  /**
   * Presses keys with the focus in the transcript, where they are commands. That the focus is there takes a way through the
   * editor before its keys are commands, so the step is moved first, until it does move.
   */
  async keys(frame: Frame, ...keys: string[]): Promise<void> {
    await frame.locator(".transcript").first().click({ position: { x: 4, y: 4 } });
    const current = () => frame.evaluate(() => document.querySelector<HTMLElement>(".step.is-current")?.dataset["stepIndex"] ?? "none");
    const before = await current();
    const end = Date.now() + patienceMs;
    for (let n = 0; (await current()) === before; n++) {
      assert.ok(Date.now() < end, "no key is a command");
      // At the last step only the other way leads on.
      await this.workbench.press(n % 2 === 0 ? "j" : "k");
      for (let look = 0; look < 20 && (await current()) === before; look++) await new Promise((done) => setTimeout(done, 100));
    }
    await this.workbench.press(...keys);
  }

  /** Waits until the view's status line says `pattern`. */
  status(frame: Frame, pattern: RegExp): Promise<string> {
    return eventually("status", () => frame.locator(".decision-bar .status").innerText(), (text) => pattern.test(text));
  }

  /** Waits until the verdict line says `pattern`. */
  verdict(frame: Frame, pattern: RegExp): Promise<string> {
    return eventually("verdict line", () => frame.locator(".verdict-line").innerText(), (text) => pattern.test(text.replace(/\s+/g, " ")));
  }

  /** Chooses a monitor in the picker. */
  chooseMonitor(id: string): Promise<void> {
    return this.workbench.choose("Tracemark: Select the monitor", id);
  }

  /** The annotator's records, oldest first. */
  labels(): LabelLine[] {
    return wholeLines<LabelLine>(join(this.folder, "labels", "tester.jsonl"));
  }
}
