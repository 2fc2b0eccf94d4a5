export function packageOnce(): Promise<string>;
