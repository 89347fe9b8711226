// The reads in flight: started without waiting, taken as they finish, aborted when the walk is over.
import { Fault } from '../faults.ts';
import type { PlannedRead } from './plan/requests.ts';
import type { Identified, Page, Source } from './source.ts';

/** A read with its page, the ids of a cross-check, or its error. */
export type FinishedRead<Row> = { planned: PlannedRead<Row> } & (
  { page: Page<Row> } | { ids: string[] | undefined } | { error: unknown }
);

/** Faults with which a service says that it has no cross-check source, or none for this user. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'usage']);

/** The reads that have no answer yet. */
export class ReadsInFlight<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #pending = new Map<PlannedRead<Row>, Promise<FinishedRead<Row>>>();

  /** `signal` aborts the reads, and so does {@link stop}. */
  constructor(source: Source<Row>, signal: AbortSignal) {
    this.#source = source;
    this.#signal = AbortSignal.any([signal, this.#abort.signal]);
  }

  get reads(): PlannedRead<Row>[] {
    return [...this.#pending.keys()];
  }

  start(planned: PlannedRead<Row>): void {
    this.#pending.set(planned, this.#read(planned));
  }

  /** Returns the next read that finishes. Never rejects. */
  async nextFinished(): Promise<FinishedRead<Row>> {
    const finished = await Promise.race(this.#pending.values());
    this.#pending.delete(finished.planned);
    return finished;
  }

  stop(): void {
    this.#abort.abort();
  }

  async #read(planned: PlannedRead<Row>): Promise<FinishedRead<Row>> {
    const { query, cursor, surface } = planned;
    try {
      if (surface === 'list') return { planned, page: await this.#source.page(query, this.#signal) };
      const after = cursor?.row;
      const question = { ...(after === undefined ? {} : { after }), limit: query.limit };
      return { planned, ids: await this.#source.crossCheck?.(question, this.#signal) };
    } catch (error) {
      const isUnavailable =
        surface === 'cross-check' && error instanceof Fault && UNAVAILABLE.has(error.kind);
      return isUnavailable ? { planned, ids: undefined } : { planned, error };
    }
  }
}
