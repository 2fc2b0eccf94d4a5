import type { Which } from "./install.mjs";

export type Settings = Record<string, unknown>;

export interface VsCodeOptions {
    which?: Which;
    folder: string;
    vsix?: string;
    extensionDir?: string;
    moreExtensions?: string[];
    settings?: Settings;
    trust?: boolean;
    env?: Record<string, string>;
    say?: (line: string) => void;
}

export interface VsCode {
    url: string;
    port: number;
    version: string;
    folder: string;
    userDataDir: string;
    extensionsDir: string;
    logFile: string;
    configDir: string;
    setSettings(changes: Settings): Promise<void>;
    processes(text: string): Promise<{ pid: number; command: string }[]>;
    ended: Promise<string>;
    dispose(): Promise<void>;
}

export const DEFAULT_SETTINGS: Settings;
export function startVsCode(options: VsCodeOptions): Promise<VsCode>;
