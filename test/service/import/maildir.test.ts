// Importing a Maildir.
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPaths } from '../../support/import-paths.ts';
import { MAIL, MBOX, newArchive, signal, sourceFolder } from './sources.ts';

test('a Maildir is read in order of delivery, without tmp and without following links', async () => {
  const mail = (n: number) => MAIL.replace('<1@b>', `<${n}@b>`);
  const root = await sourceFolder({
    'cur/1000000010.a:2,S': mail(2),
    'cur/999999999.b:2,': mail(1),
    'cur/.hidden': mail(9),
    'new/5.c': mail(3),
    'tmp/1.d': mail(9),
  });
  await symlink(join(root, 'tmp/1.d'), join(root, 'new/6.link'));
  execFileSync('mkfifo', [join(root, 'cur/7.pipe')]);
  await mkdir(join(root, 'cur/8.folder'));
  const archive = await newArchive();
  const report = await importPaths(archive, [root], { signal });
  expect(report.sources).toMatchObject([{ kind: 'maildir', messages: { read: 5, stored: 3, refused: 2 } }]);
  expect(report.refused).toEqual([
    { path: join(root, 'cur/7.pipe'), offset: 0, reason: 'is not a regular file' },
    { path: join(root, 'new/6.link'), offset: 0, reason: 'is a link' },
  ]);
  expect(report.skipped.map(({ path, reason }) => [path, reason])).toEqual([
    [join(root, 'cur/.hidden'), 'has a name that begins with a dot'],
    [join(root, 'tmp/1.d'), 'is in tmp: it was never delivered'],
  ]);
  const keys = await archive.database.all('SELECT message_key FROM messages ORDER BY n');
  expect(keys.map((row) => row['message_key'])).toEqual(['1@b', '2@b', '3@b']);
  await archive.close();
});

test('mails beside cur and new, in plain folders and in mailboxes below a Maildir are read', async () => {
  const mail = (n: number) => MAIL.replace('<1@b>', `<${n}@b>`);
  const root = await sourceFolder({
    'cur/1.a:2,S': mail(1),
    'new/': '',
    'cur/folder/2.b': mail(2),
    'beside.eml': mail(3),
    'dovecot-uidlist': '3 V1 N1\n',
    'Old/2019/4.eml': mail(4),
    'Old/notes.txt': 'x',
    'Old/box': `${MBOX}${mail(5)}\n${MBOX}${mail(6)}`,
    'Old/inner/cur/7.a': mail(7),
    'Old/inner/new/': '',
    '.Sent/cur/8.a': mail(8),
    '.Sent/new/': '',
  });
  const archive = await newArchive();
  const report = await importPaths(archive, [root], { signal });
  expect(report).toMatchObject({
    sources: [
      {
        kind: 'maildir',
        messages: { read: 8, stored: 8 },
        files: { seen: 9, read: 7, known: 0, refused: 0, skipped: 2 },
      },
    ],
    refused: [],
  });
  expect(report.skipped).toEqual(
    ['dovecot-uidlist', 'Old/notes.txt'].map((name) => ({
      path: join(root, name),
      offset: null,
      bytes: null,
      reason: 'is no mail',
    })),
  );
  await archive.close();
});
