// A file has its name only when it is whole; nothing is replaced unless that is asked for.
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { commitFile, placeFile, writeFileAtomically, writeNewFile } from '../../src/disk/atomic-file.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('atomic-file')));

const bytes = Buffer.from('new');
const pending = (force: boolean) => ({ temporary: join(dir, 'tmp'), path: join(dir, 'file'), force });
const namesAndText = () => [readdirSync(dir), readFileSync(join(dir, 'file'), 'utf8')];

describe('writeFileAtomically', () => {
  test('writes a file that only its owner may read', () => {
    expect(writeFileAtomically(pending(false), bytes)).toBe('kept');
    expect(namesAndText()).toEqual([['file'], 'new']);
    expect(statSync(join(dir, 'file')).mode & 0o777).toBe(0o600);
  });

  test.each([
    [true, 'kept', 'new'],
    [false, 'taken', 'old'],
  ])('force %s over another file: %s', (force, placed, text) => {
    writeFileSync(join(dir, 'file'), 'old');
    expect(writeFileAtomically(pending(force), bytes)).toBe(placed);
    expect(namesAndText()).toEqual([['file'], text]);
  });

  test('leaves no temporary file where the name cannot be given', () => {
    const file = { ...pending(true), path: join(dir, 'missing/file') };
    expect(() => writeFileAtomically(file, bytes)).toThrow(/ENOENT/);
    expect(readdirSync(dir)).toEqual([]);
  });
});

test('writeNewFile follows no link', () => {
  symlinkSync('elsewhere', join(dir, 'link'));
  expect(() => writeNewFile(join(dir, 'link'), bytes)).toThrow(/EEXIST/);
  expect(readdirSync(dir)).toEqual(['link']);
});

describe.each(Object.entries({ placeFile, commitFile }))('%s', (_, place) => {
  beforeEach(() => writeFileSync(join(dir, 'tmp'), 'new'));

  test('gives the name and removes the temporary one', () => {
    expect(place(pending(false))).toBe('kept');
    expect(namesAndText()).toEqual([['file'], 'new']);
  });

  test('changes nothing where the name is taken', () => {
    writeFileSync(join(dir, 'file'), 'old');
    expect(place(pending(false))).toBe('taken');
    expect(namesAndText()).toEqual([['file', 'tmp'], 'old']);
  });

  test('replaces with force', () => {
    writeFileSync(join(dir, 'file'), 'old');
    expect(place(pending(true))).toBe('kept');
    expect(namesAndText()).toEqual([['file'], 'new']);
  });
});
