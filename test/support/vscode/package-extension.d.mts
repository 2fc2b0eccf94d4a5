export function projectRoot(): Promise<string>;
export function packageTracemark(out: string): Promise<string>;
export function packageFolder(folder: string, out: string): Promise<string>;
