// Signs that answers are stale, and that stale answers share one state.
import type { Place } from '../order/order.ts';
import type { Read, Surface } from './read.ts';

/**
 * `stale` counts tainted reads, `others` those with faults of another kind. Of the rows that one of them passed over,
 * `chances` counts how often another tainted read might have shown them, `shared` how often it passed over the same
 * row: rarely, unless both share one state. `accomplices` counts answers of the witness that share theirs with a read.
 */
export type Suspicion = {
  stale: number;
  others: number;
  shared: number;
  chances: number;
  accomplices: number;
};
export const noSuspicion = (): Suspicion => ({ stale: 0, others: 0, shared: 0, chances: 0, accomplices: 0 });

/** Rows that a page passes over when one was dropped by chance; more look like a stale answer. */
const BY_CHANCE = 1;

/** Whether an answer that passed over these rows is taken for a stale one. */
export const isTainted = (passed: readonly unknown[]): boolean => passed.length > BY_CHANCE;

export class StaleAnswers<Row> {
  stale = 0;
  others = 0;
  /** How often pages passed over a row, over which rows tainted ones reach, and what each tainted answer passed over. */
  readonly #passed = new Map<Place<Row>, number>();
  readonly #spans: [number, number][] = [];
  readonly #lacks: Record<Surface, (readonly Place<Row>[])[]> = { list: [], witness: [] };

  /** `passed` are the rows that the answer passed over, `faulty` says that it lies in another way. */
  add({ surface, chain }: Read<Row>, passed: readonly Place<Row>[], faulty: boolean): void {
    if (isTainted(passed)) this.#lacks[surface].push(passed);
    if (surface === 'witness') return;
    for (const place of passed) this.#passed.set(place, (this.#passed.get(place) ?? 0) + 1);
    if (!isTainted(passed)) {
      if (faulty) this.others++;
      return;
    }
    this.stale++;
    const shown = chain.flatMap(({ at }) => (at >= 0 ? [at] : []));
    this.#spans.push([Math.min(...shown), Math.max(...shown)]);
  }

  get suspicion(): Suspicion {
    const { stale, others } = this;
    let [shared, chances] = [0, 0];
    for (const [{ at }, count] of this.#spans.length < 2 ? [] : this.#passed) {
      const over = this.#spans.filter(([low, high]) => low < at && at < high).length;
      chances += count * Math.max(0, over - 1);
      shared += count * (count - 1);
    }
    return { stale, others, shared, chances, accomplices: this.#accomplices };
  }

  get #accomplices(): number {
    const common = (a: readonly Place<Row>[], b: readonly Place<Row>[]) =>
      a.filter((place) => b.includes(place));
    return this.#lacks.witness.reduce(
      (count, told) => count + this.#lacks.list.filter((read) => isTainted(common(told, read))).length,
      0,
    );
  }
}
