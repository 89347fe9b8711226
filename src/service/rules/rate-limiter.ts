// How often a peer may fail before it has to wait: a fixed window of one minute for each peer.

export type RateLimiter = {
  /** Counts one failure; 0 while within bounds, else the seconds until the window ends. `now` in milliseconds. */
  take(peer: string, now: number): Promise<number>;
};

export const WINDOW_MS = 60_000;
/** Peers remembered at once; the one that started first is forgotten first. */
export const MAX_PEERS = 10_000;

export function createRateLimiter(maxPerWindow: number): RateLimiter {
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
  };
}

/** Seconds until a window ends that began at `start`, at least one. */
export function secondsLeft(start: number, now: number): number {
  return Math.max(1, Math.ceil((start + WINDOW_MS - now) / 1000));
}
