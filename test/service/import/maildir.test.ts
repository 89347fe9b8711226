// Importing a Maildir.
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPaths } from '../../../src/service/import/index.ts';
import { MAIL, newArchive, signal, sourceFolder } from './sources.ts';

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
  expect(report.sources).toMatchObject([{ kind: 'maildir', messages: { read: 6, stored: 3, refused: 3 } }]);
  expect(report.refused).toEqual([
    { path: join(root, 'cur/7.pipe'), offset: 0, reason: 'is not a regular file' },
    { path: join(root, 'cur/8.folder'), offset: 0, reason: 'is a folder' },
    { path: join(root, 'new/6.link'), offset: 0, reason: 'is a link' },
  ]);
  const keys = await archive.database.all('SELECT message_key FROM messages ORDER BY n');
  expect(keys.map((row) => row['message_key'])).toEqual(['1@b', '2@b', '3@b']);
  await archive.close();
});
