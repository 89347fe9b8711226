// Signs that answers are stale (of an older state of the list), and that stale answers share one snapshot.
import type { Entry } from '../order/order.ts';
import type { Read, Surface } from './read.ts';

/**
 * What suggests stale answers. An omitted row is one that a read leaves out between two rows it shows. Two stale answers
 * of one snapshot omit the same rows; two of different snapshots rarely do.
 */
export type StaleSigns = {
  /** Reads that look stale ({@link looksStale}). */
  staleReads: number;
  /** Reads with faults of another kind. */
  otherFaultyReads: number;
  /** Pairs of stale reads and a row that both omit. */
  sharedOmissions: number;
  /** Pairs of stale reads and a row that one omits and the other could have shown. */
  sharingChances: number;
  /** Answers of the cross-check source that omit the same rows as a stale read. */
  crossCheckMatches: number;
};

/** Returns signs of nothing. */
export const noStaleSigns = (): StaleSigns => ({
  staleReads: 0,
  otherFaultyReads: 0,
  sharedOmissions: 0,
  sharingChances: 0,
  crossCheckMatches: 0,
});

/** Rows that a read may omit before it looks stale: one may have been dropped by chance. */
const MAX_CHANCE_OMISSIONS = 1;

/** Returns whether a read that omits these rows is taken for a stale answer. */
export const looksStale = (omitted: readonly unknown[]): boolean => omitted.length > MAX_CHANCE_OMISSIONS;

/** Collects the omissions of reads, one read at a time. */
export class StaleAnswers<Row> {
  otherFaultyReads = 0;
  #staleReads = 0;
  /** How many reads omit each row. */
  readonly #omissions = new Map<Entry<Row>, number>();
  /** First and last index that each stale read shows. */
  readonly #spans: [number, number][] = [];
  /** What each stale answer omits. */
  readonly #omittedBy: Record<Surface, (readonly Entry<Row>[])[]> = { list: [], 'cross-check': [] };

  /** Adds a read with the rows it omits. `isFaulty`: it has a fault of another kind. */
  add({ surface, chain }: Read<Row>, omitted: readonly Entry<Row>[], isFaulty: boolean): void {
    if (looksStale(omitted)) this.#omittedBy[surface].push(omitted);
    if (surface === 'cross-check') return;
    for (const entry of omitted) this.#omissions.set(entry, (this.#omissions.get(entry) ?? 0) + 1);
    if (!looksStale(omitted)) {
      if (isFaulty) this.otherFaultyReads++;
      return;
    }
    this.#staleReads++;
    const shown = chain.flatMap(({ index }) => (index >= 0 ? [index] : []));
    this.#spans.push([Math.min(...shown), Math.max(...shown)]);
  }

  get signs(): StaleSigns {
    let [sharedOmissions, sharingChances] = [0, 0];
    for (const [{ index }, reads] of this.#spans.length < 2 ? [] : this.#omissions) {
      const staleReadsAround = this.#spans.filter(([low, high]) => low < index && index < high).length;
      sharingChances += reads * Math.max(0, staleReadsAround - 1);
      sharedOmissions += reads * (reads - 1);
    }
    return {
      staleReads: this.#staleReads,
      otherFaultyReads: this.otherFaultyReads,
      sharedOmissions,
      sharingChances,
      crossCheckMatches: this.#crossCheckMatches,
    };
  }

  get #crossCheckMatches(): number {
    const inBoth = (a: readonly Entry<Row>[], b: readonly Entry<Row>[]) =>
      a.filter((entry) => b.includes(entry));
    return this.#omittedBy['cross-check'].reduce(
      (count, answer) =>
        count + this.#omittedBy.list.filter((read) => looksStale(inBoth(answer, read))).length,
      0,
    );
  }
}
