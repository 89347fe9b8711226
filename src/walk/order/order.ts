// The order of the rows as far as it is known: a frozen tail, the rows ahead of it, and how a page is merged in.
import { longestRise } from './longest-increasing-subsequence.ts';

/** The start of the list; ids are never empty (contract/conversation.ts). */
export const START = '';

export const NOWHERE = -1;
export const BEHIND = -2;

/**
 * `at` is the index in the order, NOWHERE for a row without a place, BEHIND for one that is frozen and out of sight.
 * `rank` is the position the row shows, if any.
 */
export type Place<Row> = {
  id: string;
  row: Row | undefined;
  rank: number | undefined;
  at: number;
  /** Gone rows (404) are passed over wherever a read shows them. */
  gone: boolean;
};

/** A page of which less than this share rises with the known order gives no row a place. */
const RISING = 0.6;
const FEW = 8;
/** Only a read that reaches so near to the end says that rows belong behind it. */
const NEAR_END = 5;

export class Order<Row> {
  readonly list: Place<Row>[] = [];
  readonly #byId = new Map<string, Place<Row>>();
  /** Places at the head of the list that are settled; the last of them is the frontier. */
  frozen = 0;

  get frontier(): Place<Row> {
    return this.list[this.frozen - 1]!;
  }

  find(id: string): Place<Row> | undefined {
    return this.#byId.get(id);
  }

  /** A place for an id; it stands nowhere yet. */
  intern(id: string): Place<Row> {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const place: Place<Row> = { id, row: undefined, rank: undefined, at: NOWHERE, gone: false };
    this.#byId.set(id, place);
    return place;
  }

  /** Puts places behind the last one. */
  push(...places: Place<Row>[]): void {
    for (const place of places) place.at = this.list.push(place) - 1;
  }

  insert(at: number, places: readonly Place<Row>[]): void {
    this.list.splice(at, 0, ...places);
    this.#number(at);
  }

  remove(place: Place<Row>): void {
    if (place.at < 0) return;
    const at = place.at;
    this.list.splice(at, 1);
    place.at = NOWHERE;
    if (at < this.frozen) this.frozen--;
    this.#number(at);
  }

  move(place: Place<Row>, to: number): void {
    const from = place.at;
    this.list.splice(from, 1);
    this.list.splice(to > from ? to - 1 : to, 0, place);
    this.#number(Math.min(from, to));
  }

  /** The same places in another order. */
  replace(at: number, places: readonly Place<Row>[]): void {
    this.list.splice(at, places.length, ...places);
    this.#number(at);
  }

  /** Forgets the frozen places but the last `keep`. */
  trim(keep: number): void {
    const drop = this.frozen - keep;
    if (drop <= 0) return;
    for (const place of this.list.splice(0, drop)) {
      place.at = BEHIND;
      this.#byId.delete(place.id);
    }
    this.frozen -= drop;
    this.#number(0);
  }

  /** Forgets a row that stands nowhere, unless it is gone for good. */
  drop(place: Place<Row>): void {
    this.remove(place);
    if (place.gone) return;
    this.#byId.delete(place.id);
    place.at = BEHIND;
  }

  /** Rows that were seen and stand nowhere. */
  homeless(): Place<Row>[] {
    return [...this.#byId.values()].filter(({ at, gone }) => at === NOWHERE && !gone);
  }

  /**
   * Merges a page: what rises with the known order stays, unknown rows go in after their predecessor, those before the
   * first known one before it. `appends` says that rows after the last known one belong at the end. Returns the known
   * rows that did not rise, and the unknown rows that got no place: those among frozen ones, and all of a page that is
   * in another order altogether.
   */
  merge(all: readonly Place<Row>[], appends: boolean): { contested: Place<Row>[]; late: Place<Row>[] } {
    const chain = all.filter(({ at, gone }) => at !== BEHIND && !gone);
    const rise = longestRise(chain.map(({ at }) => at));
    const contested: Place<Row>[] = [];
    const late: Place<Row>[] = [];
    const known = chain.filter(({ at }) => at >= 0);
    if (known.length >= FEW && rise.length < RISING * known.length)
      return {
        contested: known.filter(({ at }) => at >= this.frozen),
        late: chain.filter(({ at }) => at < 0),
      };
    let next = 0;
    let anchor: Place<Row> | undefined;
    let run: Place<Row>[] = [];
    const flush = (before: Place<Row> | undefined) => {
      if (run.length === 0) return;
      const last = anchor === undefined ? undefined : anchor.at;
      const at =
        before !== undefined && last === undefined
          ? before.at
          : before === undefined && appends && (last ?? -1) >= this.list.length - NEAR_END
            ? this.list.length
            : (last ?? -1) + 1;
      if (at < this.frozen || (last === undefined && before === undefined)) late.push(...run);
      else this.insert(at, run);
      run = [];
    };
    chain.forEach((place, index) => {
      if (index === rise[next]) {
        next++;
        flush(place);
        anchor = place;
      } else if (place.at >= 0) contested.push(place);
      else run.push(place);
    });
    flush(undefined);
    return { contested: contested.filter(({ at }) => at >= this.frozen), late };
  }

  #number(from: number): void {
    for (let at = from; at < this.list.length; at++) this.list[at]!.at = at;
  }
}
