// The hashing, syncing and naming of a pull, off the event loop where there are threads.
import type { Worker } from 'node:worker_threads';
import type { World } from '../world.ts';
import { createDiskJobRunner, type DiskJobResult, type DiskJob } from './disk-jobs.ts';

/** Each throws what the system threw. Files are open ones, and stay so. */
export type DiskWorker = {
  /** Hashes a file on to this size. */
  hash(fd: number, to: number): Promise<void>;
  /** The hash so far; the file is forgotten. */
  digest(fd: number): Promise<string>;
  /** The hash so far. */
  peek(fd: number): Promise<string>;
  settle(file: { fd: number; temporary: string; path: string; force: boolean }): Promise<'kept' | 'taken'>;
  close(): Promise<void>;
};

type Waiting = { resolve(answer: DiskJobResult): void; reject(error: unknown): void };

function notBegun(cause?: Error): Error {
  return Object.assign(new Error('the thread ended', { cause }), { code: 'EIO' });
}

/** Where the world has no threads, all of it is done here, and nothing else meanwhile. */
export function openDiskWorker({ thread: begin, signal }: Pick<World, 'thread' | 'signal'>): DiskWorker {
  const waiting: Waiting[] = [];
  const here = createDiskJobRunner();
  let thread: Worker | undefined;

  const failAll = (error: unknown): void => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  const onAbort = (): void => {
    void thread?.terminate();
    failAll(signal.reason);
  };
  function started(): Worker | undefined {
    if (thread !== undefined || begin === undefined) return thread;
    thread = begin('disk-worker');
    thread.on('message', (answer: DiskJobResult) => waiting.shift()?.resolve(answer));
    // Where it could not begin, it ends without a word, or Node 24 says that our package.json is not one.
    const isUnread = (error: Error) => 'code' in error && error.code === 'ERR_INVALID_PACKAGE_CONFIG';
    thread.on('error', (error) => failAll(isUnread(error) ? notBegun(error) : error));
    thread.on('exit', () => failAll(notBegun()));
    signal.addEventListener('abort', onAbort, { once: true });
    return thread;
  }
  async function ask(job: DiskJob): Promise<string> {
    signal.throwIfAborted();
    const worker = started();
    const answer =
      worker === undefined
        ? here(job)
        : await new Promise<DiskJobResult>((resolve, reject) => {
            waiting.push({ resolve, reject });
            worker.postMessage(job);
          });
    if ('text' in answer) return answer.text;
    throw Object.assign(new Error(answer.failed.message), answer.failed);
  }
  return {
    hash: async (fd, to) => void (await ask({ kind: 'hash', fd, to })),
    digest: (fd) => ask({ kind: 'digest', fd, goesOn: false }),
    peek: (fd) => ask({ kind: 'digest', fd, goesOn: true }),
    settle: async (file) => (await ask({ kind: 'settle', ...file })) as 'kept' | 'taken',
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      await thread?.terminate();
    },
  };
}
