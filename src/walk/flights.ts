// Reads under way: started without waiting, landed one by one, none left behind when the walk is over.
import type { Planned } from './plan.ts';
import type { Identified, Page, Source } from './source.ts';

export type Landing<Row> = { planned: Planned<Row>; page?: Page<Row>; error?: unknown };

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
    try {
      return { planned, page: await this.#source.page(planned.query, this.#signal) };
    } catch (error) {
      return { planned, error };
    }
  }
}
