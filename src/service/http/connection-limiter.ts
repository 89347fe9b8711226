// Who may have how many connections: a bound for all, a bound for each address, and for each client of a proxy its requests.
import type { Socket } from 'node:net';
import { isLoopback } from '../../contract/loopback.ts';
import { ApiError } from '../rules/api-error.ts';
import type { PortObserver } from './port-observer.ts';
import { normalizeAddress, type TrustedProxies } from './peer.ts';

export type ConnectionLimits = {
  /** Connections of one address, which loopback and trusted proxies may exceed: they stand for many. */
  maxConnectionsPerAddress: number;
};

export type ConnectionLimiter = {
  /** False where the connection is one too many, which it then no longer is. */
  accepts(socket: Socket): boolean;
  /** Counts a request that came through a proxy until it is released; throws `rate_limited` where it is one too many. */
  startRequest(peer: string, connection: string | undefined): () => void;
};

export function createConnectionLimiter(
  { maxConnectionsPerAddress }: ConnectionLimits,
  proxies: TrustedProxies,
  observer: PortObserver,
): ConnectionLimiter {
  const counts = new Map<string, number>();
  const take = (key: string): (() => void) | undefined => {
    const count = counts.get(key) ?? 0;
    if (count >= maxConnectionsPerAddress) return undefined;
    counts.set(key, count + 1);
    return () => {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    };
  };
  return {
    accepts(socket) {
      const address = normalizeAddress(socket.remoteAddress ?? 'unknown');
      if (isLoopback(address) || proxies.trusts(address)) return true;
      const release = take(address);
      if (release === undefined) {
        observer.rejected('address');
        socket.destroy();
        return false;
      }
      socket.once('close', release);
      return true;
    },
    startRequest(peer, connection) {
      if (connection === undefined || normalizeAddress(connection) === peer) return () => {};
      const release = take(`by proxy ${peer}`);
      if (release !== undefined) return release;
      observer.rejected('address');
      throw new ApiError('rate_limited', 'too many requests of this address are under way', {
        'retry-after': '1',
      });
    },
  };
}
