export type Which = "newest" | "floor";
export function ensureVsCode(which: Which, say?: (line: string) => void): Promise<{ serverPath: string; nodePath: string; version: string }>;
