// Hashes the files of a folder in worker threads, one per core; each file is read once.
import { availableParallelism } from 'node:os';
import type { World } from '../world.ts';
import { createHashRunner, type HashBatch, type HashOrder, type HashWorkerOptions } from './hash-jobs.ts';

/** Options of a hash pool. */
export type HashPoolOptions = {
  /** Names of node:crypto. All are computed in one read. */
  algorithms: readonly string[];
  signal: AbortSignal;
  /** Without threads, files are hashed in this thread, one after the other, and block it. */
  thread: World['thread'];
  /** Gets how many bytes were read since the last call. */
  onBytes?: (count: number) => void;
};

/**
 * What became of each file, in the order they were added. `hashes`: in the order of the algorithms, separated by spaces,
 * or a {@link HashFailure}. `bytes`: the size.
 */
export type FileHashes = { hashes: string[]; bytes: number[] };

/** `special`: anything but a regular file. `changed`: it was written to while it was read. */
export type HashFailure = 'unreadable' | 'special' | 'changed';

/** Returns whether a value of {@link FileHashes.hashes} says why there is no hash. */
export const isHashFailure = (hashes: string): hashes is HashFailure =>
  hashes === 'unreadable' || hashes === 'special' || hashes === 'changed';

/** Hashes files in worker threads. End it with `finish` or `stop`. */
export type HashPool = {
  /** Adds paths relative to the folder; hashing begins at once. */
  add(paths: readonly string[]): void;
  /** Returns the results and ends the workers. Throws the signal's reason, or the error that ended a worker. */
  finish(): Promise<FileHashes>;
  /** Ends the workers. Must be called where {@link HashPool.finish} is not. */
  stop(): Promise<void>;
};

/** More workers than this wait for the disk and not for a core. */
const MAX_WORKERS = 16;

type HashWorker = { give(order: HashOrder): void; end(): Promise<unknown> };

/** Returns a pool for files of the folder `dir`. Workers start when files are added. */
export function openHashPool(dir: string, options: HashPoolOptions): HashPool {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const maxWorkers = options.thread === undefined ? 1 : Math.min(MAX_WORKERS, availableParallelism());
  const workers: HashWorker[] = [];
  const orders: HashOrder[] = [];
  const results: FileHashes = { hashes: [], bytes: [] };
  let added = 0;
  let hashed = 0;
  let resolve!: () => void;
  let reject!: (reason: Error) => void;
  const complete = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // finish() awaits it, but may never be called.
  complete.catch(() => undefined);
  let isFinishing = false;
  let isStopped = false;

  const onBatch = ({ at, found, bytes, read }: HashBatch): void => {
    for (let index = 0; index < at.length; index++) {
      results.hashes[at[index]!] = found[index]!;
      results.bytes[at[index]!] = bytes[index]!;
    }
    hashed += at.length;
    if (read > 0) options.onBytes?.(read);
    if (isFinishing && hashed === added) resolve();
  };
  const startWorker = (): HashWorker => {
    const workerOptions: HashWorkerOptions = { dir, algorithms: options.algorithms, next };
    const thread = options.thread?.('hash-worker', workerOptions);
    if (thread === undefined) {
      const run = createHashRunner(workerOptions, onBatch);
      const give = (order: HashOrder) => void setImmediate(() => isStopped || run(order));
      return { give, end: async () => (isStopped = true) };
    }
    thread.on('message', onBatch);
    thread.on('error', reject);
    // A worker that ends early, for example without memory, leaves files without a result.
    thread.on('exit', () => reject(new Error('a hashing thread ended early')));
    return {
      give: (order) => thread.postMessage(order),
      end: () => {
        thread.removeAllListeners('exit');
        return thread.terminate();
      },
    };
  };
  const onAbort = (): void => reject(options.signal.reason as Error);
  options.signal.addEventListener('abort', onAbort, { once: true });
  const stop = async (): Promise<void> => {
    options.signal.removeEventListener('abort', onAbort);
    await Promise.all(workers.map((worker) => worker.end()));
  };

  return {
    add(paths) {
      if (paths.length === 0) return;
      const order = paths.join('\0');
      orders.push(order);
      for (const worker of workers) worker.give(order);
      added += paths.length;
      while (workers.length < Math.min(maxWorkers, added)) {
        const worker = startWorker();
        // Indexes count from the first order, so each worker gets all of them.
        for (const each of orders) worker.give(each);
        workers.push(worker);
      }
    },
    async finish() {
      try {
        options.signal.throwIfAborted();
        isFinishing = true;
        if (hashed === added) resolve();
        await complete;
        return results;
      } finally {
        await stop();
      }
    },
    stop,
  };
}
