// Hashes the files of a folder on all cores, each file in one read, and tells how each was found, in the order given.
import { availableParallelism } from 'node:os';
import type { World } from '../world.ts';
import { createHashRunner, type HashBatch, type HashOrder, type HashWorkerOptions } from './hash-jobs.ts';

export type HashPoolOptions = {
  /** As node:crypto names them; all are computed in one read. */
  algorithms: readonly string[];
  signal: AbortSignal;
  /** Where there are none, files are hashed here, one after the other, and nothing else meanwhile. */
  thread: World['thread'];
  /** Told how many bytes were read since the last time. */
  onBytes?: (count: number) => void;
};

/**
 * What became of each file, in the order they were added: its hashes in the order of the algorithms, separated by
 * spaces, or a {@link HashFailure}; and its size.
 */
export type FileHashes = { hashes: string[]; bytes: number[] };

/** `special` is anything but a regular file, `changed` one that was written to while it was read. */
export type HashFailure = 'unreadable' | 'special' | 'changed';

export const isHashFailure = (hashes: string): hashes is HashFailure =>
  hashes === 'unreadable' || hashes === 'special' || hashes === 'changed';

export type HashPool = {
  /** Paths relative to the folder; work on them begins at once. */
  add(paths: readonly string[]): void;
  /** Rejects with the signal's reason, or what broke a thread. */
  finish(): Promise<FileHashes>;
  /** Ends the threads; needed where {@link HashPool.finish} is not reached. */
  stop(): Promise<void>;
};

/** More threads than this wait for the disk, not for a core. */
const MAX_WORKERS = 16;

type HashWorker = { give(order: HashOrder): void; end(): Promise<unknown> };

export function openHashPool(dir: string, options: HashPoolOptions): HashPool {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const most = options.thread === undefined ? 1 : Math.min(MAX_WORKERS, availableParallelism());
  const hands: HashWorker[] = [];
  const sent: string[] = [];
  const found: FileHashes = { hashes: [], bytes: [] };
  let added = 0;
  let told = 0;
  let resolve!: () => void;
  let reject!: (reason: Error) => void;
  const whole = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // It is awaited by finish(), which a fault elsewhere may never reach.
  whole.catch(() => undefined);
  let finishing = false;

  const take = ({ at, found: hashes, bytes, read }: HashBatch): void => {
    for (let index = 0; index < at.length; index++) {
      found.hashes[at[index]!] = hashes[index]!;
      found.bytes[at[index]!] = bytes[index]!;
    }
    told += at.length;
    if (read > 0) options.onBytes?.(read);
    if (finishing && told === added) resolve();
  };
  let isOver = false;
  const start = (): HashWorker => {
    const task: HashWorkerOptions = { dir, algorithms: options.algorithms, next };
    const thread = options.thread?.('hash-worker', task);
    if (thread === undefined) {
      const hashing = createHashRunner(task, take);
      const give = (order: HashOrder) => void setImmediate(() => isOver || hashing(order));
      return { give, end: async () => (isOver = true) };
    }
    thread.on('message', take);
    thread.on('error', reject);
    // A thread that ends early (killed for want of memory) leaves files untold.
    thread.on('exit', () => reject(new Error('a hashing thread ended early')));
    return {
      give: (order) => thread.postMessage(order),
      end: () => {
        thread.removeAllListeners('exit');
        return thread.terminate();
      },
    };
  };
  const abort = (): void => reject(options.signal.reason as Error);
  options.signal.addEventListener('abort', abort, { once: true });
  const stop = async (): Promise<void> => {
    options.signal.removeEventListener('abort', abort);
    await Promise.all(hands.map((hand) => hand.end()));
  };

  return {
    add(paths) {
      if (paths.length === 0) return;
      const order = paths.join('\0');
      sent.push(order);
      for (const hand of hands) hand.give(order);
      added += paths.length;
      while (hands.length < Math.min(most, added)) {
        const hand = start();
        for (const before of sent) hand.give(before);
        hands.push(hand);
      }
    },
    async finish() {
      try {
        options.signal.throwIfAborted();
        finishing = true;
        if (told === added) resolve();
        await whole;
        return found;
      } finally {
        await stop();
      }
    },
    stop,
  };
}
