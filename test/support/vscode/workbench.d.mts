import type { Browser, Frame, Page } from "playwright-core";
import type { VsCode } from "./serve.mjs";

export type Text = string | RegExp;

export class Workbench {
    constructor(browser: Browser, page: Page, server: VsCode | string);
    readonly browser: Browser;
    readonly page: Page;
    readonly server: VsCode | string;
    readonly consoleErrors: string[];
    waitForWorkbench(): Promise<void>;
    waitForStatus(text: Text): Promise<void>;
    statusItems(): Promise<string[]>;
    setTheme(theme: string): Promise<void>;
    waitForTheme(theme: string): Promise<void>;
    openFile(path: string): Promise<void>;
    openFromExplorer(path: string): Promise<void>;
    command(title: string): Promise<void>;
    pick(label: string): Promise<void>;
    choose(title: string, ...labels: string[]): Promise<void>;
    pickLabels(): Promise<string[]>;
    type(text: string): Promise<void>;
    webview(): Promise<Frame>;
    press(...keys: string[]): Promise<void>;
    tabs(): Promise<{ name: string; active: boolean; dirty: boolean }[]>;
    waitForTab(tab: { name: string; dirty?: boolean }): Promise<void>;
    notifications(): Promise<{ text: string; buttons: string[] }[]>;
    notification(text: Text, button?: string): Promise<void>;
    dialog(): Promise<{ message: string; detail: string; buttons: string[] }>;
    answerDialog(name: string): Promise<void>;
    problems(text?: Text): Promise<string[]>;
    trustFolder(): Promise<void>;
    screenshot(path: string): Promise<void>;
    reload(): Promise<void>;
    close(): Promise<void>;
}
