/** Micro and macro averages, named: over all samples at once, or over slices that count alike however many samples they hold. */
import type { Metrics } from "./report";

export interface Averages {
  readonly miss_rate: number | null;
  readonly false_alarm_rate: number | null;
  readonly balanced_accuracy: number | null;
  readonly youden_j: number | null;
}

export interface MacroAverages extends Averages {
  /** Slices in the mean of each, and those left out because the number is undefined in them. */
  readonly slices: { readonly [key in keyof Averages]: number };
  readonly undefined_in: { readonly [key in keyof Averages]?: readonly string[] };
}

/** Over all samples together: what the run's own numbers are. */
export function microAverages({ miss_rate, false_alarm_rate, balanced_accuracy, youden_j }: Metrics): Averages {
  return { miss_rate: miss_rate.value, false_alarm_rate: false_alarm_rate.value, balanced_accuracy, youden_j };
}

/** The plain mean over slices of each number, where it is defined. */
export function macroAverages(slices: Readonly<Record<string, Metrics>>): MacroAverages {
  const parts = Object.entries(slices).map(([name, metrics]) => ({ name, numbers: microAverages(metrics) }));
  const mean = (key: keyof Averages): { value: number | null; slices: number; without: string[] } => {
    const known = parts.flatMap(({ numbers }) => numbers[key] ?? []);
    const without = parts.filter(({ numbers }) => numbers[key] === null).map(({ name }) => name);
    return { value: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length, slices: known.length, without };
  };
  const found = (["miss_rate", "false_alarm_rate", "balanced_accuracy", "youden_j"] as const).map((key) => [key, mean(key)] as const);
  return {
    ...(Object.fromEntries(found.map(([key, { value }]) => [key, value])) as unknown as Averages),
    slices: Object.fromEntries(found.map(([key, { slices: count }]) => [key, count])) as unknown as MacroAverages["slices"],
    undefined_in: Object.fromEntries(found.filter(([, { without }]) => without.length > 0).map(([key, { without }]) => [key, without])),
  };
}
