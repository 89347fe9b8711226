// The second witness of a walk, /messages: where it is wanted, what it was asked, what it left unsaid (interface 4.7 rule 3, 4.8).
import { Fault } from '../../faults.ts';
import { sha256 } from '../../contract/canonical-json.ts';
import type { Gap } from '../evidence/count.ts';
import { START, type Place } from '../order/order.ts';
import type { Bar } from '../decide/adjacency.ts';

/**
 * `boundary` asks about the edges of the list and rows whose reads disagreed, unless their positions vouch for them;
 * `full` about every row.
 */
export type CrossCheckMode = 'off' | 'boundary' | 'full';

/** Questions about one gap before the witness is taken to disagree. */
const MOST_ASKS = 5;
/** Questions without an answer, one after the other, before the witness is taken to be none. */
const MOST_SILENCES = 3;
/** Answers that name a row which the list does not have (404) before they count as a disagreement. */
const MOST_DENIALS = 2;
/** Rows passed over so often are asked about. */
const OFTEN = 2;

export class Testimony<Row> {
  /** Counts rows, as the walk report does. */
  readonly tally = { asked: 0, agreed: 0, unavailable: 0 };
  readonly mode: CrossCheckMode;
  #isThere: boolean;
  #silences = 0;
  readonly #mute = new WeakSet<Place<Row>>();
  readonly #asked = new WeakMap<Place<Row>, number>();
  readonly #denied = new Map<string, number>();
  #last: string[] = [];

  constructor(mode: CrossCheckMode, isThere: boolean) {
    this.mode = mode;
    this.#isThere = isThere && mode !== 'off';
  }

  get isThere(): boolean {
    return this.#isThere;
  }

  /** Whether the row behind the gap is given out only when the witness lists it there too. */
  isWanted({ dense, reversed, omitted }: Gap, left: Place<Row>, bar: Bar): boolean {
    if (this.mode !== 'boundary') return this.mode === 'full';
    if (dense) return false;
    return bar.prevailing || left.id === START || reversed > 0 || omitted >= OFTEN;
  }

  /** Votes of the witness that a gap should have; where answers may share one state its word is worth more than theirs. */
  wished(gap: Gap, left: Place<Row>, bar: Bar): number {
    if (!this.#isThere) return 0;
    return bar.alike > 0 ? 2 : this.isWanted(gap, left, bar) ? 1 : 0;
  }

  /** Whether the witness may be asked with this row as its cursor. */
  canAskWith(place: Place<Row>): boolean {
    return place.id === START || (place.row !== undefined && !place.gone && !this.#mute.has(place));
  }

  /** Whether it is worth asking once more about what stands behind a place; counts as asked where it is. */
  asksAgain(place: Place<Row>): boolean {
    const asked = this.#asked.get(place) ?? 0;
    this.#asked.set(place, asked + 1);
    return asked < MOST_ASKS;
  }

  /** Keeps what it listed; undefined: it could not tell with this cursor. */
  hear(cursor: Place<Row> | undefined, ids: readonly string[] | undefined): void {
    if (ids !== undefined) {
      this.#silences = 0;
      this.#last = [...ids];
      return;
    }
    if (cursor !== undefined) this.#mute.add(cursor);
    if (++this.#silences >= MOST_SILENCES || cursor === undefined) this.#isThere = false;
  }

  /** The witness names a row that the list does not have. Throws Fault `unstable` where it keeps saying so. */
  deny(id: string): void {
    const times = (this.#denied.get(id) ?? 0) + 1;
    this.#denied.set(id, times);
    if (times >= MOST_DENIALS)
      throw new Fault('unstable', `messages list ${id}, which the list does not have`);
  }

  /** Counts a row that is given out. */
  count(gap: Gap, left: Place<Row>, bar: Bar): void {
    if (!this.isWanted(gap, left, bar) && gap.told === 0) return;
    this.tally[this.#isThere || gap.told > 0 ? 'asked' : 'unavailable']++;
    if (gap.told > 0) this.tally.agreed++;
  }

  /** What is to be said where the witness would not list what the reads agree on. */
  disagreement(where: string, ids: readonly string[]): Fault {
    const rows = Math.min(ids.length, this.#last.length) || Math.max(ids.length, this.#last.length);
    const hashOf = (list: readonly string[]) =>
      sha256(
        list
          .slice(0, rows)
          .map((id) => `${id}\n`)
          .join(''),
      );
    return new Fault(
      'unstable',
      `messages disagree about the window after ${where}: ids ${hashOf(ids)}, messages ${hashOf(this.#last)}`,
    );
  }
}
