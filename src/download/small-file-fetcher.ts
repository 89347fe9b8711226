// Client of the small-file worker, which fetches, hashes and writes small files in a thread of its own.
import { removeQuietly } from '../disk/atomic-file.ts';
import type { World } from '../world.ts';
import type { SystemError } from './disk-jobs.ts';
import type { FinalName, SmallFile, StoredFile } from './small-file-writer.ts';

/** Larger files are downloaded by download-file.ts. */
export const MAX_SMALL_FILE_BYTES = 256 * 1024;

/** `connections`: at most this many to a host. */
export type FetcherOptions = { dir: string; timeoutMs: number; connections: number };
/** A request to the worker. `key` names the file in later messages; `path` is path and query of its URL. */
export type FileRequest = { key: number; origin: string; path: string; file: SmallFile };
/** From the client to the worker. `connections` changes the limit; `stop` ends the worker. */
export type FetcherMessage = {
  stop?: true;
  requests?: FileRequest[];
  names?: [key: number, name: FinalName][];
  connections?: number;
};
/** From the worker to the client. `unsupported`: this file must be downloaded in another way. */
export type FetcherResult = [key: number, result: StoredFile | SystemError | 'unsupported'];

/** A file that was requested. It has a temporary name until it gets its own. */
export type PendingDownload = {
  /** Gives the file its name. Must be called at most once. Throws the system's error. */
  commit(name: FinalName): Promise<StoredFile | 'unsupported'>;
};

/** Requests small files from the worker. Each file keeps a temporary name until its request is committed. */
export type SmallFileFetcher = {
  /** Returns whether requests are worth it: false after too many unsupported responses. */
  isEnabled(): boolean;
  request(url: URL, file: SmallFile): PendingDownload;
  /** Leaves this many of the connections to downloads that do not go through the worker. */
  reserveConnections(count: number): void;
  /** Ends the worker and removes files that have no name. */
  close(): Promise<void>;
};

/** The fetcher is disabled at this score. An unsupported response adds to it, any other takes 1 off. */
const MAX_UNSUPPORTED_SCORE = 32;
const UNSUPPORTED_SCORE = 4;
/** A tick of the event loop may be long: with this many names a message is sent before its end. */
const MAX_NAMES_PER_MESSAGE = 128;

type Waiting = { resolve(result: StoredFile | 'unsupported'): void; reject(error: unknown): void };

/**
 * Starts the worker by `startThread`. A request is sent once, no redirect is followed, and no token is sent. What is not
 * a plain response with status 200 is `unsupported`, and so is every file if the worker ends.
 */
export function openSmallFileFetcher(
  options: FetcherOptions,
  startThread: NonNullable<World['thread']>,
  signal: AbortSignal,
): SmallFileFetcher {
  const waiting = new Map<number, Waiting>();
  /** Temporary names of files without a result. */
  const temporaries = new Map<number, string>();
  let message: Required<Pick<FetcherMessage, 'requests' | 'names'>> | undefined;
  let keys = 0;
  let unsupportedScore = 0;
  let isEnded = false;

  const settleAll = (settle: (each: Waiting) => void): void => {
    for (const each of waiting.values()) settle(each);
    waiting.clear();
  };
  // The worker ends itself, so that it tells which files have their names.
  const onAbort = (): void => worker.postMessage({ stop: true } satisfies FetcherMessage);
  const worker = startThread('small-file-worker', options);
  worker.on('message', (results: FetcherResult[]) => {
    for (const [key, result] of results) {
      const file = waiting.get(key);
      waiting.delete(key);
      temporaries.delete(key);
      unsupportedScore = Math.max(0, unsupportedScore + (result === 'unsupported' ? UNSUPPORTED_SCORE : -1));
      if (result === 'unsupported' || 'outcome' in result) file?.resolve(result);
      else file?.reject(Object.assign(new Error(result.message), result));
    }
  });
  const onEnd = (): void => {
    isEnded = true;
    unsupportedScore = Infinity;
    settleAll(({ resolve, reject }) => (signal.aborted ? reject(signal.reason) : resolve('unsupported')));
  };
  worker.on('error', onEnd);
  worker.on('exit', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });

  const sendMessage = (): void => {
    if (message !== undefined) worker.postMessage(message satisfies FetcherMessage);
    message = undefined;
  };
  /** All of one tick goes into one message. */
  const nextMessage = (): NonNullable<typeof message> => {
    if (message === undefined) setImmediate(sendMessage);
    else if (message.names.length >= MAX_NAMES_PER_MESSAGE) sendMessage();
    return (message ??= { requests: [], names: [] });
  };
  return {
    isEnabled: () => unsupportedScore < MAX_UNSUPPORTED_SCORE,
    request: (url, file) => {
      const key = keys++;
      const result = new Promise<StoredFile | 'unsupported'>((resolve, reject) => {
        signal.throwIfAborted();
        if (isEnded) return resolve('unsupported');
        waiting.set(key, { resolve, reject });
        temporaries.set(key, file.temporary);
        nextMessage().requests.push({ key, origin: url.origin, path: url.pathname + url.search, file });
      });
      // The file may never get a name; then nobody awaits it.
      result.catch(() => {});
      return {
        commit: (name) => {
          if (waiting.has(key)) nextMessage().names.push([key, name]);
          return result;
        },
      };
    },
    reserveConnections: (count) => {
      const connections = Math.max(1, options.connections - count);
      worker.postMessage({ connections } satisfies FetcherMessage);
    },
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      await worker.terminate();
      for (const temporary of temporaries.values()) removeQuietly(`${options.dir}/${temporary}`);
    },
  };
}
