// Importing paths: counts, repeated and interrupted imports, full disks.
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ImportReport } from '../../../src/contract/reports/archive.ts';
import { Fault } from '../../../src/faults.ts';
import { importItems, type ImportProgress } from '../../../src/service/import/index.ts';
import { importPaths } from '../../support/import-paths.ts';
import { summariesOf } from '../../../src/service/store/meta-table/summary.ts';
import type { ImportItem } from '../../../src/service/records/import-items.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { contentOf, mailbox, newArchive, signal, sourceFolder } from './sources.ts';

describe('a full disk', () => {
  const full = {
    kind: 'disk',
    message: 'archive: no space left on the device',
    detail: { kept: 'what was stored before; the same import goes on from there' },
  };

  test('while files are written is a disk fault and loses no stored message', async () => {
    const path = join(await sourceFolder({ box: mailbox(700) }), 'box');
    const archive = await newArchive();
    let puts = 0;
    const put = archive.blobs.put.bind(archive.blobs);
    archive.blobs.put = async (sha256, content) => {
      puts += 1;
      if (puts > 60) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      await put(sha256, content);
    };
    await expect(importPaths(archive, [path], { signal })).rejects.toMatchObject(full);
    archive.blobs.put = put;
    expect((await contentOf(archive))[0]).toHaveLength(256);
    const report = await importPaths(archive, [path], { signal });
    expect(report.sources[0]?.messages).toMatchObject({ stored: 444, known: 256 });
    await archive.close();
  });

  test('while rows are written is a disk fault and loses no stored message', async () => {
    const path = join(await sourceFolder({ box: mailbox(700) }), 'box');
    const archive = await newArchive();
    // Runs on the connection that writes.
    await archive.database.run('PRAGMA max_page_count = 140');
    let last = 0;
    const progress = ({ read }: ImportProgress) => {
      last = read;
    };
    await expect(importPaths(archive, [path], { signal, progress })).rejects.toMatchObject(full);
    expect(last).toBeGreaterThan(0);
    expect((await contentOf(archive))[0]).toHaveLength(last);
    await archive.database.run('PRAGMA max_page_count = 100000');
    const report = await importPaths(archive, [path], { signal });
    expect(report.sources[0]?.messages).toMatchObject({ stored: 700 - last, known: last });
    await archive.close();
  });
});

test('an export with more refused messages than a call takes arguments is imported', async () => {
  const count = 200_000;
  const path = await sourceFolder({ 'channels.json': '[{"id":"C1","name":"talk"}]', 'users.json': '[]' });
  await mkdir(join(path, 'talk'));
  await writeFile(join(path, 'talk/2026-01-01.json'), `[${'{},'.repeat(count - 1)}{}]`);
  const report = await importPaths(undefined, [path], { dryRun: true, signal });
  expect(report.sources[0]?.messages).toMatchObject({ read: count, refused: count });
  // The report lists the first ones and counts the others.
  expect(report.refused).toHaveLength(10_000);
  expect(report.not_listed).toEqual([
    { list: 'refused', reason: report.refused[0]?.reason, count: count - 10_000 },
  ]);
});

test('removes unfinished files of killed imports, but not of running ones', async () => {
  const dir = join(tempFolder('import'), 'archive');
  const archive = await newArchive(dir);
  const blobs = join(dir, 'blobs');
  await mkdir(join(blobs, 'ab'), { recursive: true });
  for (const [name, age] of [
    ['old.1.new', 3601],
    ['young.2.new', 3599],
    ['old', 9999],
  ] as const) {
    await writeFile(join(blobs, 'ab', name), 'x');
    const time = Date.UTC(2026, 0, 1) / 1000 - age;
    await utimes(join(blobs, 'ab', name), time, time);
  }
  await importPaths(archive, [await sourceFolder({})], { signal });
  expect((await readdir(join(blobs, 'ab'))).sort()).toEqual(['old', 'young.2.new']);
  await archive.close();
});

test.each(['maildir', 'mail', 'folder'] as const)(
  'the progress of a %s has bytes of a total',
  async (kind) => {
    const mails = Array.from(
      { length: 600 },
      (_, n) => `From: a@b.example\r\nSubject: ${n}\r\n\r\nText ${n}.\r\n`,
    );
    const dir = await sourceFolder({});
    for (const folder of ['cur', 'new', 'tmp']) await mkdir(join(dir, folder));
    for (const [n, mail] of mails.entries()) await writeFile(join(dir, 'cur', `${n}.host`), mail);
    const total = mails.join('').length;
    const archive = await newArchive();
    const steps: ImportProgress[] = [];
    await importPaths(archive, [dir], { kind, signal, progress: (state) => steps.push(state) });
    expect(steps[0]).toMatchObject({ read: 0, done: null, total: null });
    expect(steps.at(-1)).toMatchObject({ read: 600, done: total, total });
    await archive.close();
  },
);

