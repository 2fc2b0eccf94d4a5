/** One line of progress on standard error while long work runs, and nothing at all where that is no terminal. */
import type { Io } from "./define";

export interface Progress {
  /** `done` of `total` units, with a few words behind; drawn at most ten times a second. */
  update(done: number, total: number, words?: string): void;
  /** Wipes the line. */
  end(): void;
}

const barWidth = 24;

/** `write` and `now` (milliseconds) are given so that tests need neither a terminal nor a clock. */
export function progressLine(io: Io, label: string, write: (text: string) => void = (text) => process.stderr.write(text), now: () => number = Date.now): Progress {
  let drawn = -Infinity;
  let shown = false;
  return {
    update(done, total, words = "") {
      if (!io.isTerminal || (now() - drawn < 100 && done < total)) return;
      drawn = now();
      shown = true;
      const filled = total > 0 ? Math.round((barWidth * done) / total) : 0;
      write(`\r${label} [${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${done}/${total}${words === "" ? "" : `  ${words}`}`.slice(0, Math.max(20, io.columns - 1)) + (words === "" ? "" : "\x1b[K"));
    },
    end() {
      if (shown) write("\r\x1b[K");
      shown = false;
    },
  };
}

/** How fast it goes and how long it will take: `12.3/s, 2 min left`. `since` is what was done in `ms` milliseconds. */
export function paceWords(since: number, ms: number, left: number): string {
  if (since <= 0 || ms <= 0) return "";
  const perSecond = (since * 1000) / ms;
  const rate = perSecond >= 10 ? `${perSecond.toFixed(0)}/s` : perSecond >= 0.1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
  return left <= 0 ? rate : `${rate}, ${spanWords(left / perSecond)} left`;
}

function spanWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
