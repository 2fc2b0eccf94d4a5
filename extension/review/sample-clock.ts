/** How long the person has looked at each item of a view, with the window and the editor in focus. */
import { FocusClock } from "#core/labels/blind";

/** Focused time of each item of a view: it stands still while the view has not the focus, and goes on when one comes back. */
export class SampleClock {
  private readonly clock: FocusClock;
  private readonly before = new Map<number, number>();
  private index: number | undefined;

  /** `now` gives milliseconds that never run back. */
  constructor(now: () => number) {
    this.clock = new FocusClock(now);
  }

  /** Another item is drawn. */
  show(index: number): void {
    if (index === this.index) return;
    if (this.index !== undefined) this.before.set(this.index, this.elapsed);
    this.index = index;
    this.clock.restart();
  }

  setFocused(focused: boolean): void {
    this.clock.setFocused(focused);
  }

  /** Milliseconds of the drawn item, earlier visits included. */
  get elapsed(): number {
    return (this.index === undefined ? 0 : (this.before.get(this.index) ?? 0)) + this.clock.elapsed;
  }
}
