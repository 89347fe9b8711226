// Recognizes withheld rows that have no id of their own, and counts them: several may share one word in its place.
import { isWithheld } from '../../contract/withheld.ts';
import type { JsonRecord } from './json-path.ts';

/** Words that services write in place of an id that the reader may not know, also in brackets: `[redacted]`. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  'withheld redacted hidden removed deleted masked censored none null undefined unknown'.split(' '),
);

/**
 * Returns whether a row has no id of its own: it says that it is withheld and has none or a placeholder, or another row of the page has
 * the same placeholder. `countsOf` returns how many rows of the page have each id.
 */
export function isUnnamed(
  fields: JsonRecord,
  id: string | undefined,
  countsOf: () => ReadonlyMap<string, number>,
): boolean {
  // Most ids have a number, and no placeholder has.
  if (id !== undefined && /\d/.test(id)) return false;
  // An id of punctuation alone, as of stars, is none.
  const words = (id ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  if (words !== '' && !PLACEHOLDERS.has(words)) return false;
  return isWithheld(fields) || (id !== undefined && (countsOf().get(id) ?? 0) > 1);
}

/** Counts the unnamed rows of a list. They are told apart by the row before them alone, since pages overlap. */
export class UnnamedRows {
  readonly #after = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /**
   * Takes a page: the id of each row, undefined for an unnamed one. `before` is the id before the first row, empty at the start of the list;
   * undefined where it is not known.
   */
  add(ids: readonly (string | undefined)[], before: string | undefined): void {
    let last = before;
    let count = 0;
    const end = (): void => {
      if (last === undefined || count === 0) return;
      const known = this.#after.get(last) ?? 0;
      if (count <= known) return;
      this.#after.set(last, count);
      this.#total += count - known;
    };
    for (const id of ids) {
      if (id === undefined) count += 1;
      else {
        end();
        last = id;
        count = 0;
      }
    }
    end();
  }
}
