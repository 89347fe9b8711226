// A set of ids of the local archive, whose rows are numbered: `msg_1`, `msg_2`. It takes two bytes for an id where most numbers occur.
import { IdSet } from '../../walk/order/id-set.ts';

/** The ids of one list. Any other text is an id too, and takes more memory. */
export class NumberedIds {
  #prefix: string | undefined;
  /** For each 32 numbers one bit for each. */
  readonly #words = new Map<number, number>();
  readonly #others = new IdSet();

  /** Returns whether the id is new. */
  add(id: string): boolean {
    const at = id.lastIndexOf('_') + 1;
    const number = Number(id.slice(at));
    this.#prefix ??= id.slice(0, at);
    const isNumbered = Number.isSafeInteger(number) && number >= 0 && id === `${this.#prefix}${number}`;
    if (!isNumbered) return this.#others.add(id);
    const word = Math.floor(number / 32);
    const bit = 1 << (number % 32);
    const bits = this.#words.get(word) ?? 0;
    if ((bits & bit) !== 0) return false;
    this.#words.set(word, bits | bit);
    return true;
  }
}
