/** Steps read from the host by range as they come into view, a few ranges at a time, dropped again when they weigh too much. */
import type { Step } from "#core/trajectory/model";
import type { WirePart, WireStep } from "#protocol/lsp";

const chunk = 40;
/** UTF-16 units of a long part that are asked for at once: one answer should not hold the page up. */
const pieceLength = 2_000_000;
/** UTF-16 units of all loaded parts together; beyond it the steps furthest from the reader go. */
const budget = 48_000_000;
const keptChanges = 20_000;
/** What is left when steps go, as a share of the budget: they go many at a time. */
const trimmed = 0.9;

export class StepCache {
  private readonly steps = new Map<number, Step>();
  private readonly weights = new Map<number, number>();
  private readonly loading = new Map<number, Promise<void>>();
  /** Steps that stand for what was read of the file before it changed. */
  private readonly stale = new Set<number>();
  /** Steps that came, changed or went, oldest first; what is said of the first `forgotten` changes is gone. */
  private changes: number[] = [];
  private forgotten = 0;
  private weight = 0;
  private dropped = false;

  constructor(
    readonly count: number,
    private readonly read: (from: number, to: number) => Promise<{ steps: Step[] }>,
    private readonly onLoaded: (steps: readonly Step[], error?: string) => void,
    private readonly readPart: (step: number, part: number, from: number, to: number) => Promise<{ text: string }> = async () => ({ text: "" }),
  ) {}

  /** Takes over the steps of a shorter reading of the same file, to be drawn until they have been read again. */
  takeOver(before: StepCache): void {
    for (const [index, step] of before.steps) {
      if (index >= this.count) continue;
      this.add(step);
      this.stale.add(index);
    }
  }

  get(index: number): Step | undefined {
    return this.steps.get(index);
  }

  /** Goes up with every change of a step. */
  get changeCount(): number {
    return this.forgotten + this.changes.length;
  }

  /** Steps that changed since `changeCount` was that; undefined where that is too long ago. */
  changedSince(count: number): readonly number[] | undefined {
    return count < this.forgotten ? undefined : this.changes.slice(count - this.forgotten);
  }

  private note(index: number): void {
    this.changes.push(index);
    if (this.changes.length <= keptChanges) return;
    this.forgotten += this.changes.length;
    this.changes = [];
  }

  /** Stops telling anyone; answers still on their way are ignored. */
  dispose(): void {
    this.dropped = true;
  }

  /** Reads what is missing of steps `from` to `to` (end exclusive); resolves when they are there or could not be read. */
  async want(from: number, to: number): Promise<void> {
    const first = Math.max(0, Math.floor(from / chunk));
    const last = Math.floor((Math.min(to, this.count) - 1) / chunk);
    const waits: Promise<void>[] = [];
    for (let n = first; n <= last; n++) {
      if (this.isWhole(n)) continue;
      let promise = this.loading.get(n);
      if (!promise) {
        promise = this.load(n).finally(() => this.loading.delete(n));
        this.loading.set(n, promise);
      }
      waits.push(promise);
    }
    await Promise.all(waits);
  }

  /** Reads the rest of a part that came cut, piece by piece; resolves when it is there or could not be read. */
  async wholePart(index: number, at: number): Promise<void> {
    const key = -1 - (index * 1000 + at);
    let promise = this.loading.get(key);
    if (!promise) {
      promise = this.loadPart(index, at).finally(() => this.loading.delete(key));
      this.loading.set(key, promise);
    }
    await promise;
  }

  private async loadPart(index: number, at: number): Promise<void> {
    const part = this.steps.get(index)?.parts[at] as WirePart | undefined;
    if (!part?.cut) return;
    const { cut, ...rest } = part;
    const pieces = [part.text];
    try {
      for (let from = part.text.length; from < cut.length; ) {
        const { text } = await this.readPart(index, at, from, Math.min(cut.length, from + pieceLength));
        if (this.dropped) return;
        if (text === "") throw new Error("The rest of the text could not be read.");
        pieces.push(text);
        from += text.length;
      }
    } catch (error) {
      if (!this.dropped) this.onLoaded([], error instanceof Error ? error.message : String(error));
      return;
    }
    const step = this.steps.get(index);
    if (!step) return;
    const whole: WireStep = { ...step, parts: step.parts.map((old, n) => (n === at ? { ...rest, text: pieces.join("") } : old)) };
    this.add(whole);
    this.trim(index);
    this.onLoaded([whole]);
  }

  private isWhole(n: number): boolean {
    for (let i = n * chunk; i < Math.min(this.count, (n + 1) * chunk); i++) if (!this.steps.has(i) || this.stale.has(i)) return false;
    return true;
  }

  private async load(n: number): Promise<void> {
    const end = Math.min(this.count, (n + 1) * chunk);
    try {
      // A window of very long steps is answered in pieces.
      for (let from = n * chunk; from < end; ) {
        const { steps } = await this.read(from, end);
        if (this.dropped) return;
        for (const step of steps) this.add(step);
        this.trim(n * chunk);
        this.onLoaded(steps);
        if (steps.length === 0) return;
        from += steps.length;
      }
    } catch (error) {
      if (!this.dropped) this.onLoaded([], error instanceof Error ? error.message : String(error));
    }
  }

  private add(step: Step): void {
    const isAgain = this.stale.delete(step.index);
    // What has not changed stays the same object, and with it the rows on the page.
    if (isAgain && JSON.stringify(this.steps.get(step.index)) === JSON.stringify(step)) return;
    const weight = step.parts.reduce((sum, part) => sum + part.text.length, 0);
    this.weight += weight - (this.weights.get(step.index) ?? 0);
    this.weights.set(step.index, weight);
    this.steps.set(step.index, step);
    this.note(step.index);
  }

  private trim(near: number): void {
    if (this.weight <= budget) return;
    const chunks = [...new Set([...this.steps.keys()].map((index) => Math.floor(index / chunk)))];
    const distance = (n: number) => Math.abs(n - Math.floor(near / chunk));
    for (const n of chunks.sort((a, b) => distance(b) - distance(a))) {
      // The chunk that was just read always stays, however heavy it is.
      if (this.weight <= budget * trimmed || distance(n) < 2) return;
      for (let index = n * chunk; index < (n + 1) * chunk; index++) {
        if (!this.steps.has(index)) continue;
        this.note(index);
        this.weight -= this.weights.get(index) ?? 0;
        this.weights.delete(index);
        this.steps.delete(index);
        this.stale.delete(index);
      }
    }
  }
}
