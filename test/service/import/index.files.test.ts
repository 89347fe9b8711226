// Every file below an imported path is accounted for: seen = read + known + refused + skipped.
import { fc, test as property } from '@fast-check/vitest';
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ImportKind } from '../../../src/contract/import-kind.ts';
import { ImportReport } from '../../../src/contract/reports/archive.ts';
import { importPaths } from '../../support/import-paths.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { zipOf } from '../../support/zip.ts';
import { MAIL, mailbox, newArchive, signal, sourceFolder } from './sources.ts';

async function imported(paths: string[], kind?: ImportKind): Promise<ImportReport> {
  const archive = await newArchive();
  try {
    const report = await importPaths(archive, paths, { signal, ...(kind === undefined ? {} : { kind }) });
    return ImportReport.parse(report);
  } finally {
    await archive.close();
  }
}

/** Everything below a folder that is no folder. */
async function entriesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

describe('a folder of any files', () => {
  const folder = fc.constantFrom(
    '',
    'a/',
    'a/b/c/d/e/',
    'cur/',
    'new/',
    'tmp/',
    'in/cur/',
    'in/new/',
    'in/.x/',
  );
  const name = fc.constantFrom(
    '1',
    '2.eml',
    '.hidden',
    'x.txt',
    '1000000010.a:2,S',
    'users.json',
    'channels.json',
  );
  const content = fc.constantFrom(MAIL, mailbox(3), '', 'From \nA: b\n\n', 'text', '[]', '{');
  const files = fc.array(fc.tuple(folder, name, content), { maxLength: 12 });
  const kinds = fc.constantFrom<ImportKind | undefined>(undefined, 'folder', 'mail');

  property.prop([files, kinds], { numRuns: 40 })('is counted file by file', async (list, kind) => {
    const root = await sourceFolder(Object.fromEntries(list.map(([at, n, text]) => [`${at}${n}`, text])));
    const { sources, skipped } = await imported([root], kind);
    const found = await entriesBelow(root);
    expect(sources[0]?.files.seen).toBe(found.length);
    expect(skipped.filter(({ offset }) => offset === null)).toHaveLength(sources[0]?.files.skipped ?? 0);
  });
});

test('links and pipes are refused, and counted', async () => {
  const root = await sourceFolder({ 'a.txt': 'x', 'cur/1': MAIL, 'new/': '' });
  for (const at of ['link', 'cur/link']) symlinkSync('/etc/passwd', join(root, at));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const { sources } = await imported([root]);
  expect(sources[0]?.files).toEqual({ seen: 5, read: 1, known: 0, refused: 3, skipped: 1 });
});

describe('a Slack export', () => {
  const message = (ts: string, more: object = {}) => ({
    type: 'message',
    user: 'U1',
    text: 'x',
    ts,
    ...more,
  });
  const files: [name: string, content: string][] = [
    ['users.json', '[]'],
    ['channels.json', '[{"id":"C1","name":"general"}]'],
    ['integration_logs.json', '[]'],
    ['general/2024-01-02.json', JSON.stringify([message('1.1', { files: [{ id: 'F1', name: 'a.txt' }] })])],
    ['general/2024-01-03.json', '[]'],
    ['general/canvas_in_the_conversation.json', '{}'],
    ['general/2024-01-04.json', '{'],
    ['__uploads/F1/a.txt', 'one'],
    ['__uploads/F2/b.txt', 'two'],
    ['a/b/c/d/e/deep.txt', 'x'],
  ];
  const counts = { seen: 10, read: 5, known: 0, refused: 1, skipped: 4 };
  const reasons = [
    '__uploads/F2/b.txt is an upload that no message shows',
    'a/b/c/d/e/deep.txt is no list of users, channels or messages',
    'general/canvas_in_the_conversation.json is no list of users, channels or messages',
    'integration_logs.json is no list of users, channels or messages',
  ];

  test('as a folder', async () => {
    const root = await sourceFolder(Object.fromEntries(files));
    symlinkSync('/etc/passwd', join(root, 'link'));
    const { sources, skipped, refused } = await imported([root]);
    expect(sources[0]).toMatchObject({
      kind: 'slack',
      files: { ...counts, seen: counts.seen + 1, refused: counts.refused + 1 },
    });
    expect(refused.map(({ path }) => path.slice(root.length + 1)).sort()).toEqual([
      'general/2024-01-04.json',
      'link',
    ]);
    expect(skipped.map(({ path, reason }) => `${path.slice(root.length + 1)} ${reason}`).sort()).toEqual(
      reasons,
    );
  });

  test('as a zip, with a name twice, and with one that leads out of the zip', async () => {
    const path = join(tempFolder('slack-zip'), 'export.zip');
    writeFileSync(path, zipOf([...files, ['users.json', '[1]'], ['../../etc/passwd', 'x']]));
    const { sources, skipped } = await imported([path]);
    expect(sources[0]?.files).toEqual({ ...counts, seen: counts.seen + 2, skipped: counts.skipped + 2 });
    expect(skipped.map(({ path: at, reason }) => `${at.slice(path.length + 1)} ${reason}`).sort()).toEqual([
      '../../etc/passwd is no list of users, channels or messages',
      ...reasons,
      'users.json has the name of an earlier entry',
    ]);
  });

  test('with uploads beside it, some of them unused', async () => {
    const root = await sourceFolder(Object.fromEntries(files.slice(0, 7)));
    const uploads = await sourceFolder({ '__uploads/F1/a.txt': 'one', '__uploads/F9/c.txt': 'x' });
    const { sources } = await imported([root, uploads]);
    expect(sources[0]?.files).toMatchObject({ seen: 9, read: 5, refused: 1, skipped: 3 });
  });

  test('with a list that is missing counts no file for it', async () => {
    const root = await sourceFolder({ 'channels.json': '[]' });
    const { sources, refused } = await imported([root]);
    expect(sources[0]?.files).toEqual({ seen: 1, read: 1, known: 0, refused: 0, skipped: 0 });
    expect(refused).toMatchObject([{ reason: 'is not there' }]);
  });
});
