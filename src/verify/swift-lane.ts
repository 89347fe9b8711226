// The swift way for small files: a thread fetches, hashes and writes them. What does not come plainly goes the other way.
import type { World } from '../world.ts';
import type { Failed } from './disk-work.ts';
import type { SmallFile, Stored } from './small-files.ts';

/** The largest file for which this way is meant. */
export const SMALL_BYTES = 256 * 1024;

/** What the thread is told at first, and then. `limit`: connections to a host. */
export type SwiftStart = { dir: string; timeoutMs: number; atOnce: number };
export type SwiftRow = { key: number; origin: string; path: string; file: SmallFile };
export type SwiftOrder = { rows?: SwiftRow[]; limit?: number };
export type SwiftAnswer = [key: number, answer: Stored | Failed | 'unplain'];

export type SwiftLane = {
  /** Whether it is worth asking: not where most answers were not plain. */
  isOpen(): boolean;
  /** `unplain`: nothing came of it, for whatever reason. System errors are thrown. */
  take(url: URL, file: SmallFile): Promise<Stored | 'unplain'>;
  /** So many requests are made elsewhere. */
  elsewhere(count: number): void;
  close(): Promise<void>;
};

/** An answer that is not plain counts as much as so many that are, and so many are borne. */
const UNPLAIN = 4;
const MOST_UNPLAIN = 32;

type Waiting = { resolve(answer: Stored | 'unplain'): void; reject(error: unknown): void };

/**
 * Needs a world with threads; starts one at once. A file has no retries here, no redirect is followed, and no token is
 * sent.
 */
export function openSwiftLane(
  start: SwiftStart,
  begin: NonNullable<World['thread']>,
  signal: AbortSignal,
): SwiftLane {
  const waiting = new Map<number, Waiting>();
  let rows: SwiftRow[] = [];
  let keys = 0;
  let unplain = 0;

  const endAll = (end: (one: Waiting) => void): void => {
    for (const one of waiting.values()) end(one);
    waiting.clear();
  };
  const onAbort = (): void => {
    void thread.terminate();
    endAll(({ reject }) => reject(signal.reason));
  };
  const thread = begin('swift-thread', start);
  thread.on('message', (answers: SwiftAnswer[]) => {
    for (const [key, answer] of answers) {
      const one = waiting.get(key);
      waiting.delete(key);
      unplain = Math.max(0, unplain + (answer === 'unplain' ? UNPLAIN : -1));
      if (answer === 'unplain' || 'outcome' in answer) one?.resolve(answer);
      else one?.reject(Object.assign(new Error(answer.message), answer));
    }
  });
  const onEnd = (): void => {
    unplain = Infinity;
    endAll(({ resolve }) => resolve('unplain'));
  };
  thread.on('error', onEnd);
  thread.on('exit', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    isOpen: () => unplain < MOST_UNPLAIN,
    take: (url, file) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const key = keys++;
        waiting.set(key, { resolve, reject });
        // All of this turn is one message.
        if (rows.length === 0) {
          setImmediate(() => {
            thread.postMessage({ rows } satisfies SwiftOrder);
            rows = [];
          });
        }
        rows.push({ key, origin: url.origin, path: url.pathname + url.search, file });
      }),
    elsewhere: (count) => {
      const limit = Math.max(1, start.atOnce - count);
      thread.postMessage({ limit } satisfies SwiftOrder);
    },
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      await thread.terminate();
    },
  };
}
