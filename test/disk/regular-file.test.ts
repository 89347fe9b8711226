// Reading whole files up to a limit, whatever size they state.
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAtMost } from '../../src/disk/regular-file.ts';
import { tempFolder } from '../support/temp-folder.ts';

const read = async (path: string, maxBytes: number) => {
  const file = await open(path);
  return readAtMost(file, maxBytes).finally(() => file.close());
};

test.each([0, 1, 99, 100, 101])('%d bytes, 100 at most', async (size) => {
  const path = join(tempFolder('bytes'), 'file');
  const bytes = Buffer.from(Array.from({ length: size }, (_, at) => at));
  await writeFile(path, bytes);
  expect(await read(path, 100)).toEqual(size > 100 ? undefined : bytes);
});

test.runIf(process.platform === 'linux')(
  'a file that states no size is read to its end, and no further than the limit',
  async () => {
    expect((await read('/proc/self/status', 1024 * 1024))!.toString()).toContain('VmRSS');
    // It has no end.
    expect(await read('/dev/zero', 300_000)).toBeUndefined();
  },
);
