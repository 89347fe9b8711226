// Counts rows by a value that they have, with bounded memory for values of any number and length.

/** What is added up for one value. */
export type Sums = { rows: number; available: number; withheld: number; absent: number; bytes: number };

/** Values of a report; the others are counted together. */
const MAX_SHOWN_VALUES = 25;
/** Different values that are told apart while the rows are read. */
const MAX_VALUES = 10_000;
const MAX_VALUE_LENGTH = 200;

/** Counts of rows by a value. */
export class ValueCounts {
  readonly #sums = new Map<string | null, Sums>();
  #rest = 0;

  /** Returns the sums of a value, undefined for a value beyond the most that are told apart. Adds one row. */
  add(value: string | null | undefined): Sums | undefined {
    const key = value === undefined || value === null ? null : shortened(value);
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      if (this.#sums.size >= MAX_VALUES) {
        this.#rest += 1;
        return undefined;
      }
      sums = { rows: 0, available: 0, withheld: 0, absent: 0, bytes: 0 };
      this.#sums.set(key, sums);
    }
    sums.rows += 1;
    return sums;
  }

  /** Returns the most frequent values, rows without a value last, and what is left. Rows without a value are always among them. */
  most<Shown>(shown: (value: string | null, sums: Sums) => Shown): {
    values: Shown[];
    others: { values: number | null; rows: number };
  } {
    const sorted = [...this.#sums].toSorted(byFrequency);
    const none = sorted.at(-1)?.[0] === null ? sorted.splice(-1) : [];
    const rest = sorted.splice(MAX_SHOWN_VALUES - none.length);
    return {
      values: [...sorted, ...none].map(([value, sums]) => shown(value, sums)),
      others: {
        values: this.#rest > 0 ? null : rest.length,
        rows: rest.reduce((sum, [, { rows }]) => sum + rows, this.#rest),
      },
    };
  }
}

function byFrequency(
  [a, { rows: rowsA }]: [string | null, Sums],
  [b, { rows: rowsB }]: [string | null, Sums],
): number {
  if ((a === null) !== (b === null)) return a === null ? 1 : -1;
  return rowsB - rowsA || ((a ?? '') < (b ?? '') ? -1 : 1);
}

/** Cuts a long value between two characters, never inside of one. */
function shortened(value: string): string {
  if (value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
