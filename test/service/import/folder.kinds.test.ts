// Importing folders of mails, mailboxes and other files, with and without a named kind.
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ImportKind } from '../../../src/contract/import-kind.ts';
import { importPaths } from '../../support/import-paths.ts';
import { MAIL, mailbox, MBOX, newArchive, signal, sourceFolder } from './sources.ts';

/** What is stored of a folder: messages of each format, and the kind that was reported. */
async function storedOf(files: Record<string, string>, kind?: ImportKind): Promise<Record<string, unknown>> {
  const archive = await newArchive();
  try {
    const root = await sourceFolder(files);
    const report = await importPaths(archive, [root], { signal, ...(kind === undefined ? {} : { kind }) });
    expect(report.refused).toEqual([]);
    const rows = await archive.database.all<{ format: string; n: number }>(
      'SELECT format, COUNT(*) AS n FROM messages GROUP BY format',
    );
    return {
      kind: report.sources[0]?.kind,
      ...Object.fromEntries(rows.map(({ format, n }) => [format, n])),
    };
  } finally {
    await archive.close();
  }
}

describe('a folder', () => {
  const mail = (n: number) => MAIL.replace('<1@b>', `<mail-${n}@b>`);
  const mails = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`mails/${n}.eml`, mail(n)]));
  const maildir = {
    'in/cur/1.a:2,S': mail(1),
    'in/new/2.b': mail(2),
    'in/tmp/3.c': mail(3),
    'in/index': 'x',
  };

  test.each<[name: string, files: Record<string, string>, stored: Record<string, unknown>]>([
    ['of one mailbox', { box: mailbox(9) }, { kind: 'mbox', rfc822: 9 }],
    [
      'of mailboxes, one of them with one mail',
      { a: mailbox(9), b: MBOX + mail(1) },
      { kind: 'mbox', rfc822: 10 },
    ],
    [
      'of a mailbox and a note',
      { box: mailbox(9), 'readme.txt': 'x' },
      { kind: 'folder', rfc822: 9, file: 1 },
    ],
    [
      'of a mailbox and mails',
      { box: mailbox(9), ...mails(40), n: '' },
      { kind: 'folder', rfc822: 49, file: 1 },
    ],
    [
      'of mails and as many others',
      { ...mails(5), ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, name])) },
      { kind: 'folder', rfc822: 5, file: 5 },
    ],
    [
      'of mails, with a mailbox that is not sampled',
      { ...mails(99), 'mails/00': mailbox(3) },
      { kind: 'folder', rfc822: 102 },
    ],
    ['of mails and one other file', { ...mails(9), note: 'x' }, { kind: 'mail', rfc822: 10 }],
    [
      'of mails and a picture',
      { ...mails(9), 'mails/a.png': '\x89PNG\r\n\x1a\n\0\0\0\rIHDR' },
      { kind: 'folder', rfc822: 9, file: 1 },
    ],
    [
      'of mails and a file of a program',
      { ...mails(9), 'mails/.mh_sequences': 'cur: 2\n' },
      { kind: 'mail', rfc822: 9 },
    ],
    ['of Maildirs', { ...maildir, 'b/cur/1.x:2,': mail(4), 'b/new/': '' }, { kind: 'maildir', rfc822: 3 }],
    [
      'of a Maildir with folders and a note',
      { ...maildir, 'in/.Sent/cur/1.x:2,': mail(4), 'in/.Sent/new/': '', note: 'x' },
      { kind: 'folder', rfc822: 3, file: 1 },
    ],
    ['of prose', { a: 'From here on\nit is prose\n\nFrom there too\n' }, { kind: 'folder', file: 1 }],
    [
      'of a mailbox, and one with a poor envelope',
      { a: mailbox(9), b: 'From \nList-Id: x\n\ntext\n' },
      { kind: 'mbox', rfc822: 10 },
    ],
    [
      'of a mail and a saved web page',
      {
        a: mail(1),
        note: 'x',
        b: 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x--\n',
      },
      { kind: 'folder', rfc822: 1, file: 2 },
    ],
    ['of nothing', {}, { kind: 'folder' }],
  ])('%s', async (_name, files, stored) => {
    expect(await storedOf(files)).toEqual(stored);
  });

  test('of mails refuses the links and pipes in it', async () => {
    const root = await sourceFolder(mails(9));
    await symlink('mails/1.eml', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const archive = await newArchive();
    const report = await importPaths(archive, [root], { signal });
    expect(report.sources).toMatchObject([{ kind: 'mail', messages: { read: 11, stored: 9, refused: 2 } }]);
    expect(report.refused.map(({ reason }) => reason)).toEqual(['is a link', 'is not a regular file']);
    await archive.close();
  });

  test('gives the same messages as its mailboxes imported one by one', async () => {
    const root = await sourceFolder({ a: mailbox(9), b: MBOX + mail(1), 'c/d': mailbox(20) });
    const archive = await newArchive();
    await importPaths(archive, [root], { signal });
    const again = await importPaths(
      archive,
      ['a', 'b', 'c/d'].map((name) => join(root, name)),
      { signal },
    );
    expect(again.sources.map(({ messages }) => messages.stored)).toEqual([0, 0, 0]);
    await archive.close();
  });

  test.each<[kind: ImportKind, files: Record<string, string>, stored: Record<string, unknown>]>([
    ['folder', { ...mails(9), box: mailbox(3) }, { kind: 'folder', file: 10 }],
    ['mail', { ...mails(9), box: mailbox(3), 'readme.txt': 'x' }, { kind: 'mail', rfc822: 11 }],
    ['maildir', { 'cur/1': mail(1), 'new/': '' }, { kind: 'maildir', rfc822: 1 }],
    ['folder', maildir, { kind: 'folder', file: 4 }],
  ])('named as %s', async (kind, files, stored) => {
    expect(await storedOf(files, kind)).toEqual(stored);
  });

  test.each<[kind: ImportKind, path: string]>([
    ['mbox', ''],
    ['mbox', 'note'],
    ['maildir', ''],
    ['maildir', 'box'],
    ['slack', ''],
    ['slack', 'box'],
    ['folder', 'box'],
  ])('named as %s, but it is of another kind: %j', async (kind, path) => {
    const root = await sourceFolder({ box: mailbox(3), note: 'x' });
    const archive = await newArchive();
    const doomed = importPaths(archive, [join(root, path)], { signal, kind });
    await expect(doomed).rejects.toMatchObject({ kind: 'usage' });
    await archive.close();
  });

  test.each([{}, mails(9)])('refuses names that are not UTF-8', async (files) => {
    const root = await sourceFolder({ ...files, 'a.txt': 'x', 'd/b.txt': 'y' });
    const bad = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
    await writeFile(bad('caf\xe9.txt'), 'x');
    await mkdir(bad('\xe9'));
    const archive = await newArchive();
    const report = await importPaths(archive, [root], { signal });
    expect(report.refused.map(({ path, reason }) => [path.slice(root.length + 1), reason])).toEqual([
      ['caf\ufffd.txt', 'has a name that is not UTF-8'],
      ['\ufffd', 'has a name that is not UTF-8'],
    ]);
    expect(report.sources[0]?.messages.stored).toBe(Object.keys(files).length + 2);
    await archive.close();
  });
});
