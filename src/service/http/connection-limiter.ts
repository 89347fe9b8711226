// Limits the connections of one address, and the requests in progress of one client behind a trusted proxy.
import type { Socket } from 'node:net';
import { ApiError } from '../rules/api-error.ts';
import { normalizeAddress, peerAt, type Peer, type TrustedProxies } from './peer.ts';
import type { PortLimits } from './port-limits.ts';
import type { PortObserver } from './port-observer.ts';

/** Counts connections and requests by client, and refuses those over a limit. */
export type ConnectionLimiter = {
  /** Counts a connection until it closes. Returns false where it is one too many; it is closed then. */
  accepts(socket: Socket): boolean;
  /**
   * Counts a request that came through a proxy, and returns the function that ends the count. Throws ApiError
   * `rate_limited` where it is one too many. `connection` is the address of the socket.
   */
  startRequest(peer: Peer, connection: string | undefined): () => void;
};

/** Returns the limiter of one port. Loopback and trusted proxies may have any number of connections. */
export function createConnectionLimiter(
  { maxConnectionsPerAddress }: Pick<PortLimits, 'maxConnectionsPerAddress'>,
  proxies: TrustedProxies,
  observer: PortObserver,
): ConnectionLimiter {
  const counts = new Map<string, number>();
  const acquire = (key: string): (() => void) | undefined => {
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
      const { limitKey, standsForMany } = peerAt(
        normalizeAddress(socket.remoteAddress ?? 'unknown'),
        proxies,
      );
      if (standsForMany) return true;
      const release = acquire(limitKey);
      if (release === undefined) {
        observer.rejected('address');
        socket.destroy();
        return false;
      }
      socket.once('close', release);
      return true;
    },
    startRequest(peer, connection) {
      if (connection === undefined || normalizeAddress(connection) === peer.address) return () => {};
      const release = acquire(`by proxy ${peer.limitKey}`);
      if (release !== undefined) return release;
      observer.rejected('address');
      throw new ApiError('rate_limited', 'too many requests of this address are under way', {
        'retry-after': '1',
      });
    },
  };
}
