// A line that fails: which requests for a list meet which fault, by seed and number, and how long every answer takes.
import { oneOf, randomFrom } from './seeded-random.ts';
import { createCounter, type Counter } from '../rules/counter.ts';

/**
 * `429` with a Retry-After of one second, `503`, a connection that is `reset` without an answer, a body that is `cut`
 * in the middle, one that is `slow`.
 */
export const LINE_FAULTS = ['429', '503', 'reset', 'cut', 'slow'] as const;
export type LineFault = (typeof LINE_FAULTS)[number];

export type LineOptions = {
  seed: number;
  /** Share of requests for a list that fail, 0 to 1, and the kinds drawn from, each equally often. */
  share: number;
  kinds: readonly LineFault[];
  /** Milliseconds added to every answer. */
  latency: number;
  /** Resolves after so many milliseconds. */
  sleep(ms: number): Promise<void>;
};

export type LineEntry = { type: 'transport'; request: number; list: string; fault: LineFault };

export type Line = {
  /** What the next request for a list meets. Counts it before it returns. */
  next(list: string, peer: string): Promise<LineFault | undefined>;
};

/** Thrown where no answer is to be given, or none to its end: who holds the socket resets it. */
export class LineCut extends Error {}

/** `log` is awaited before the fault shows; `requests` counts the requests for lists. */
export function createLine(
  { seed, share, kinds }: LineOptions,
  log?: (entry: LineEntry) => Promise<void>,
  requests: Counter = createCounter(),
): Line {
  return {
    async next(list, peer) {
      const request = await requests.next();
      const random = randomFrom(`${seed}/line/${request}`);
      const drawn = random() < share ? oneOf(random, kinds) : undefined;
      if (drawn === undefined) return undefined;
      // In this process there is no socket to reset or to cut.
      const fault = peer === 'local' && (drawn === 'reset' || drawn === 'cut') ? '503' : drawn;
      await log?.({ type: 'transport', request, list, fault });
      return fault;
    },
  };
}
