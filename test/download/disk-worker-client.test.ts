// The disk worker ends on its own, for example because no file can be opened for it, or by a signal.
import { EventEmitter } from 'node:events';
import { closeSync, openSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openDiskWorker } from '../../src/download/disk-worker-client.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { thread } from '../support/threads.ts';

test('jobs that come after the end of the worker fail, as those before it do', async () => {
  const ended = Object.assign(new EventEmitter(), { postMessage: () => {}, terminate: async () => 0 });
  const { hash, digest } = openDiskWorker({
    thread: () => ended as unknown as Worker,
    signal: new AbortController().signal,
  });
  const before = hash(3, 1);
  ended.emit('exit', 1);
  await expect(before).rejects.toThrow('the disk worker ended');
  await expect(digest(3)).rejects.toThrow('the disk worker ended');
});

test('a signal ends the hash of a large file at once, also while a file waits for its name', async () => {
  const dir = tempFolder('worker');
  const [small, large] = [join(dir, 'small'), join(dir, 'large')];
  writeFileSync(small, 'x');
  writeFileSync(large, '');
  // A terabyte without blocks: it takes no space, and its hash takes more than ten minutes.
  truncateSync(large, 2 ** 40);
  const fds = [openSync(small, 'r'), openSync(large, 'r')] as const;
  const stop = new AbortController();
  let started: Worker | undefined;
  const worker = openDiskWorker({
    thread: (...of) => (started = thread(...of)),
    signal: stop.signal,
  });
  try {
    const first = worker.hash(fds[0], 1);
    const waiting = [
      worker.hash(fds[1], 2 ** 40),
      worker.commit({ fd: fds[0], temporary: small, path: join(dir, 'named'), force: false }),
    ];
    const results = Promise.allSettled(waiting);
    await first;
    // Only a hash keeps the thread busy for so long.
    const { active } = started!.performance.eventLoopUtilization();
    const busyFor = (): number => started!.performance.eventLoopUtilization().active - active;
    await expect.poll(busyFor).toBeGreaterThan(50);
    const reason = new Error('interrupted');
    stop.abort(reason);
    expect(await results).toEqual(waiting.map(() => ({ status: 'rejected', reason })));
    expect(readdirSync(dir).toSorted()).toEqual(['large', 'small']);
  } finally {
    await worker.close();
    for (const fd of fds) closeSync(fd);
  }
});
