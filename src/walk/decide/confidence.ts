// How sure a walk may be of what it froze, as one number.

/**
 * The sum over all frozen gaps of the chance that every vote for one is wrong, taken as independent: q^votes, with the
 * fault rate q that the walk itself saw. Answers that share one stale state break the assumption; the raised minimum
 * (settle.ts) and the second witness are there for them.
 */
export class Confidence {
  #wrong = 0;

  /** `weight` in nats (settle.ts). */
  add(weight: number): void {
    this.#wrong += Math.exp(-weight);
  }

  /** 0 to 1, with four decimals at most and never rounded up; below 1 as soon as a read was seen to lie. */
  value(reads: number, disagreements: number): number {
    if (reads === 0) return 0;
    const most = disagreements > 0 ? 0.9999 : 1;
    return Math.min(most, Math.floor(Math.max(0, 1 - this.#wrong) * 10_000) / 10_000);
  }
}
