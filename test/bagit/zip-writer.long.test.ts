// Zip files with more entries than the first form of the format can count.
import { expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { readByPython, zipped } from './written-zip.ts';

test.skipIf(!isInstalled('python3'))('more entries than the old form can count', async () => {
  const files = Array.from({ length: 65_536 }, (_, at) => ({
    name: `f/${at}`,
    pieces: [Buffer.of(at % 251)],
  }));
  expect((readByPython(await zipped(files)) as unknown[]).length).toBe(files.length);
});
