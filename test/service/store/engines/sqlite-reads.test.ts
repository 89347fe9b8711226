// The process of long reads of SQLite, where it answers in the moment in which it is ended.
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { frameOf, readFrames } from '../../../../src/service/store/engines/frames.ts';
import { readsInProcess, type Question } from '../../../../src/service/store/engines/sqlite-reads.ts';
import type { OwnProcess } from '../../../../src/world.ts';

/** Returns a process that answers `late` when it is killed, and everything else at once, until it is killed. */
function startLate(): OwnProcess {
  const stdout = new PassThrough();
  let isKilled = false;
  let isLate = false;
  const answer = (value: unknown): void => void stdout.write(frameOf({ value }));
  const take = readFrames((value) => {
    const { sql } = value as Question;
    if (sql === 'late') isLate = true;
    else if (!isKilled) answer(sql);
  });
  return {
    stdin: new Writable({
      write(bytes: Buffer, _, done) {
        take(bytes);
        done();
      },
    }),
    stdout,
    kill() {
      if (isKilled) return;
      isKilled = true;
      if (isLate) answer('late');
      stdout.end();
    },
  };
}

test('a read that waits behind an abandoned one is answered, although that one is answered when its process is killed', async () => {
  const { reads, close } = readsInProcess('x', startLate);
  const gone = new AbortController();
  const abandoned = reads.until(gone.signal).all('late');
  const waiting = reads.all('next');
  gone.abort(new Error('gone'));
  await expect(abandoned).rejects.toThrow('gone');
  const answer = waiting.catch((error: unknown) => error);
  expect(await Promise.race([answer, sleep(5_000)])).toBe('next');
  close();
});
