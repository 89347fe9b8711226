// Hashes the files of a folder on all cores, each file in one read, and tells how each was found, in the order given.
import { availableParallelism } from 'node:os';
import type { World } from '../world.ts';
import { createHashing, type ThreadAnswer, type ThreadOrder, type ThreadTask } from './hash-jobs.ts';

export type CrewOptions = {
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

type Hand = { give(order: ThreadOrder): void; end(): Promise<unknown> };

export function openCrew(dir: string, options: CrewOptions): Crew {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const most = options.thread === undefined ? 1 : Math.min(MOST_THREADS, availableParallelism());
  const hands: Hand[] = [];
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
  let isOver = false;
  const start = (): Hand => {
    const task: ThreadTask = { dir, algorithms: options.algorithms, next };
    const thread = options.thread?.('hash-worker', task);
    if (thread === undefined) {
      const hashing = createHashing(task, take);
      const give = (order: ThreadOrder) => void setImmediate(() => isOver || hashing(order));
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
