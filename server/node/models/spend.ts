/** A hard cap on what a run may cost: room is set aside before a request is sent, and given back when its price is known. */

export interface Caps {
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

export interface Amount {
  readonly costUsd: number;
  readonly tokens: number;
}

export class SpendCap {
  private reserved = { costUsd: 0, tokens: 0 };
  private waiting: (() => void)[] = [];
  /** A request was refused: nothing is begun any more. */
  reached = false;

  /** `spent` is what the run has cost before. */
  constructor(private readonly caps: Caps, private spent: Amount = { costUsd: 0, tokens: 0 }) {}

  get soFar(): Amount {
    return this.spent;
  }

  /**
   * Sets `most`, the highest a request can come to, aside. False when there is no room for it and none will come. While
   * others are under way it waits, since they may cost less than was set aside for them.
   */
  async reserve(most: Amount): Promise<boolean> {
    while (!this.reached) {
      if (this.fits(most)) {
        this.reserved = plus(this.reserved, most);
        return true;
      }
      if (this.reserved.tokens <= 0 && this.reserved.costUsd <= 0) break;
      await new Promise<void>((go) => this.waiting.push(go));
    }
    this.reached = true;
    this.wake();
    return false;
  }

  /** Replaces what was set aside by what it came to. */
  settle(most: Amount, real: Amount): void {
    this.reserved = plus(this.reserved, { costUsd: -most.costUsd, tokens: -most.tokens });
    // Sums of fractions need not come back to nothing by themselves.
    if (this.reserved.tokens <= 0) this.reserved = { costUsd: 0, tokens: 0 };
    this.spent = plus(this.spent, real);
    this.wake();
  }

  private fits(most: Amount): boolean {
    const { costUsd = Infinity, tokens = Infinity } = this.caps;
    return this.spent.costUsd + this.reserved.costUsd + most.costUsd <= costUsd && this.spent.tokens + this.reserved.tokens + most.tokens <= tokens;
  }

  private wake(): void {
    const ready = this.waiting;
    this.waiting = [];
    for (const go of ready) go();
  }
}

function plus(a: Amount, b: Amount): Amount {
  return { costUsd: a.costUsd + b.costUsd, tokens: a.tokens + b.tokens };
}
