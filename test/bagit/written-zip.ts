// Zip files as our writer makes them, and what Python reads in them.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createZipWriter } from '../../src/bagit/zip-writer.ts';
import { tempFolder } from '../support/temp-folder.ts';

export type File = { name: string; pieces: Uint8Array[] };
const MAX_BYTES = 16 * 1024 * 1024;
/** The time of every entry. */
const NOON = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Returns the zip file with these entries. */
export async function zipped(files: readonly File[]): Promise<Buffer> {
  const whole = Buffer.alloc(MAX_BYTES);
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

const READ = `
import hashlib, json, sys, zipfile
bag = zipfile.ZipFile(sys.argv[1])
assert bag.testzip() is None
print(json.dumps([[e.filename, hashlib.sha256(bag.read(e)).hexdigest(), list(e.date_time)] for e in bag.infolist()]))
`;

/** Returns name, SHA-256 and time of each entry. Python checks the checksums. */
export const readByPython = (zip: Buffer): unknown => {
  const path = join(tempFolder('zip'), 'a.zip');
  writeFileSync(path, zip);
  return JSON.parse(execFileSync('python3', ['-c', READ, path], { maxBuffer: MAX_BYTES }).toString());
};
