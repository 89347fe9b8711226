// The zip writer: read by others as it was written, whatever the sizes and the names.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createZipWriter } from '../../src/bagit/zip-writer.ts';
import { isInstalled } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeAll(() => void (dir = tempFolder('zip')));

type File = { name: string; pieces: Uint8Array[] };
const MOST = 16 * 1024 * 1024;
const NOON = Date.UTC(2026, 0, 2, 3, 4, 5);

async function zipped(files: readonly File[]): Promise<Buffer> {
  const whole = Buffer.alloc(MOST);
  let end = 0;
  const zip = createZipWriter(async (bytes, at) => {
    whole.set(bytes, at);
    end = Math.max(end, at + bytes.length);
  }, NOON);
  for (const { name, pieces } of files)
    await zip.add(
      name,
      (async function* () {
        yield* pieces;
      })(),
    );
  await zip.end();
  return whole.subarray(0, end);
}

/** Each entry by another language's reader, which checks sums: name, hash, time. */
const READ = `
import hashlib, json, sys, zipfile
bag = zipfile.ZipFile(sys.argv[1])
assert bag.testzip() is None
print(json.dumps([[e.filename, hashlib.sha256(bag.read(e)).hexdigest(), list(e.date_time)] for e in bag.infolist()]))
`;
const sha = (pieces: Uint8Array[]) => createHash('sha256').update(Buffer.concat(pieces)).digest('hex');
const read = (zip: Buffer): unknown => {
  writeFileSync(join(dir, 'a.zip'), zip);
  return JSON.parse(
    execFileSync('python3', ['-c', READ, join(dir, 'a.zip')], { maxBuffer: MOST }).toString(),
  );
};

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
          expect(read(await zipped(files))).toEqual(
            files.map(({ name, pieces }) => [name, sha(pieces), [2026, 1, 2, 3, 4, 4]]),
          );
        },
      ),
      { numRuns: 8 },
    );
  },
);

test.skipIf(!isInstalled('python3'))('more entries than the old form can count', async () => {
  const files = Array.from({ length: 65_536 }, (_, at) => ({
    name: `f/${at}`,
    pieces: [Buffer.of(at % 251)],
  }));
  expect((read(await zipped(files)) as unknown[]).length).toBe(files.length);
});
