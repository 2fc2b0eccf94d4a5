/** `tracemark agreement`: how far annotators agree with each other and with themselves. */
import { agreement, type AgreementReport } from "#core/labels/agreement";
import type { Estimate } from "#core/labels/alpha";
import { agreementInput } from "#node/agreement-input";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption } from "../define";
import { choiceOption, numberOption } from "../option-values";
import { printable } from "../printable";
import { progressLine } from "../progress";
import { textTable } from "../text-table";
import { loadWorkspace, tellProblems } from "../workspace-call";

export const agreementVerb = defineVerb({
  name: "agreement",
  summary: "how far annotators agree: raw, per class, kappa, alpha, spans, with themselves on repeats, over time",
  operands: "",
  options: [
    { flags: "--labels <which>", description: "all (default), or blind: only labels given blind" },
    { flags: "--split <split>", description: "only samples of this split" },
    { flags: "--seed <number>", description: "whole number that fixes the bootstraps (default 1)" },
    { flags: "--trust-content", description: "read no trajectories to tell stale records" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const labels = choiceOption<"all" | "blind">(call, "labels", ["all", "blind"], "all");
    const seed = numberOption(call, "seed", Number.isSafeInteger, "a whole number");
    const workspace = await loadWorkspace(call);
    tellProblems(call.io, workspace.problems);
    const progress = progressLine(call.io, "reading samples");
    const { input, unread } = await agreementInput(workspace, {
      labels, split: textOption(call, "split"), content: call.options["trustContent"] === true ? "trust" : "check", onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.end());
    if (unread.length > 0) call.io.note(`warning: ${counted(unread.length, "sample")} cannot be read (${printable(unread.slice(0, 5).join(", "))}${unread.length > 5 ? ", …" : ""}); whether their labels are stale is not known`);
    const report = agreement({ ...input, seed });
    if (call.options["json"]) call.io.out(JSON.stringify(report));
    else for (const block of agreementPage(report)) call.io.out(block);
    return 0;
  },
});

/** The report for people. */
function agreementPage(report: AgreementReport): string[] {
  if (report.annotators.length === 0) return ["No labels count for agreement yet."];
  const raw: Estimate = { value: report.raw, low: report.raw_interval?.low ?? null, high: report.raw_interval?.high ?? null, n: report.n };
  const rows = [
    ["", "value", "95 % interval", "n"], row("raw agreement", raw), ...report.per_class.map((one) => row(`agreement on ${one.label}`, one)),
    row("Krippendorff's alpha", report.alpha),
    ...report.kappa.map((one) => row(`kappa ${one.a}, ${one.b}`, one)), ...report.span_f1.map((one) => row(`span F1 ${one.a}, ${one.b}`, one)),
    ...report.self.map((one) => row(`${one.annotator} with themselves`, one.raw)), ...report.known.map((one) => row(`${one.annotator} on known items`, one)),
    ...report.anchoring.flatMap((one) => [
      row(`labels that agree with ${one.run_id}, blind`, one.blind), row(`labels that agree with ${one.run_id}, verdict shown`, one.shown),
      row("  shown minus blind", { value: one.gap?.value ?? null, low: one.gap?.low ?? null, high: one.gap?.high ?? null, n: one.blind.n + one.shown.n }),
    ]),
    ...report.over_time.map((one) => row(`raw agreement ${one.month}`, one)),
  ];
  const changes = report.guideline_changes.slice(1).map(({ at, guideline_sha256 }) => `guidelines changed: first label under ${guideline_sha256.slice(0, 12)} at ${printable(at)}`);
  const left = report.excluded.map(({ reason, count }) => `${count} ${printable(reason)}`).join(", ");
  return [
    `${counted(report.n, "sample")} with two labels or more, by ${printable(report.annotators.join(", "))}`, "", textTable(rows), "",
    ...changes, `left out: ${left === "" ? "nothing" : left}`, ...(report.notes ?? []).map((text) => `! ${printable(text)}`),
  ];
}

function row(name: string, { value, low, high, n }: Estimate): string[] {
  const number = (one: number | null): string => (one === null ? "–" : one.toFixed(3));
  return [printable(name), number(value), low === null || high === null ? "–" : `${number(low)} to ${number(high)}`, String(n)];
}
