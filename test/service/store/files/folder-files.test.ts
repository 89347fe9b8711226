// A link in place of a folder of stored files, or of one of them, is not followed: not to read, to write, to list or to clean up.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFolderFiles } from '../../../../src/service/store/files/folder-files.ts';
import { sha256Of } from '../../../support/digest.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const CONTENT = Buffer.from('stored bytes');
const SHA = sha256Of(CONTENT);
const SHARD = SHA.slice(0, 2);
const UNSAFE = { kind: 'unsafe', message: expect.stringContaining(`${SHARD} is `) as string };

let dir: string;
let elsewhere: string;
beforeEach(() => {
  const parent = tempFolder('folder-files');
  dir = join(parent, 'blobs');
  elsewhere = join(parent, 'elsewhere');
  mkdirSync(dir);
});
const shard = () => join(dir, SHARD);
const drained = async (bytes: AsyncIterable<Uint8Array>) => {
  for await (const chunk of bytes) void chunk;
};
async function* chunks(): AsyncGenerator<Uint8Array> {
  yield CONTENT;
}

describe.each<[name: string, put: () => void]>([
  ['a link to a folder', () => symlinkSync(elsewhere, shard())],
  ['a link that leads nowhere', () => symlinkSync(join(elsewhere, 'none'), shard())],
  ['a file', () => writeFileSync(shard(), '')],
])('%s in place of the folder', (_name, put) => {
  beforeEach(() => {
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, SHA.slice(2)), CONTENT);
    writeFileSync(join(elsewhere, 'unfinished.new'), '');
    utimesSync(join(elsewhere, 'unfinished.new'), 1, 1);
    put();
  });

  test('nothing is read, stored or removed behind it', async () => {
    const files = openFolderFiles(dir);
    const before = readdirSync(elsewhere);
    expect(await files.size(SHA)).toBeUndefined();
    expect(await files.names(SHARD)).toEqual([]);
    await expect(drained(files.read(SHA))).rejects.toMatchObject(UNSAFE);
    await expect(files.put(SHA, CONTENT)).rejects.toMatchObject(UNSAFE);
    await expect(files.putChunks(SHA, chunks())).rejects.toMatchObject(UNSAFE);
    await files.removeUnfinished(Date.now());
    expect(readdirSync(elsewhere)).toEqual(before);
    expect(existsSync(join(elsewhere, 'none'))).toBe(false);
  });
});

test('files are kept in a folder that a link of the owner leads to', async () => {
  renameSync(dir, elsewhere);
  symlinkSync(elsewhere, dir);
  const files = openFolderFiles(dir);
  await files.put(SHA, CONTENT);
  expect(await files.size(SHA)).toBe(CONTENT.length);
  expect(await files.names(SHARD)).toEqual([SHA]);
  expect(await files.names('')).toEqual([SHA]);
  await drained(files.read(SHA));
});

test.each<[name: string, put: (at: string) => void, said: string]>([
  ['a link', (at) => symlinkSync('elsewhere', at), 'a symbolic link'],
  ['a pipe', (at) => execFileSync('mkfifo', [at]), 'is not a regular file'],
  ['a large file', (at) => writeFileSync(at, Buffer.alloc(10_000)), 'is larger than'],
])('%s in place of the mark is refused at once', async (_name, put, said) => {
  rmSync(join(dir, 'mark'), { force: true });
  put(join(dir, 'mark'));
  await expect(openFolderFiles(dir).mark!.read('mark')).rejects.toMatchObject({
    kind: 'unsafe',
    message: expect.stringContaining(said) as string,
  });
});
