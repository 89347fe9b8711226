// How fast something goes on: an average that forgets, so that it decays when nothing comes.

/** Time in which the past loses about two thirds of its weight. */
const MEMORY_MS = 5000;

/** A rate. */
export type Rate = {
  /** Adds what was done since the last call. */
  add(amount: number): void;
  /** Returns the amount per second. */
  perSecond(): number;
};

/** Returns a rate of nothing yet. `monotonic` is a clock in milliseconds. */
export function createRate(monotonic: () => number): Rate {
  const begun = monotonic();
  let average = 0;
  let pending = 0;
  let at = begun;
  return {
    add: (amount) => void (pending += amount),
    perSecond() {
      const now = monotonic();
      const elapsed = now - at;
      if (elapsed > 0) {
        const share = 1 - Math.exp(-elapsed / MEMORY_MS);
        average += share * ((pending / elapsed) * 1000 - average);
        [pending, at] = [0, now];
      }
      // The average begins at 0, which is no measurement.
      const measured = 1 - Math.exp(-(now - begun) / MEMORY_MS);
      return measured > 0 ? average / measured : 0;
    },
  };
}
