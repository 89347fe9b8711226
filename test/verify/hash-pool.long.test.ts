// The hash pool over much data: each of thousands of changed bits is found, and files over 4 GiB.
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { compareFolder, readFolder } from '../../src/verify/check-folder.ts';
import type { ExpectedFile } from '../../src/verify/verdicts.ts';
import { randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { thread } from '../support/threads.ts';
import { sha256Of } from '../support/digest.ts';

const signal = new AbortController().signal;
let dir: string;
beforeEach(() => void (dir = tempFolder('hash-pool')));

const verdictsIn = async (expected: ExpectedFile[]) =>
  Object.fromEntries(
    compareFolder(expected, await readFolder(dir, { signal, thread }).contents).map(({ path, verdict }) => [
      path,
      verdict,
    ]),
  );
const row = (path: string, digest: string): ExpectedFile => ({ id: path, path, sha256: digest });

/** Bytes that the worker reads at once. */
const READ = 512 * 1024;

describe('single-bit changes', () => {
  const BITS = 10_000;
  const SIZES = [1, 2, 63, 64, 65, 4096, 4097, 65_536];
  const LARGE = [READ - 1, READ, READ + 1, 2 * READ, 2 * READ + 17];

  test(`each of ${BITS} is found, and nothing else is`, async () => {
    const random = randomFrom('one bit');
    const content = Buffer.alloc(2 * READ + 32).map(() => random() * 256);
    const expected: ExpectedFile[] = [];
    const changed = new Set<string>();
    for (let at = 0; at < BITS * 1.1; at++) {
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
      const size = pick(at % 100 === 0 ? LARGE : SIZES);
      const start = Math.floor(random() * 16);
      const bytes = Buffer.from(content.subarray(start, start + size));
      const path = `${at % 37}/${at}`;
      expected.push(row(path, sha256Of(bytes)));
      if (changed.size < BITS && random() < 0.95) {
        // The edges of a read and of a file, and anywhere.
        const places = [0, size - 1, READ - 1, READ, Math.floor(random() * size)].filter(
          (place) => place < size,
        );
        bytes[pick(places)]! ^= 1 << Math.floor(random() * 8);
        changed.add(path);
      }
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), bytes);
    }
    const verdicts = await verdictsIn(expected);
    const found = Object.keys(verdicts).filter((path) => verdicts[path] === 'mismatch');
    expect(found.sort()).toEqual([...changed].sort());
    expect(found.length).toBeGreaterThan(BITS * 0.95);
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['match', 'mismatch']));
  });
});

/** By sha256sum. */
const FIVE_GIGABYTES_OF_NOTHING = '750f9080de24a9e562c6b1fecc288c732a758003ab16e5cad014eba45c17466b';

describe('the hash pool', () => {
  test('J7: a file over 4 GiB', async () => {
    const file = openSync(join(dir, 'sparse'), 'w');
    ftruncateSync(file, 5_000_000_000);
    closeSync(file);
    const [verdict] = Object.values(await verdictsIn([row('sparse', FIVE_GIGABYTES_OF_NOTHING)]));
    expect(verdict).toBe('match');
  }, 180_000);
});
