// Hashes downloaded files and gives them their names in a worker thread, so that the event loop goes on meanwhile.
import type { Worker } from 'node:worker_threads';
import type { PendingFile, Placed } from '../disk/atomic-file.ts';
import type { World } from '../world.ts';
import { createDiskJobRunner, type DiskJob, type DiskJobResult, type DiskWorkerData } from './disk-jobs.ts';

/** Files are open and stay open. Each method throws the system's error, or the reason of the signal. */
export type DiskWorker = {
  /** Hashes a file up to the offset `to`; what was hashed before is not read again. */
  hash(fd: number, to: number): Promise<void>;
  /** Returns the SHA-256 of what was hashed, in hex, and forgets the file. */
  digest(fd: number): Promise<string>;
  /** As {@link digest}, but hashing can continue. */
  currentDigest(fd: number): Promise<string>;
  /** Makes the file durable and gives it its name. `taken`: another file has it, nothing was changed. */
  commit(file: { fd: number } & PendingFile): Promise<Placed>;
  close(): Promise<void>;
};

type Waiting = { kind: DiskJob['kind']; resolve(result: DiskJobResult): void; reject(error: unknown): void };

/** Starts the worker with the first job. In a world without threads each job blocks this thread instead. */
export function openDiskWorker({ thread: start, signal }: Pick<World, 'thread' | 'signal'>): DiskWorker {
  const waiting: Waiting[] = [];
  const runHere = createDiskJobRunner();
  let worker: Worker | undefined;
  /** Why the worker ended. It answers no job that it gets after that. */
  let failure: unknown;

  const failAll = (error: unknown): void => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  const stopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const onAbort = (): void => {
    Atomics.store(stopped, 0, 1);
    // A file that gets its name now is one that is kept; hashes are of no use any more.
    if (waiting.some(({ kind }) => kind === 'commit')) return worker?.postMessage('stop');
    void worker?.terminate();
    failAll(signal.reason);
  };
  function started(): Worker | undefined {
    if (worker !== undefined || start === undefined) return worker;
    worker = start('disk-worker', { stopped } satisfies DiskWorkerData);
    worker.on('message', (result: DiskJobResult) => waiting.shift()?.resolve(result));
    // A worker that cannot start only exits; under Node 24 it reports that our package.json is invalid.
    const isNotStarted = (error: Error) => 'code' in error && error.code === 'ERR_INVALID_PACKAGE_CONFIG';
    worker.on('error', (error) => failAll(isNotStarted(error) ? workerEnded(error) : error));
    worker.on('exit', () => failAll(signal.aborted ? signal.reason : workerEnded()));
    signal.addEventListener('abort', onAbort, { once: true });
    return worker;
  }
  async function run(job: DiskJob): Promise<string> {
    signal.throwIfAborted();
    const running = started();
    if (failure !== undefined) throw failure;
    const result =
      running === undefined
        ? runHere(job)
        : await new Promise<DiskJobResult>((resolve, reject) => {
            waiting.push({ kind: job.kind, resolve, reject });
            running.postMessage(job);
          });
    if ('text' in result) return result.text;
    throw Object.assign(new Error(result.error.message), result.error);
  }
  return {
    hash: async (fd, to) => void (await run({ kind: 'hash', fd, to })),
    digest: (fd) => run({ kind: 'digest', fd, keep: false }),
    currentDigest: (fd) => run({ kind: 'digest', fd, keep: true }),
    commit: async (file) => (await run({ kind: 'commit', ...file })) as Placed,
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      await worker?.terminate();
    },
  };
}

function workerEnded(cause?: Error): Error {
  return Object.assign(new Error('the disk worker ended', { cause }), { code: 'EIO' });
}
