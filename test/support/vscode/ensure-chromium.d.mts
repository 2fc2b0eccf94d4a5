export function ensureChromium(say?: (line: string) => void): Promise<string>;
