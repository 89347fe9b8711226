// The swift way for small files: a thread fetches, hashes and writes them. What does not come plainly goes the other way.
import type { World } from '../world.ts';
import { removeQuietly } from '../disk/atomic-file.ts';
import type { SystemError } from './disk-jobs.ts';
import type { FinalName, SmallFile, StoredFile } from './small-file-writer.ts';

/** The largest file for which this way is meant. */
export const MAX_SMALL_FILE_BYTES = 256 * 1024;

/** What the thread is told at first, and then. `limit`: connections to a host. */
export type FetcherOptions = { dir: string; timeoutMs: number; connections: number };
export type FileRequest = { key: number; origin: string; path: string; file: SmallFile };
export type FetcherMessage = {
  rows?: FileRequest[];
  names?: [key: number, naming: FinalName][];
  limit?: number;
};
export type FetcherResult = [key: number, answer: StoredFile | SystemError | 'unplain'];

/** A file that is asked for. */
export type PendingDownload = {
  /** Gives it its name, once. `unplain`: nothing came of it, for whatever reason. System errors are thrown. */
  end(naming: FinalName): Promise<StoredFile | 'unplain'>;
};

export type SmallFileFetcher = {
  /** Whether it is worth asking: not where most answers were not plain. */
  isEnabled(): boolean;
  begin(url: URL, file: SmallFile): PendingDownload;
  /** So many requests are made elsewhere. */
  reserveConnections(count: number): void;
  /** Files without a name are removed. */
  close(): Promise<void>;
};

/** An answer that is not plain counts as much as so many that are, and so many are borne. */
const UNSUPPORTED_WEIGHT = 4;
const MAX_UNSUPPORTED = 32;
/** A turn may be long: so many names do not wait for its end. */
const MAX_NAMES_PER_MESSAGE = 128;

type Waiting = { resolve(answer: StoredFile | 'unplain'): void; reject(error: unknown): void };

/**
 * Needs a world with threads; starts one at once. A file has no retries here, no redirect is followed, and no token is
 * sent.
 */
export function openSmallFileFetcher(
  start: FetcherOptions,
  begin: NonNullable<World['thread']>,
  signal: AbortSignal,
): SmallFileFetcher {
  const waiting = new Map<number, Waiting>();
  /** Of files that were not heard of. */
  const temporaries = new Map<number, string>();
  let order: Required<Omit<FetcherMessage, 'limit'>> | undefined;
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
  const thread = begin('small-file-worker', start);
  thread.on('message', (answers: FetcherResult[]) => {
    for (const [key, answer] of answers) {
      const one = waiting.get(key);
      waiting.delete(key);
      temporaries.delete(key);
      unplain = Math.max(0, unplain + (answer === 'unplain' ? UNSUPPORTED_WEIGHT : -1));
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
  /** All of this turn is one message, or several where there is much to do. */
  const post = (): void => {
    if (order !== undefined) thread.postMessage(order satisfies FetcherMessage);
    order = undefined;
  };
  const ordered = (): NonNullable<typeof order> => {
    if (order === undefined) setImmediate(post);
    else if (order.names.length >= MAX_NAMES_PER_MESSAGE) post();
    return (order ??= { rows: [], names: [] });
  };
  return {
    isEnabled: () => unplain < MAX_UNSUPPORTED,
    begin: (url, file) => {
      const key = keys++;
      const answer = new Promise<StoredFile | 'unplain'>((resolve, reject) => {
        signal.throwIfAborted();
        waiting.set(key, { resolve, reject });
        temporaries.set(key, file.temporary);
        ordered().rows.push({ key, origin: url.origin, path: url.pathname + url.search, file });
      });
      // Nobody may ever end it.
      answer.catch(() => {});
      return {
        end: (naming) => {
          if (waiting.has(key)) ordered().names.push([key, naming]);
          return answer;
        },
      };
    },
    reserveConnections: (count) => {
      const limit = Math.max(1, start.connections - count);
      thread.postMessage({ limit } satisfies FetcherMessage);
    },
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      await thread.terminate();
      for (const temporary of temporaries.values()) removeQuietly(`${start.dir}/${temporary}`);
    },
  };
}
