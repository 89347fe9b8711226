// Hashing of one file while another process writes it.
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { HashBatch } from '../../src/verify/hash-jobs.ts';
import { sha256Of } from '../support/digest.ts';
import { tempFolder } from '../support/temp-folder.ts';

afterEach(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
});

/** Hashes a file; `meanwhile` runs after its bytes were read. */
async function hashed(path: string, meanwhile: () => void): Promise<string | undefined> {
  vi.resetModules();
  vi.doMock('node:fs', async (original) => {
    const fs = await original<typeof import('node:fs')>();
    const readSync = (...words: Parameters<typeof fs.readSync>): number => {
      const count = fs.readSync(...words);
      meanwhile();
      return count;
    };
    return { ...fs, readSync };
  });
  const { createHashRunner } = await import('../../src/verify/hash-jobs.ts');
  const found: string[] = [];
  const next = new Int32Array(new SharedArrayBuffer(4));
  const onBatch = (batch: HashBatch): void => void found.push(...batch.found);
  createHashRunner({ dir: path, algorithms: ['sha256'], next }, onBatch)('a');
  return found[0];
}

test('D11 a small file that is written again with the same size is reported as changed', async () => {
  const dir = tempFolder('changing');
  const path = join(dir, 'a');
  writeFileSync(path, 'before');
  utimesSync(path, 1_000, 1_000);
  expect(await hashed(dir, () => {})).toBe(sha256Of('before'));
  expect(await hashed(dir, () => writeFileSync(path, 'after!'))).toBe('changed');
  expect(statSync(path).size).toBe('before'.length);
});
