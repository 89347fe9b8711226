// Who may have how many connections: a bound for all, a bound for each address, and for each client of a proxy its requests.
import type { Socket } from 'node:net';
import { isLoopback } from '../../contract/loopback.ts';
import { Refusal } from '../rules/api-error.ts';
import type { PortWatch } from './port-observer.ts';
import { plainAddress, type Proxies } from './peer.ts';

export type ConnectionLimits = {
  /** Connections of one address, which loopback and trusted proxies may exceed: they stand for many. */
  mostOfAddress: number;
};

export type Gatekeeper = {
  /** False where the connection is one too many, which it then no longer is. */
  admits(socket: Socket): boolean;
  /** Counts a request that came through a proxy until it is released; throws `rate_limited` where it is one too many. */
  holds(peer: string, connection: string | undefined): () => void;
};

export function createGatekeeper(
  { mostOfAddress }: ConnectionLimits,
  proxies: Proxies,
  watch: PortWatch,
): Gatekeeper {
  const counts = new Map<string, number>();
  const take = (key: string): (() => void) | undefined => {
    const count = counts.get(key) ?? 0;
    if (count >= mostOfAddress) return undefined;
    counts.set(key, count + 1);
    return () => {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    };
  };
  return {
    admits(socket) {
      const address = plainAddress(socket.remoteAddress ?? 'unknown');
      if (isLoopback(address) || proxies.trusts(address)) return true;
      const release = take(address);
      if (release === undefined) {
        watch.turnedAway('address');
        socket.destroy();
        return false;
      }
      socket.once('close', release);
      return true;
    },
    holds(peer, connection) {
      if (connection === undefined || plainAddress(connection) === peer) return () => {};
      const release = take(`by proxy ${peer}`);
      if (release !== undefined) return release;
      watch.turnedAway('address');
      throw new Refusal('rate_limited', 'too many requests of this address are under way', {
        'retry-after': '1',
      });
    },
  };
}
