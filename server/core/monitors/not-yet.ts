/** Kinds that configuration files may name and that this version cannot run: they say so instead of failing. */
import { defineMonitorKind, invalidVerdict } from "./define";
import type { MonitorKind } from "./define";

function notYet(kind: MonitorKind["kind"], title: string): MonitorKind {
  const sentence = `monitors of kind "${kind}" are not available in this version; use "rules", "llm", "command" or "vote"`;
  return defineMonitorKind({
    kind, title,
    needs: () => ({ model: false, program: false, network: false }),
    problem: () => sentence,
    prompting: (monitor, asked) => asked ?? monitor.config.prompting ?? "evidence",
    promptText: () => "",
    run: async () => invalidVerdict("configuration", sentence),
  });
}

export const linear = notYet("linear", "Linear guard");
