// Decides by seed which requests for a list meet a transport fault.
import type { TransportFault } from '../../contract/injected-faults.ts';
import { createCounter, type Counter } from '../rules/counter.ts';
import { randomElement, seededRandom, type Random } from './seeded-random.ts';

/** Which requests for a list fail and how, and the latency of every response. */
export type TransportFaultOptions = {
  seed: number;
  /** Share of requests for a list that fail, 0 to 1. */
  share: number;
  /** The faults to draw from, each with equal probability. */
  kinds: readonly TransportFault[];
  /** Milliseconds that are added to every response. */
  latency: number;
  /** Resolves after this many milliseconds. */
  sleep(ms: number): Promise<void>;
};

/** One failed request in the drift log. `request` is its number among the requests for lists, from 1. */
export type TransportFaultEntry = { type: 'transport'; request: number; list: string; fault: TransportFault };

/** The transport fault of one request, and the random numbers that decide its details. */
export type DrawnTransportFault = { fault: TransportFault; random: Random };

/** Draws the transport faults of a service. */
export type TransportFaults = {
  /** Returns the fault of the next request for a list. Counts the request before it returns. */
  next(list: string, peer: string): Promise<DrawnTransportFault | undefined>;
};

/** Returns the faults of these options. `log` is awaited before a fault shows; `requests` counts requests for lists. */
export function createTransportFaults(
  { seed, share, kinds }: TransportFaultOptions,
  log?: (entry: TransportFaultEntry) => Promise<void>,
  requests: Counter = createCounter(),
): TransportFaults {
  return {
    async next(list, peer) {
      const request = await requests.next();
      // The text is part of what a seed means: another one would give other faults for the same seed.
      const random = seededRandom(`${seed}/line/${request}`);
      const drawn = random() < share ? randomElement(random, kinds) : undefined;
      if (drawn === undefined) return undefined;
      // An in-process request has no connection that could be reset.
      const fault = peer === 'local' && (drawn === 'reset' || drawn === 'cut') ? '503' : drawn;
      await log?.({ type: 'transport', request, list, fault });
      return { fault, random };
    },
  };
}
