/** A long list of whole numbers below 2^32 that takes four bytes for each and never copies itself to grow. */

const block = 1 << 13;

export class NumberColumn {
  length = 0;
  private readonly blocks: Uint32Array[] = [];

  push(value: number): void {
    if (this.length % block === 0) this.blocks.push(new Uint32Array(block));
    this.blocks.at(-1)![this.length++ % block] = value;
  }

  /** 0 for one that is not there. */
  at(index: number): number {
    return this.blocks[Math.floor(index / block)]?.[index % block] ?? 0;
  }

  /** Puts another value in the place of one that is there, or of a later one: those between are 0 then. */
  set(index: number, value: number): void {
    while (this.blocks.length * block <= index) this.blocks.push(new Uint32Array(block));
    this.blocks[Math.floor(index / block)]![index % block] = value;
    this.length = Math.max(this.length, index + 1);
  }

  /** Where `value` stands in a list that rises, or -1. */
  indexOf(value: number): number {
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low < this.length && this.at(low) === value ? low : -1;
  }
}
