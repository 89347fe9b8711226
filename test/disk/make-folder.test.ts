// Folders are made step by step: their modes, what stands in the way, and many who make one at a time.
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from '../../src/disk/make-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('durable')));

const FORMS = {
  makeFolder,
  makeFolderSync: async (path: string, mode = 0o777) => void makeFolderSync(path, mode),
};

describe.each(Object.entries(FORMS))('%s', (_, make) => {
  test('makes all that is missing, with the mode, and leaves what is there', async () => {
    mkdirSync(join(dir, 'a'), { mode: 0o755 });
    await make(join(dir, 'a/b/c'), 0o700);
    await make(join(dir, 'a'), 0o700);
    const modes = ['a', 'a/b', 'a/b/c'].map((path) => statSync(join(dir, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o700, 0o700]);
  });

  test.each([
    ['file', 'EEXIST'],
    ['file/x', 'ENOTDIR'],
    ['file/x/y', 'ENOTDIR'],
    ['broken', 'EEXIST'],
    ['broken/x', 'ENOENT'],
    [`${'n'.repeat(300)}/x`, 'ENAMETOOLONG'],
  ])('%s: %s', async (path, code) => {
    writeFileSync(join(dir, 'file'), '');
    symlinkSync('nowhere', join(dir, 'broken'));
    await expect(make(join(dir, path))).rejects.toMatchObject({ code });
    expect(readdirSync(dir).toSorted()).toEqual(['broken', 'file']);
  });

  test('a link to a folder is one', async () => {
    mkdirSync(join(dir, 'real'));
    symlinkSync('real', join(dir, 'link'));
    await make(join(dir, 'link'));
    await make(join(dir, 'link/x'));
    expect(readdirSync(join(dir, 'real'))).toEqual(['x']);
  });
});

test('many make one at a time', async () => {
  const path = join(dir, 'a/b/c/d');
  await Promise.all(Array.from({ length: 50 }, () => makeFolder(path)));
  expect(readdirSync(dirname(path))).toEqual(['d']);
});
