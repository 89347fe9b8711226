// The zip writer: other tools read what it writes, with all sizes and names.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createZipWriter } from '../../src/bagit/zip-writer.ts';
import { isInstalled } from '../support/installed.ts';
import { readByPython, zipped } from './written-zip.ts';
import { sha256Of } from '../support/digest.ts';

test.each([1, 3])('the error of a failed write passes, of an entry in pieces too: %i', async (count) => {
  const full = new Error('no space');
  const zip = createZipWriter(() => Promise.reject(full), 0);
  // Random bytes, which do not become fewer in the zip.
  const pieces = Array.from({ length: count }, () => randomBytes(300_000));
  await expect(zip.add('a', Readable.from(pieces))).rejects.toBe(full);
});

test.skipIf(!isInstalled('python3'))(
  'property: any files, in any pieces, come out as they went in',
  async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.integer({ min: 250_000, max: 300_000 }).map((length) => new Uint8Array(length).fill(length)),
    );
    const file = fc.record({
      name: fc.stringMatching(/^[a-zäß漢😀][a-zäß漢😀/]{0,20}[a-z]$/u),
      pieces: fc.array(piece, { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { selector: ({ name }) => name, maxLength: 8 }),
        async (files) => {
          expect(readByPython(await zipped(files))).toEqual(
            files.map(({ name, pieces }) => [name, sha256Of(Buffer.concat(pieces)), [2026, 1, 2, 3, 4, 4]]),
          );
        },
      ),
      { numRuns: 8 },
    );
  },
);
