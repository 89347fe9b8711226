// How sure a walk may be of what it froze, as one number with its assumptions stated.
import type { Votes } from './evidence.ts';

/**
 * Assumptions: a read lies with probability q, reads lie independently of each other, and a lie inside a page of n rows
 * hits each of its pairs equally often, while a lie at a cursor always hits the pair there. Then a pair settled by
 * i votes inside pages and k votes at cursors is wrong with probability at most q^(i+k) / n^i, and the confidence is
 * 1 − the sum over all pairs. q is (disagreements + 1) / (reads + 2), n the mean rows of a page. Answers that share
 * one stale state (collusion) break the assumptions: only a second witness helps against them.
 */
export class Confidence {
  readonly #pairs = new Map<string, { inside: number; cursor: number; pairs: number }>();

  add({ inside, forward, backward }: Votes): void {
    const cursor = forward + backward;
    const key = `${inside}:${cursor}`;
    const entry = this.#pairs.get(key) ?? { inside, cursor, pairs: 0 };
    entry.pairs++;
    this.#pairs.set(key, entry);
  }

  /** 0 to 1, with four decimals at most and never rounded up. */
  value(reads: number, rows: number, disagreements: number): number {
    if (reads === 0) return 0;
    const q = (disagreements + 1) / (reads + 2);
    const perPage = Math.max(1, rows / reads);
    let wrong = 0;
    for (const { inside, cursor, pairs } of this.#pairs.values())
      wrong += pairs * q ** (inside + cursor) * perPage ** -inside;
    return Math.floor(Math.max(0, 1 - wrong) * 10_000) / 10_000;
  }
}
