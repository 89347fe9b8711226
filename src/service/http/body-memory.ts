// Limits how many bytes of request bodies a port keeps in memory: of one client, and of all clients together.
import { ApiError } from '../rules/api-error.ts';
import type { Peer } from './peer.ts';
import type { PortLimits } from './port-limits.ts';

/** Counts the bytes of the buffers that hold request bodies. */
export type BodyMemory = {
  /**
   * Counts bytes of a client. Throws ApiError `rate_limited` where the client has too many, `store_unavailable` where all
   * clients together have; then nothing is counted.
   */
  take(peer: Peer, bytes: number): void;
  /** Ends the count of these bytes. */
  release(peer: Peer, bytes: number): void;
};

/** Returns the count of one port. */
export function createBodyMemory({
  maxBodyBytes,
  maxBodyBytesPerPeer,
}: Pick<PortLimits, 'maxBodyBytes' | 'maxBodyBytesPerPeer'>): BodyMemory {
  const byPeer = new Map<string, number>();
  let total = 0;
  return {
    take({ limitKey, standsForMany }, bytes) {
      const own = (byPeer.get(limitKey) ?? 0) + bytes;
      if (!standsForMany && own > maxBodyBytesPerPeer) {
        throw new ApiError('rate_limited', 'too many request bodies of this address are under way', {
          'retry-after': '1',
        });
      }
      if (total + bytes > maxBodyBytes) {
        throw new ApiError('store_unavailable', 'too many request bodies are under way, try again', {
          'retry-after': '1',
        });
      }
      byPeer.set(limitKey, own);
      total += bytes;
    },
    release({ limitKey }, bytes) {
      total -= bytes;
      const left = (byPeer.get(limitKey) ?? 0) - bytes;
      if (left > 0) byPeer.set(limitKey, left);
      else byPeer.delete(limitKey);
    },
  };
}
