/** The trade-off of all runs as one SVG: false alarm rate against miss rate, with intervals, lines of equal J and the Pareto front. */
import type { FullReport } from "../scoring/full-report";
import { escapeHtml } from "./html";

const [width, height, left, top, size] = [560, 520, 60, 20, 440] as const;

/** Undefined where no run has both rates. Points are numbered in the order of the runs; the legend stands beside them. */
export function scatterSvg(report: FullReport): string | undefined {
  const points = report.runs.flatMap(({ run_id, miss_rate, false_alarm_rate }, at) =>
    miss_rate.value === null || false_alarm_rate.value === null ? [] : [{ run_id, number: at + 1, miss: miss_rate, alarm: false_alarm_rate }]);
  if (points.length === 0) return undefined;
  const x = (miss: number | null): string => (left + (miss ?? 0) * size).toFixed(1);
  const y = (alarm: number | null): string => (top + size - (alarm ?? 0) * size).toFixed(1);
  const line = (x1: string, y1: string, x2: string, y2: string, more: string): string => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="currentColor" ${more}/>`;
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((at) => [
    `<text x="${x(at)}" y="${top + size + 18}" text-anchor="middle">${at}</text>`, `<text x="${left - 8}" y="${y(at)}" text-anchor="end" dominant-baseline="middle">${at}</text>`,
  ]);
  const iso = [0.2, 0.4, 0.6, 0.8].map((j) => line(x(0), y(1 - j), x(1 - j), y(0), 'stroke-dasharray="2 4" opacity="0.4"'));
  const front = report.pareto.flatMap((id) => points.filter(({ run_id }) => run_id === id)).map(({ miss, alarm }) => `${x(miss.value)},${y(alarm.value)}`).join(" ");
  const marks = points.flatMap(({ run_id, number, miss, alarm }) => [
    line(x(miss.low), y(alarm.value), x(miss.high), y(alarm.value), 'opacity="0.6"'), line(x(miss.value), y(alarm.low), x(miss.value), y(alarm.high), 'opacity="0.6"'),
    `<circle cx="${x(miss.value)}" cy="${y(alarm.value)}" r="4" fill="currentColor"><title>${escapeHtml(run_id)}</title></circle>`,
    `<text x="${(Number(x(miss.value)) + 7).toFixed(1)}" y="${(Number(y(alarm.value)) - 7).toFixed(1)}">${number}</text>`,
  ]);
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="False alarm rate against miss rate; the numbers are in the table above">
<rect x="${left}" y="${top}" width="${size}" height="${size}" fill="none" stroke="currentColor"/>
${[...ticks, ...iso, ...(report.pareto.length > 1 ? [`<polyline points="${front}" fill="none" stroke="currentColor" stroke-width="1.5"/>`] : []), ...marks].join("\n")}
<text x="${left + size / 2}" y="${top + size + 40}" text-anchor="middle">miss rate</text>
<text x="16" y="${top + size / 2}" text-anchor="middle" transform="rotate(-90 16 ${top + size / 2})">false alarm rate</text>
</svg><figcaption>Runs by number, with 95 % intervals; dotted lines join points of equal Youden's J, the full line the runs that no other beats on both rates.${report.cautions?.some(({ code }) => code === "different-samples") ? " They did not all judge the same samples; the rates on the common ones stand above." : ""} ${points.map(({ number, run_id }) => `${number} ${escapeHtml(run_id)}`).join(", ")}.</figcaption>`;
}
