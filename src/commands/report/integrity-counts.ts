// Counts rows by the integrity that they state.
import type { IntegrityCounts as Report } from '../../contract/reports/whole-archive.ts';

/** Groups from 0 up to and without 1, all of one size; 1 has a group of its own. */
const GROUPS = 10;

/** Counts of rows by their integrity. */
export class IntegrityCounts {
  readonly #rows = Array<number>(GROUPS + 1).fill(0);
  #notStated = 0;
  #lowest: number | null = null;

  /** Takes the integrity of a row. What is no number from 0 to 1 counts as not stated. */
  add(integrity: unknown): void {
    if (typeof integrity !== 'number' || !(integrity >= 0 && integrity <= 1)) {
      this.#notStated += 1;
      return;
    }
    const group = Math.floor(integrity * GROUPS);
    this.#rows[group] = (this.#rows[group] ?? 0) + 1;
    this.#lowest = Math.min(this.#lowest ?? 1, integrity);
  }

  report(): Report {
    return {
      lowest: this.#lowest,
      not_stated: this.#notStated,
      groups: this.#rows.map((rows, at) => ({ from: at / GROUPS, to: Math.min(1, (at + 1) / GROUPS), rows })),
    };
  }
}
