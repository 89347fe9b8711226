// Hashes the files of a folder on all cores, each file in one read, and tells how each was found, in the order given.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { hashingThread, type ThreadAnswer, type ThreadOrder, type ThreadTask } from './hashing-thread.ts';

export type CrewOptions = {
  /** As node:crypto names them; all are computed in one read. */
  algorithms: readonly string[];
  signal: AbortSignal;
  /** Told how many bytes were read since the last time. */
  onBytes?: (count: number) => void;
};

/**
 * What became of each file, in the order they were added: its hashes in the order of the algorithms, separated by
 * spaces, or a {@link Failure}; and its size.
 */
export type Found = { hashes: string[]; bytes: number[] };

/** `special` is anything but a regular file, `changed` one that was written to while it was read. */
export type Failure = 'unreadable' | 'special' | 'changed';

export const isFailure = (hashes: string): hashes is Failure =>
  hashes === 'unreadable' || hashes === 'special' || hashes === 'changed';

export type Crew = {
  /** Paths relative to the folder; work on them begins at once. */
  add(paths: readonly string[]): void;
  /** Rejects with the signal's reason, or what broke a thread. */
  finish(): Promise<Found>;
  /** Ends the threads; needed where {@link Crew.finish} is not reached. */
  stop(): Promise<void>;
};

/** More threads than this wait for the disk, not for a core. */
const MOST_THREADS = 16;
const PROGRAM = `(${hashingThread.toString()})()`;

export function openCrew(dir: string, options: CrewOptions): Crew {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const most = Math.min(MOST_THREADS, availableParallelism());
  const threads: Worker[] = [];
  const sent: string[] = [];
  const found: Found = { hashes: [], bytes: [] };
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

  const take = ({ at, found: hashes, bytes, read }: ThreadAnswer): void => {
    for (let index = 0; index < at.length; index++) {
      found.hashes[at[index]!] = hashes[index]!;
      found.bytes[at[index]!] = bytes[index]!;
    }
    told += at.length;
    if (read > 0) options.onBytes?.(read);
    if (finishing && told === added) resolve();
  };
  const start = (): void => {
    const task: ThreadTask = { dir, algorithms: options.algorithms, next };
    const thread = new Worker(PROGRAM, {
      eval: true,
      workerData: task,
      // Nothing of our environment, which may hold a token, is of use to a thread.
      env: {},
      trackUnmanagedFds: false,
      // Hardly anything outlives a message: without this each thread keeps some 20 MB for nothing.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    thread.on('message', take);
    thread.on('error', reject);
    // A thread that ends early (killed for want of memory) leaves files untold.
    thread.on('exit', () => reject(new Error('a hashing thread ended early')));
    for (const order of sent) thread.postMessage(order satisfies ThreadOrder);
    threads.push(thread);
  };
  const abort = (): void => reject(options.signal.reason as Error);
  options.signal.addEventListener('abort', abort, { once: true });
  const stop = async (): Promise<void> => {
    options.signal.removeEventListener('abort', abort);
    for (const thread of threads) thread.removeAllListeners('exit');
    await Promise.all(threads.map((thread) => thread.terminate()));
  };

  return {
    add(paths) {
      if (paths.length === 0) return;
      const order = paths.join('\0');
      sent.push(order);
      for (const thread of threads) thread.postMessage(order satisfies ThreadOrder);
      added += paths.length;
      while (threads.length < Math.min(most, added)) start();
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
