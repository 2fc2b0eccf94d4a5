/** Kinds that configuration files may name and that this version cannot run: they say so instead of failing. */
import { defineMonitorKind, invalidVerdict } from "./define";
import type { MonitorKind } from "./define";

function notYet(kind: MonitorKind["kind"], title: string, needs: MonitorKind["needs"]): MonitorKind {
  const sentence = `monitors of kind "${kind}" are not available in this version; use "rules" or "llm"`;
  return defineMonitorKind({
    kind, title, needs,
    problem: () => sentence,
    prompting: (monitor, asked) => asked ?? monitor.config.prompting ?? "evidence",
    promptText: () => "",
    run: async () => invalidVerdict("configuration", sentence),
  });
}

export const command = notYet("command", "Program", { model: false, program: true, network: false });
export const vote = notYet("vote", "Vote of several monitors", { model: false, program: false, network: false });
export const linear = notYet("linear", "Linear guard", { model: false, program: false, network: false });