test('a second import stores nothing and counts everything as known', async () => {
  const path = join(await sourceFolder({ box: mailbox(300) }), 'box');
  const archive = await newArchive();
  const steps: ImportProgress[] = [];
  const first = await importPaths(archive, [path], {
    signal,
    originCity: 'oslo',
    progress: (state) => steps.push(state),
  });
  expect(ImportReport.parse(first).sources).toEqual([
    {
      path,
      kind: 'mbox',
      messages: { read: 300, stored: 300, known: 0, refused: 0 },
      attachments: { stored: 300, known: 0 },
      files: { seen: 1, read: 1, known: 0, refused: 0, skipped: 0 },
      formats: [{ format: 'mbox', files: 1 }],
    },
  ]);
  expect(steps.map(({ read }) => read)).toEqual([0, 256, 300]);
  expect(steps.at(-1)?.done).toBeLessThanOrEqual(steps.at(-1)?.total ?? 0);
  const content = await contentOf(archive);
  const second = await importPaths(archive, [path, path], { signal });
  for (const { messages, attachments, files } of second.sources) {
    expect(files).toEqual({ seen: 1, read: 0, known: 1, refused: 0, skipped: 0 });
    expect(messages).toEqual({ read: 300, stored: 0, known: 300, refused: 0 });
    expect(attachments).toEqual({ stored: 0, known: 300 });
  }
  expect(second.conversations).toBe(first.conversations);
  expect(await contentOf(archive)).toEqual(content);
  expect(await archive.database.all('SELECT DISTINCT origin_city FROM attachments')).toEqual([
    { origin_city: 'oslo' },
  ]);
  await archive.close();
});

test('what is imported is internal unless the import names a tier, which known messages get, too', async () => {
  const header = ['From: a@b', 'Date: 1 Mar 2024 10:00 +0000', 'List-Id: <l.example>', 'Precedence: list'];
  const file = [
    'Content-Type: image/png; name=a.png',
    'Content-Disposition: attachment; filename=a.png',
    '',
    'x',
  ];
  const dir = await sourceFolder({
    'list.eml': [...header, 'Message-ID: <1@b>', 'Subject: s', ...file].join('\n'),
    'notes.txt': 'notes',
    'export/users.json': '[]',
  });
  const slack = await sourceFolder({
    'users.json': '[]',
    'channels.json': '[{"id":"C1","name":"general"},{"id":"C2","name":"board","is_private":true}]',
    'general/2024-01-02.json': '[{"ts":"1.1","text":"public"}]',
    'board/2024-01-02.json': '[{"ts":"1.1","text":"private"}]',
  });
  const archive = await newArchive();
  const tiers = async () => {
    // What depends on the tiers of rows.
    const wrong = `SELECT n FROM conversations c
      WHERE tier <> (SELECT MAX(m.tier) FROM messages m WHERE m.conversation = c.n)`;
    expect(await archive.database.all(wrong)).toEqual([]);
    const summaries = await summariesOf(archive);
    await archive.database.run(`DELETE FROM meta WHERE key = 'summary'`);
    expect(await summariesOf(archive)).toEqual(summaries);
    const rows = await archive.database.all<{ subject: string; tier: string; files: string | null }>(
      `SELECT m.subject, m.tier, (SELECT MIN(a.tier) FROM attachments a WHERE a.message = m.n) AS files
        FROM messages m ORDER BY m.subject`,
    );
    return Object.fromEntries(rows.map(({ subject, tier, files }) => [subject, [tier, files]]));
  };
  const internal = {
    'export/users.json': ['internal', 'internal'],
    'notes.txt': ['internal', 'internal'],
    private: ['internal', null],
    public: ['internal', null],
    s: ['internal', 'internal'],
  };
  await importPaths(archive, [dir, slack], { signal });
  expect(await tiers()).toEqual(internal);
  const external = await importPaths(archive, [dir, slack], { signal, tier: 'external' });
  expect(external.sources.map(({ messages }) => messages.stored)).toEqual([0, 0]);
  expect(external.tier_changes).toEqual([{ from: 'internal', to: 'external', messages: 4 }]);
  expect(await tiers()).toEqual({
    'export/users.json': ['external', 'external'],
    'notes.txt': ['external', 'external'],
    private: ['internal', null],
    public: ['external', null],
    s: ['external', 'external'],
  });
  // Without a name, what is known stays as it is.
  await importPaths(archive, [dir], { signal });
  expect((await tiers())['s']).toEqual(['external', 'external']);
  await importPaths(archive, [dir, slack], { signal, tier: 'internal' });
  expect(await tiers()).toEqual(internal);
  await archive.close();
});

test('an interrupted import that is run again ends like an uninterrupted one', async () => {
  const path = join(await sourceFolder({ box: mailbox(700) }), 'box');
  const whole = await newArchive();
  await importPaths(whole, [path], { signal });
  const cut = await newArchive();
  const controller = new AbortController();
  const reason = new Fault('interrupted', 'interrupted', { signal: 'SIGINT' });
  const doomed = importPaths(cut, [path], {
    signal: controller.signal,
    progress: ({ stored }) => {
      if (stored > 0) controller.abort(reason);
    },
  });
  await expect(doomed).rejects.toBe(reason);
  expect((await contentOf(cut))[0]).toHaveLength(256);
  const report = await importPaths(cut, [path], { signal });
  expect(report.sources[0]?.messages).toEqual({ read: 700, stored: 444, known: 256, refused: 0 });
  expect(await contentOf(cut)).toEqual(await contentOf(whole));
  await whole.close();
  await cut.close();
});

test('is interrupted while the kind of a path is detected', async () => {
  const stop = new AbortController();
  const running = importPaths(undefined, ['/nowhere'], { dryRun: true, signal: stop.signal });
  stop.abort(new Error('interrupted'));
  await expect(running).rejects.toThrow('interrupted');
});

test('counts and reports what a reader refuses', async () => {
  const archive = await newArchive();
  async function* items(): AsyncGenerator<ImportItem> {
    yield { kind: 'refused', path: 'x', position: 7, reason: 'is damaged' };
  }
  expect(await importItems(archive, items())).toMatchObject({
    messages: { read: 1, stored: 0, known: 0, refused: 1 },
  });
  await archive.close();
});
