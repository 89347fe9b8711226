// Holds windows against the second witness of their order, /messages (interface 4.7 rule 3, 4.8).
import { Fault } from '../faults.ts';
import { sha256 } from './canonical.ts';
import type { Identified, Source } from './source.ts';

/** `boundary` asks about the edges of the list and windows whose reads disagreed; `full` about every window. */
export type CrossCheckMode = 'off' | 'boundary' | 'full';

/** Counts rows, as the walk report does; `requests` counts questions. */
export type CrossCheckTally = { asked: number; agreed: number; unavailable: number; requests: number };

const MOST_ASKS = 5;
/** Questions about so few rows are varied upward. */
const SMALL = 8;

export class CrossCheck<Row extends Identified> {
  readonly tally: CrossCheckTally = { asked: 0, agreed: 0, unavailable: 0, requests: 0 };
  readonly #source: Source<Row>;
  readonly #signal: AbortSignal;
  #closed = false;

  constructor(source: Source<Row>, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /**
   * How many of the first `ids` the witness lists directly after `after` (undefined: from the start) as well; all of
   * them where it cannot tell. The witness may drift too, so a disagreement is asked again with another limit. The two
   * hashes name the lists that differ.
   */
  async agreed(
    ids: readonly string[],
    after: Row | undefined,
  ): Promise<{ rows: number; hashes?: [string, string] }> {
    let best = 0;
    let seen: string[] = [];
    for (let ask = 0; ask < MOST_ASKS; ask++) {
      const limit = ids.length > SMALL ? ids.length - ask : ids.length + ask;
      const answer = await this.#ask(after, limit);
      if (answer === undefined) {
        this.tally.unavailable += ids.length;
        return { rows: ids.length };
      }
      const same = commonPrefix(ids, answer);
      if (same > best || ask === 0) [best, seen] = [same, answer];
      // An ask for fewer rows that agrees in full settles them; the rest waits for the next window.
      if (same === Math.min(ids.length, limit)) break;
    }
    this.tally.asked += ids.length;
    this.tally.agreed += best;
    if (best === ids.length) return { rows: best };
    return { rows: best, hashes: [hashOf(ids), hashOf(seen.slice(0, ids.length))] };
  }

  /** The rows that the witness lists after the last one, should there be any; none where it cannot tell. */
  async after(last: Row | undefined): Promise<string[]> {
    return (await this.#ask(last, 2)) ?? [];
  }

  async #ask(after: Row | undefined, limit: number): Promise<string[] | undefined> {
    if (this.#closed || this.#source.witness === undefined) return undefined;
    try {
      this.tally.requests++;
      return await this.#source.witness({ ...(after === undefined ? {} : { after }), limit }, this.#signal);
    } catch (error) {
      // A service without this surface, or that keeps it from us, is not asked again.
      if (!(error instanceof Fault) || !['not_found', 'forbidden'].includes(error.kind)) throw error;
      this.#closed = true;
      return undefined;
    }
  }
}

const hashOf = (ids: readonly string[]) => sha256(ids.map((id) => `${id}\n`).join(''));

function commonPrefix(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((id, index) => id !== b[index]);
  return differs === -1 ? a.length : differs;
}
