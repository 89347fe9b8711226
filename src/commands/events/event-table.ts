// A compact table of the events of a journal: index, digest and flags, in some thirty bytes an event.
import { hashId } from '../../walk/order/id-set.ts';

/** 32-bit words of one event: two of the hash of its id, two of its digest. */
const WORDS_PER_EVENT = 4;

/**
 * Events by the hash of their ids, in the order in which they were added. Two ids have the same hash with probability
 * 2^-64. An event is named by its index in this order.
 */
export class EventTable {
  #count = 0;
  #words = new Uint32Array(1024 * WORDS_PER_EVENT);
  #flags = new Uint16Array(1024);
  /** Hash table of indexes, each plus one; 0 is an empty slot. Never more than half full. */
  #slots = new Uint32Array(2048);

  get size(): number {
    return this.#count;
  }

  /** Returns the index of an id, or undefined. */
  find(id: string): number | undefined {
    const [high, low] = hashId(id);
    const slot = this.#slots[this.#slotOf(high, low)]!;
    return slot === 0 ? undefined : slot - 1;
  }

  /** Returns the index of an id, and adds the id where it is new. */
  add(id: string): number {
    const [high, low] = hashId(id);
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1;
    const index = this.#count;
    this.#count += 1;
    this.#words[index * WORDS_PER_EVENT] = high;
    this.#words[index * WORDS_PER_EVENT + 1] = low;
    this.#slots[slot] = this.#count;
    if (this.#count === this.#flags.length) this.#grow();
    return index;
  }

  /** Returns the flags of an event. */
  flags(index: number): number {
    return this.#flags[index]!;
  }

  addFlags(index: number, bits: number): void {
    this.#flags[index]! |= bits;
  }

  clearFlags(index: number, bits: number): void {
    this.#flags[index]! &= ~bits;
  }

  hasDigest(index: number, digest: string): boolean {
    const [high, low] = wordsOf(digest);
    return (
      this.#words[index * WORDS_PER_EVENT + 2] === high && this.#words[index * WORDS_PER_EVENT + 3] === low
    );
  }

  setDigest(index: number, digest: string): void {
    this.#words.set(wordsOf(digest), index * WORDS_PER_EVENT + 2);
  }

  #slotOf(high: number, low: number): number {
    for (let slot = low % this.#slots.length; ; slot = (slot + 1) % this.#slots.length) {
      const at = (this.#slots[slot]! - 1) * WORDS_PER_EVENT;
      if (at < 0 || (this.#words[at] === high && this.#words[at + 1] === low)) return slot;
    }
  }

  #grow(): void {
    const [words, flags] = [this.#words, this.#flags];
    this.#words = new Uint32Array(2 * words.length);
    this.#words.set(words);
    this.#flags = new Uint16Array(2 * flags.length);
    this.#flags.set(flags);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let index = 0; index < this.#count; index += 1) {
      this.#slots[
        this.#slotOf(this.#words[index * WORDS_PER_EVENT]!, this.#words[index * WORDS_PER_EVENT + 1]!)
      ] = index + 1;
    }
  }
}

/** Returns the first 64 bits of a digest in hexadecimal. */
function wordsOf(digest: string): [number, number] {
  return [Number.parseInt(digest.slice(0, 8), 16) >>> 0, Number.parseInt(digest.slice(8, 16), 16) >>> 0];
}
