// Reads under way: started without waiting, landed one by one, none left behind when the walk is over.
import { Fault } from '../faults.ts';
import type { Planned } from './plan/requests.ts';
import type { Identified, Page, Source } from './source.ts';

export type Landing<Row> = { planned: Planned<Row> } & (
  { page: Page<Row> } | { ids: string[] | undefined } | { error: unknown }
);

/** What a witness that is not there, or is kept from us, answers. */
const SILENCE: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'usage']);

export class Flights<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #airborne = new Map<Planned<Row>, Promise<Landing<Row>>>();

  /** `signal` ends the reads, and so does {@link stop}. */
  constructor(source: Source<Row>, signal: AbortSignal) {
    this.#source = source;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  get planned(): Planned<Row>[] {
    return [...this.#airborne.keys()];
  }

  start(planned: Planned<Row>): void {
    this.#airborne.set(planned, this.#fly(planned));
  }

  /** The first read to come back; never rejects. */
  async land(): Promise<Landing<Row>> {
    const landing = await Promise.race(this.#airborne.values());
    this.#airborne.delete(landing.planned);
    return landing;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #fly(planned: Planned<Row>): Promise<Landing<Row>> {
    const { query, cursor, surface } = planned;
    try {
      if (surface === 'list') return { planned, page: await this.#source.page(query, this.#signal) };
      const after = cursor?.row;
      const question = { ...(after === undefined ? {} : { after }), limit: query.limit };
      return { planned, ids: await this.#source.witness?.(question, this.#signal) };
    } catch (error) {
      const isSilent = surface === 'witness' && error instanceof Fault && SILENCE.has(error.kind);
      return isSilent ? { planned, ids: undefined } : { planned, error };
    }
  }
}
