/** The rates of all runs with their intervals, overall and by category, as one SVG. */
import type { FullReport } from "../scoring/full-report";
import type { Metrics } from "../scoring/report";
import type { Rate } from "../scoring/rate";
import { escapeHtml } from "./html";

const [left, panel, gap, rowHeight, top] = [250, 220, 40, 22, 34] as const;
const width = left + 2 * panel + gap + 70;

interface Row {
  readonly name: string;
  readonly metrics: Metrics;
  readonly isRun: boolean;
}

/** Undefined where there are no runs. The interval is that of the rate, or the one between groups where samples depend on each other. */
export function forestSvg(report: FullReport): string | undefined {
  const rows = report.runs.flatMap((run): Row[] => [
    { name: run.run_id, metrics: run, isRun: true },
    ...Object.entries(run.by["category"] ?? {}).map(([name, metrics]): Row => ({ name, metrics, isRun: false })),
  ]);
  if (rows.length === 0) return undefined;
  const height = top + rows.length * rowHeight + 40;
  const panels = (["miss_rate", "false_alarm_rate"] as const).map((key, at) => ({ key, title: key === "miss_rate" ? "miss rate" : "false alarm rate", x0: left + at * (panel + gap) }));
  const names = rows.map(({ name, isRun }, at) => `<text x="${isRun ? 8 : 24}" y="${middle(at)}" dominant-baseline="middle"${isRun ? ' font-weight="600"' : ""}>${escapeHtml(short(name))}</text>`);
  const drawn = panels.flatMap(({ key, title, x0 }) => [
    `<text x="${x0 + panel / 2}" y="16" text-anchor="middle">${title}</text>`,
    ...[0, 0.5, 1].flatMap((tick) => [
      `<line x1="${x0 + tick * panel}" y1="${top - 8}" x2="${x0 + tick * panel}" y2="${height - 28}" stroke="currentColor" opacity="0.25"/>`,
      `<text x="${x0 + tick * panel}" y="${height - 12}" text-anchor="middle">${tick}</text>`,
    ]),
    ...rows.flatMap(({ metrics, isRun }, at) => mark(metrics[key], x0, middle(at), isRun)),
  ]);
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Miss rate and false alarm rate of each run, overall and by category; the numbers are in the tables">
${[...names, ...drawn].join("\n")}
</svg><figcaption>Each run, and below it its categories: rates with 95 % intervals, which count the dependence within groups. A row without a mark has no rate.</figcaption>`;
}

function middle(row: number): number {
  return top + row * rowHeight + rowHeight / 2;
}

function short(name: string): string {
  return name.length <= 34 ? name : `${name.slice(0, 33)}…`;
}

/** A filled square for a run, an open circle for a category: told apart without colour. */
function mark(rate: Rate, x0: number, y: number, isRun: boolean): string[] {
  const { value } = rate;
  const { low, high } = rate.clustered ?? rate;
  if (value === null) return [];
  const x = (share: number): string => (x0 + share * panel).toFixed(1);
  const shape = isRun ? `<rect x="${(Number(x(value)) - 4).toFixed(1)}" y="${y - 4}" width="8" height="8" fill="currentColor"` : `<circle cx="${x(value)}" cy="${y}" r="4" fill="none" stroke="currentColor" stroke-width="1.5"`;
  return [
    ...(low === null || high === null ? [] : [`<line x1="${x(low)}" y1="${y}" x2="${x(high)}" y2="${y}" stroke="currentColor" stroke-width="1.5"/>`]),
    `${shape}><title>${value.toFixed(3)} (${rate.numerator}/${rate.denominator})</title>${isRun ? "</rect>" : "</circle>"}`,
  ];
}
