// Everything below a folder, in one order on every system, without following links.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { listFolder, walkFolder, type WalkOptions } from '../../src/disk/walk-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('walk-folder')));

beforeEach(() => {
  mkdirSync(join(dir, 'b/inner'), { recursive: true });
  mkdirSync(join(dir, 'd'));
  for (const path of ['a', 'b/x', 'b/inner/y', 'c', 'Z']) writeFileSync(join(dir, path), '');
  symlinkSync('b', join(dir, 'l'));
});

async function walked(options: WalkOptions, root = dir) {
  const found: unknown[] = [];
  for await (const entries of walkFolder(root, options)) {
    for (const { path, kind } of entries) found.push(kind === 'file' ? path : [path, kind]);
  }
  return found;
}

test('listFolder sorts by code units and does not follow links', async () => {
  const entries = await listFolder(dir);
  expect(entries.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'Z file',
    'a file',
    'b folder',
    'c file',
    'd folder',
    'l link',
  ]);
});

test.each<[WalkOptions['order'], unknown[]]>([
  ['by-name', ['Z', 'a', 'b/inner/y', 'b/x', 'c', ['l', 'link']]],
  ['files-first', ['Z', 'a', 'c', ['l', 'link'], 'b/x', 'b/inner/y']],
])('%s', async (order, expected) => {
  expect(await walked({ order })).toEqual(expected);
});

test('a folder that is not entered stands for what is below it', async () => {
  const entered: string[] = [];
  const enter = (path: string) => {
    entered.push(path);
    return path !== 'b';
  };
  expect(await walked({ order: 'by-name', enter })).toEqual(['Z', 'a', ['b', 'folder'], 'c', ['l', 'link']]);
  expect(entered).toEqual(['', 'b', 'd']);
});

test('a folder that cannot be listed is named, the first one too', async () => {
  expect(await walked({ order: 'by-name' }, join(dir, 'missing'))).toEqual([['', 'unreadable']]);
});

test.runIf(process.platform === 'linux')('a name that is not UTF-8 is said to be none', async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/d/`), Buffer.from([0xff])]), '');
  mkdirSync(Buffer.concat([Buffer.from(`${dir}/d/`), Buffer.from([0xfe])]));
  const found: unknown[] = [];
  for await (const entries of walkFolder(join(dir, 'd'), { order: 'by-name' })) found.push(...entries);
  expect(found).toEqual(
    expect.arrayContaining([
      { path: '\u{fffd}', kind: 'file', isUtf8: false },
      { path: '\u{fffd}', kind: 'folder', isUtf8: false },
    ]),
  );
});

test('ends with the signal', async () => {
  await expect(walked({ order: 'by-name', signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
});
