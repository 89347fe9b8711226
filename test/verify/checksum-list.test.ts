// Checksum lists: `sha256sum -c` reads what is written, and its output is read back.
import { execFileSync } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { checksumLine, parseChecksumList } from '../../src/verify/checksum-list.ts';
import { sha256Of } from '../support/digest.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('checksums')));

describe('a checksum list', () => {
  test('is read by sha256sum -c, with unusual names too', async () => {
    const names = ['plain', 'with space', 'new\nline', 'back\\slash', 'ret\rurn', 'ünïcode'];
    for (const name of names) await writeFile(join(dir, name), name);
    const sums = names.map((name) => checksumLine(sha256Of(name), name)).join('');
    const read = execFileSync('sha256sum', ['--check', '--strict'], {
      cwd: dir,
      input: sums,
      encoding: 'utf8',
    });
    expect(read.match(/OK$/gm)).toHaveLength(names.length);
    await truncate(join(dir, 'plain'), 1);
    expect(() => execFileSync('sha256sum', ['-c'], { cwd: dir, input: sums, stdio: 'pipe' })).toThrow();
    await writeFile(join(dir, 'plain'), 'plain');
    expect(
      parseChecksumList(execFileSync('sha256sum', names, { cwd: dir, encoding: 'utf8' })).map(
        ({ path }) => path,
      ),
    ).toEqual(names);
  });

  test('property: is read back as it was written', () => {
    const path = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => /^[^/\0]*$/.test(text) && text !== '..');
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const text = paths.map((each) => checksumLine(sha256Of(each), each)).join('');
        expect(parseChecksumList(text)).toEqual(
          paths.map((each) => ({ id: null, path: each, sha256: sha256Of(each) })),
        );
      }),
    );
  });

  test.each([
    ['usage', 'hello'],
    ['usage', `${'0'.repeat(63)}  a`],
    ['unsafe', `${'0'.repeat(64)}  ../a`],
    ['unsafe', `${'0'.repeat(64)}  /etc/passwd`],
  ])('%s: %s', (kind, line) =>
    expect(() => parseChecksumList(`\n# note\n${line}\n`)).toThrow(expect.objectContaining({ kind })),
  );
});
