// The ids of all frozen rows, in order. They are kept as text, since a walk rarely reads frozen rows again.

/** Ids that are packed into one text. */
const BLOCK_IDS = 256;

/** A list of ids that only grows. An id takes about one byte for each of its characters. */
export class IdList {
  readonly #blocks: string[] = [];
  #newest: string[] = [];

  get length(): number {
    return this.#blocks.length * BLOCK_IDS + this.#newest.length;
  }

  add(id: string): void {
    this.#newest.push(id);
    if (this.#newest.length < BLOCK_IDS) return;
    this.#blocks.push(JSON.stringify(this.#newest));
    this.#newest = [];
  }

  /** Returns the ids from number `start` on, without that of `end`. */
  slice(start: number, end: number): string[] {
    const ids: string[] = [];
    for (
      let block = Math.floor(start / BLOCK_IDS);
      block * BLOCK_IDS < end && block <= this.#blocks.length;
      block++
    )
      ids.push(...this.#idsOf(block));
    const skipped = Math.floor(start / BLOCK_IDS) * BLOCK_IDS;
    return ids.slice(start - skipped, end - skipped);
  }

  /** Returns the number of an id, searched for from the end; -1 where it is none of these. */
  lastIndexOf(id: string): number {
    for (let block = this.#blocks.length; block >= 0; block--) {
      const index = this.#idsOf(block).lastIndexOf(id);
      if (index >= 0) return block * BLOCK_IDS + index;
    }
    return -1;
  }

  #idsOf(block: number): string[] {
    return block < this.#blocks.length ? (JSON.parse(this.#blocks[block]!) as string[]) : this.#newest;
  }
}
