// What is known of each event of a journal, in some thirty bytes an event: its place, its digest, and what was noted of it.
import { hashId } from '../../walk/order/id-set.ts';

/** Words of one event: two of its id, two of its digest. */
const WORDS = 4;

/** Events by the hash of their ids, in the order in which they were added; two ids share one with probability 2^-64. */
export class EventTable {
  #count = 0;
  #words = new Uint32Array(1024 * WORDS);
  #notes = new Uint16Array(1024);
  /** Places by hash, each plus one; 0 where there is none. Never more than half full. */
  #slots = new Uint32Array(2048);

  get size(): number {
    return this.#count;
  }

  /** The place of this id; undefined where it is not known. */
  find(id: string): number | undefined {
    const [high, low] = hashId(id);
    const slot = this.#slots[this.#slotOf(high, low)]!;
    return slot === 0 ? undefined : slot - 1;
  }

  /** The place of this id, the next one where it is new. */
  add(id: string): number {
    const [high, low] = hashId(id);
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1;
    const place = this.#count;
    this.#count += 1;
    this.#words[place * WORDS] = high;
    this.#words[place * WORDS + 1] = low;
    this.#slots[slot] = this.#count;
    if (this.#count === this.#notes.length) this.#grow();
    return place;
  }

  notes(place: number): number {
    return this.#notes[place]!;
  }

  note(place: number, bits: number): void {
    this.#notes[place]! |= bits;
  }

  forget(place: number, bits: number): void {
    this.#notes[place]! &= ~bits;
  }

  hasDigest(place: number, digest: string): boolean {
    const [high, low] = wordsOf(digest);
    return this.#words[place * WORDS + 2] === high && this.#words[place * WORDS + 3] === low;
  }

  setDigest(place: number, digest: string): void {
    this.#words.set(wordsOf(digest), place * WORDS + 2);
  }

  #slotOf(high: number, low: number): number {
    for (let slot = low % this.#slots.length; ; slot = (slot + 1) % this.#slots.length) {
      const at = (this.#slots[slot]! - 1) * WORDS;
      if (at < 0 || (this.#words[at] === high && this.#words[at + 1] === low)) return slot;
    }
  }

  #grow(): void {
    const [words, notes] = [this.#words, this.#notes];
    this.#words = new Uint32Array(2 * words.length);
    this.#words.set(words);
    this.#notes = new Uint16Array(2 * notes.length);
    this.#notes.set(notes);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let place = 0; place < this.#count; place += 1) {
      this.#slots[this.#slotOf(this.#words[place * WORDS]!, this.#words[place * WORDS + 1]!)] = place + 1;
    }
  }
}

/** The first 64 bits of a digest in hex. */
function wordsOf(digest: string): [number, number] {
  return [Number.parseInt(digest.slice(0, 8), 16) >>> 0, Number.parseInt(digest.slice(8, 16), 16) >>> 0];
}
