/** One line of progress on standard error while long work runs, and nothing at all where that is no terminal. */
import type { Io } from "./define";

export interface Progress {
  /** `done` of `total` units; drawn at most ten times a second. */
  update(done: number, total: number): void;
  /** Wipes the line. */
  end(): void;
}

const barWidth = 24;

/** `write` and `now` (milliseconds) are given so that tests need neither a terminal nor a clock. */
export function progressLine(io: Io, label: string, write: (text: string) => void = (text) => process.stderr.write(text), now: () => number = Date.now): Progress {
  let drawn = -Infinity;
  let shown = false;
  return {
    update(done, total) {
      if (!io.isTerminal || (now() - drawn < 100 && done < total)) return;
      drawn = now();
      shown = true;
      const filled = total > 0 ? Math.round((barWidth * done) / total) : 0;
      write(`\r${label} [${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${done}/${total}`.slice(0, Math.max(20, io.columns)));
    },
    end() {
      if (shown) write("\r\x1b[K");
      shown = false;
    },
  };
}
