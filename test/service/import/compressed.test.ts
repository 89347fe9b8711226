// Compressed files inside an imported folder: they are stored as files, and the report says so.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { importPaths } from '../../support/import-paths.ts';
import { newArchive, signal, sourceFolder } from './sources.ts';

async function noticesOf(files: Record<string, Uint8Array | string>): Promise<string[]> {
  const root = await sourceFolder(files);
  const archive = await newArchive();
  try {
    const { notices } = await importPaths(archive, [root], { signal });
    expect(notices.every(({ path }) => path === root)).toBe(true);
    return notices.map(({ notice }) => notice);
  } finally {
    await archive.close();
  }
}

test('one file', async () => {
  expect(await noticesOf({ 'a.mbox.gz': gzipSync('From a') })).toEqual([
    'holds 1 compressed file, stored as it is, and no mail in it was read: a.mbox.gz; unpack it, and import it again',
  ]);
});

test('many: their number, and the first ones', async () => {
  const xz = Buffer.from('fd377a585a0000', 'hex');
  const files = Object.fromEntries(['b', 'c', 'd', 'e'].map((name) => [`${name}.tar.xz`, xz]));
  expect(await noticesOf({ ...files, 'plain.txt': 'text' })).toEqual([
    'holds 4 compressed files, stored as they are, and no mail in them was read: b.tar.xz, c.tar.xz, d.tar.xz, …; unpack them, and import them again',
  ]);
});

test.each(['plan.nmind', 'drawing.svgz', 'table.ods'])(
  '%s is a document, whose format is compressed',
  async (name) => {
    expect(await noticesOf({ [name]: gzipSync('a document') })).toEqual([]);
  },
);

test.each(['list', 'list.2004-05', '2004.mbox', 'MAIL.GZ', 'mail.tgz', '.mail.zst'])(
  '%s may hold mail',
  async (name) => {
    expect(await noticesOf({ [name]: gzipSync('From a') })).toHaveLength(1);
  },
);

test('files of Outlook are named apart', async () => {
  const msg = Buffer.from('d0cf11e0a1b11ae1', 'hex');
  expect(await noticesOf({ 'a.msg': msg, 'b.doc': msg, 'c.pst': '!BDN' })).toEqual([
    'holds 2 files of Outlook, stored as they are, and no mail in them was read: a.msg, c.pst; arx import FILE says what converts one',
  ]);
});
