// The zip writer: other tools read what it writes, with all sizes and names.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { readByPython, zipped } from './written-zip.ts';
import { sha256Of } from '../support/digest.ts';

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
