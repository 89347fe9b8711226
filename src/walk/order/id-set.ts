// A set of ids in 16 to 32 bytes an id: all that a walk keeps of the rows that it froze and no longer holds.

/** Open addressing over two 32-bit hashes. Two different ids are taken for the same with probability 2^-64. */
export class IdSet {
  #slots = new Uint32Array(2 * 1024);
  #count = 0;

  /** Returns whether the id is new. */
  add(id: string): boolean {
    if (4 * this.#count >= this.#slots.length) this.#grow();
    const [high, low] = hashId(id);
    const isNew = this.#insert(high, low);
    if (isNew) this.#count++;
    return isNew;
  }

  has(id: string): boolean {
    const [high, low] = hashId(id);
    for (let at = this.#firstSlot(low); ; at = (at + 2) % this.#slots.length) {
      if (this.#slots[at] === 0 && this.#slots[at + 1] === 0) return false;
      if (this.#slots[at] === high && this.#slots[at + 1] === low) return true;
    }
  }

  #firstSlot(low: number): number {
    return 2 * (low % (this.#slots.length / 2));
  }

  #insert(high: number, low: number): boolean {
    for (let at = this.#firstSlot(low); ; at = (at + 2) % this.#slots.length) {
      if (this.#slots[at] === high && this.#slots[at + 1] === low) return false;
      if (this.#slots[at] !== 0 || this.#slots[at + 1] !== 0) continue;
      this.#slots[at] = high;
      this.#slots[at + 1] = low;
      return true;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2)
      if (old[at] !== 0 || old[at + 1] !== 0) this.#insert(old[at]!, old[at + 1]!);
  }
}

/** Returns two multiplicative hashes with different constants. The first is never 0, which marks an empty slot. */
export function hashId(id: string): [number, number] {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul((low << 5) ^ (low >>> 7) ^ unit, 0x5bd1e995);
  }
  return [(high ^ (high >>> 15)) >>> 0 || 1, (low ^ (low >>> 13)) >>> 0];
}
