// The order of the rows as far as it is known: frozen rows that are still kept, the rows after them, and the merging of pages.
import { longestIncreasingSubsequence } from './longest-increasing-subsequence.ts';

/** Id of the entry before the first row. Ids of rows are never empty (contract/conversation.ts). */
export const LIST_START = '';

/** Index of a row that was seen and has no place in the order. */
export const UNPLACED = -1;
/** Index of a row that is frozen and no longer kept. */
export const TRIMMED = -2;

/** A row in the known order, or an id that was named without its row. */
export type Entry<Row> = {
  id: string;
  /** Undefined as long as only the cross-check source or the caller named the id. */
  row: Row | undefined;
  /** The position that most reads show of the row, if any (its `sequence`). */
  position: number | undefined;
  /** Index in the order, {@link UNPLACED} or {@link TRIMMED}. */
  index: number;
  /** The service answered 404 for the id. Such a row is ignored where a read still shows it. */
  gone: boolean;
  /** It is gone, and no read gave it a place that lasted: the reads that show it are stale. */
  isPhantom: boolean;
  /** The service took the id as a cursor, so the row is in the list. */
  exists: boolean;
};

/** Share of the known rows of a page that must be in the known order, else the page places no row. */
const MIN_INCREASING_SHARE = 0.6;
/** Known rows in a page below which this share says nothing. */
const MIN_ROWS_FOR_SHARE = 8;
/** Rows before the end of the order from which on new rows of a page are taken to be appended. */
const MAX_ROWS_FROM_END = 5;

/** What a merge leaves to decide: known rows out of order, and unknown rows that got no place. */
export type Merged<Row> = {
  /** Known rows outside the longest increasing subsequence. */
  contested: Entry<Row>[];
  /** Unknown rows between frozen rows. */
  late: Entry<Row>[];
  /** All unknown rows of a page in another order altogether. */
  unordered: Entry<Row>[];
};

/** The known order. Every entry knows its index. */
export class Order<Row> {
  readonly list: Entry<Row>[] = [];
  readonly #byId = new Map<string, Entry<Row>>();
  /** Number of frozen entries at the head of `list`. */
  frozen = 0;

  /** The last frozen entry. */
  get frontier(): Entry<Row> {
    return this.list[this.frozen - 1]!;
  }

  get(id: string): Entry<Row> | undefined {
    return this.#byId.get(id);
  }

  /** Returns the entry of an id; a new one has no place yet. */
  entryFor(id: string): Entry<Row> {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const entry: Entry<Row> = {
      id,
      row: undefined,
      position: undefined,
      index: UNPLACED,
      gone: false,
      isPhantom: false,
      exists: false,
    };
    this.#byId.set(id, entry);
    return entry;
  }

  push(...entries: Entry<Row>[]): void {
    for (const entry of entries) entry.index = this.list.push(entry) - 1;
  }

  insert(index: number, entries: readonly Entry<Row>[]): void {
    this.list.splice(index, 0, ...entries);
    this.#renumber(index);
  }

  /** Takes an entry out of the order; its id stays known. */
  remove(entry: Entry<Row>): void {
    const { index } = entry;
    if (index < 0) return;
    this.list.splice(index, 1);
    entry.index = UNPLACED;
    if (index < this.frozen) this.frozen--;
    this.#renumber(index);
  }

  move(entry: Entry<Row>, to: number): void {
    const from = entry.index;
    this.list.splice(from, 1);
    this.list.splice(to > from ? to - 1 : to, 0, entry);
    this.#renumber(Math.min(from, to));
  }

  /** Puts the same entries, from `index` on, into another order. */
  reorder(index: number, entries: readonly Entry<Row>[]): void {
    this.list.splice(index, entries.length, ...entries);
    this.#renumber(index);
  }

  /** Forgets all frozen entries but the last `keep`. */
  trim(keep: number): void {
    const count = this.frozen - keep;
    if (count <= 0) return;
    for (const entry of this.list.splice(0, count)) {
      entry.index = TRIMMED;
      this.#byId.delete(entry.id);
    }
    this.frozen -= count;
    this.#renumber(0);
  }

  /** Removes an entry and forgets its id. The id of a row that is gone stays known, or a stale read would add it again. */
  forget(entry: Entry<Row>): void {
    this.remove(entry);
    if (entry.gone) return;
    this.#byId.delete(entry.id);
    entry.index = TRIMMED;
  }

  /** Returns the rows that were seen and have no place. */
  unplaced(): Entry<Row>[] {
    return [...this.#byId.values()].filter(({ index, gone }) => index === UNPLACED && !gone);
  }

  /**
   * Merges the rows of a page. Rows of the longest increasing subsequence stay where they are. Unknown rows are inserted
   * after their predecessor, and those before the first known row before it. `appends`: rows after the last known one
   * belong to the end of the list.
   */
  merge(page: readonly Entry<Row>[], appends: boolean): Merged<Row> {
    const chain = page.filter(({ index, gone }) => index !== TRIMMED && !gone);
    const increasing = longestIncreasingSubsequence(chain.map(({ index }) => index));
    const known = chain.filter(({ index }) => index >= 0);
    if (known.length >= MIN_ROWS_FOR_SHARE && increasing.length < MIN_INCREASING_SHARE * known.length)
      return {
        contested: known.filter(({ index }) => index >= this.frozen),
        late: [],
        unordered: chain.filter(({ index }) => index < 0),
      };
    const contested: Entry<Row>[] = [];
    const late: Entry<Row>[] = [];
    let next = 0;
    let previous: Entry<Row> | undefined;
    let unknown: Entry<Row>[] = [];
    const place = (following: Entry<Row> | undefined) => {
      if (unknown.length === 0) return;
      const index = this.#indexBetween(previous, following, appends);
      if (index === undefined || index < this.frozen) late.push(...unknown);
      else this.insert(index, unknown);
      unknown = [];
    };
    chain.forEach((entry, index) => {
      if (index === increasing[next]) {
        next++;
        place(entry);
        previous = entry;
      } else if (entry.index >= 0) contested.push(entry);
      else unknown.push(entry);
    });
    place(undefined);
    return { contested: contested.filter(({ index }) => index >= this.frozen), late, unordered: [] };
  }

  #indexBetween(
    previous: Entry<Row> | undefined,
    following: Entry<Row> | undefined,
    appends: boolean,
  ): number | undefined {
    if (previous === undefined) return following?.index;
    const isAppended =
      following === undefined && appends && previous.index >= this.list.length - MAX_ROWS_FROM_END;
    return isAppended ? this.list.length : previous.index + 1;
  }

  #renumber(from: number): void {
    for (let index = from; index < this.list.length; index++) this.list[index]!.index = index;
  }
}
