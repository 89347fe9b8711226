// The disk worker ends on its own, for example because no file can be opened for it.
import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openDiskWorker } from '../../src/download/disk-worker-client.ts';

test('jobs that come after the end of the worker fail, as those before it do', async () => {
  const thread = Object.assign(new EventEmitter(), { postMessage: () => {}, terminate: async () => 0 });
  const { hash, digest } = openDiskWorker({
    thread: () => thread as unknown as Worker,
    signal: new AbortController().signal,
  });
  const before = hash(3, 1);
  thread.emit('exit', 1);
  await expect(before).rejects.toThrow('the disk worker ended');
  await expect(digest(3)).rejects.toThrow('the disk worker ended');
});
