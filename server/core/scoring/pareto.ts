/** The monitors that no other beats on both rates. */

export interface OperatingPoint {
  readonly run_id: string;
  readonly miss_rate: number | null;
  readonly false_alarm_rate: number | null;
}

/**
 * Run ids on the Pareto front of the plane of miss rate and false alarm rate, both better when lower, by rising miss rate.
 * A run is dominated when another is no worse on both and better on one; equal points both stay. Runs without both rates are left out.
 */
export function paretoFront(points: readonly OperatingPoint[]): string[] {
  const known = points.flatMap(({ run_id, miss_rate, false_alarm_rate }) =>
    miss_rate === null || false_alarm_rate === null ? [] : [{ run_id, miss: miss_rate, alarm: false_alarm_rate }],
  );
  return known
    .filter((a) => !known.some((b) => b.miss <= a.miss && b.alarm <= a.alarm && (b.miss < a.miss || b.alarm < a.alarm)))
    .sort((a, b) => a.miss - b.miss || a.alarm - b.alarm || (a.run_id < b.run_id ? -1 : 1))
    .map((point) => point.run_id);
}
