import type { VsCode } from "./serve.mjs";
import type { Workbench } from "./workbench.mjs";

export const CHROMIUM_ARGUMENTS: string[];
export function openWorkbench(server: VsCode | string, options?: { theme?: string; width?: number; height?: number }): Promise<Workbench>;
