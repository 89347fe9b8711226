// Rate limit: a fixed window of one minute for each peer.

/** Limits how many events each peer may send. */
export type RateLimiter = {
  /** Counts one event of a peer. Returns 0 within the limit, otherwise the seconds to wait. `now` is in milliseconds. */
  take(peer: string, now: number): Promise<number>;
};

/** Length of the window in which events are counted. */
export const WINDOW_MS = 60_000;
/** Peers that are counted at once. The one whose window began first is dropped first. */
export const MAX_PEERS = 10_000;

/** A limiter in memory. `giveBack` undoes the last `take` of a peer that was not given back. */
type LocalLimiter = RateLimiter & { giveBack(peer: string): void };

/** Returns a limiter in memory. */
export function createRateLimiter(maxPerWindow: number): LocalLimiter {
  const windows = new Map<string, { start: number; count: number }>();
  return {
    async take(peer, now) {
      let window = windows.get(peer);
      if (window === undefined || now - window.start >= WINDOW_MS || now < window.start) {
        window = { start: now, count: 0 };
        windows.delete(peer);
        windows.set(peer, window);
        if (windows.size > MAX_PEERS) windows.delete(windows.keys().next().value!);
      }
      window.count += 1;
      return window.count <= maxPerWindow ? 0 : secondsLeft(window.start, now);
    },
    giveBack(peer) {
      const window = windows.get(peer);
      if (window !== undefined) window.count -= 1;
    },
  };
}

/** Returns the seconds until the end of the window that began at `start` (milliseconds), at least one. */
export function secondsLeft(start: number, now: number): number {
  return Math.max(1, Math.ceil((start + WINDOW_MS - now) / 1000));
}
