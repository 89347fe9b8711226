// Opening an archive: created once, private, migrated, never one that is newer or foreign; and what is kept in it.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, expect, test } from 'vitest';
import { ArchiveUnreadable, openArchive } from '../../../src/service/index.ts';
import { redact, rowsOfSameFile, unredact } from '../../../src/service/administration.ts';
import { summariesOf } from '../../../src/service/store/meta-table/summary.ts';
import { fileKey } from '../../../src/service/store/meta-table/file-key.ts';
import { insert, sampleArchive, tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { moved } from '../../support/event.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('open')));

const open = (folder = join(dir, 'a', 'b'), mustExist = false) =>
  openArchive({ sleep, dir: folder, mustExist, now: () => 0, randomBytes });

test('creates the folder for its owner alone, and opens again with the same key', async () => {
  const first = await open();
  expect((await stat(join(dir, 'a', 'b'))).mode & 0o777).toBe(0o700);
  // Made with the archive: the first list of files has nothing to write.
  expect(await first.database.all('SELECT key FROM meta')).toEqual([{ key: 'file_key' }]);
  const key = await fileKey(first);
  expect(key).toHaveLength(32);
  expect(Buffer.compare(await fileKey(first), key)).toBe(0);
  await first.close();
  const second = await open();
  expect(Buffer.compare(await fileKey(second), key)).toBe(0);
  await second.close();
});

test('commits are durable: WAL with synchronous FULL on the writing connection', async () => {
  const archive = await open();
  const pragma = await archive.database.transaction(async (statements) => [
    await statements.get('PRAGMA journal_mode'),
    await statements.get('PRAGMA synchronous'),
  ]);
  expect(pragma).toEqual([{ journal_mode: 'wal' }, { synchronous: 2 }]);
  await archive.close();
});

test('the database is its owner’s alone, in a folder open to others too, and an older one is mended', async () => {
  const umask = process.umask(0);
  try {
    const folder = join(dir, 'open');
    await mkdir(folder, { mode: 0o755 });
    const modes = () =>
      Promise.all(
        ['', '-wal', '-shm'].map(async (end) => (await stat(join(folder, `archive.db${end}`))).mode & 0o777),
      );
    const first = await open(folder);
    await fileKey(first);
    expect(await modes()).toEqual([0o600, 0o600, 0o600]);
    await first.close();
    process.umask(0o777);
    const masked = await open(join(dir, 'masked'));
    expect((await stat(join(dir, 'masked', 'archive.db'))).mode & 0o777).toBe(0o600);
    await masked.close();
    process.umask(0);
    const holder = await open(folder);
    for (const end of ['', '-wal', '-shm']) await chmod(join(folder, `archive.db${end}`), 0o644);
    const second = await open(folder);
    expect(await modes()).toEqual([0o600, 0o600, 0o600]);
    await Promise.all([holder.close(), second.close()]);
  } finally {
    process.umask(umask);
  }
});

test('without space lists are read as ever, also the first of files, and what cannot be written says why', async () => {
  const sample = await sampleArchive();
  try {
    const { archive, service } = sample;
    const token = await tokenFor(service, 'internal');
    await archive.database.run('PRAGMA max_page_count = 1');
    const event = (n: number) => ({ token, body: moved(`evt_${n}${'x'.repeat(150)}`, 1, n) });
    let full = await call(service, '/api/webhooks/ingest', event(1));
    for (let n = 2; n < 400 && full.status < 300; n += 1)
      full = await call(service, '/api/webhooks/ingest', event(n));
    expect(full.json.error).toMatchObject({
      code: 'store_unavailable',
      message: 'the archive cannot be written: no space is left for it',
    });
    for (const target of ['/v1/attachments', '/messages', '/api/webhooks/events', '/api/health']) {
      expect((await call(service, target, { token })).status, target).toBeLessThan(300);
    }
  } finally {
    await sample.close();
  }
});

test('several may open a new archive at once', async () => {
  const archives = await Promise.all([open(), open(), open(), open()]);
  for (const archive of archives) expect((await summariesOf(archive)).mirror.messages).toBe(0);
  await Promise.all(archives.map((archive) => archive.close()));
});

test('what is not an archive is said to be none, and stays as it is', async () => {
  await writeFile(
    join(dir, 'archive.db'),
    'this is not a database, but it is long enough to look like one '.repeat(20),
  );
  await expect(open(dir)).rejects.toThrow(ArchiveUnreadable);
  expect((await stat(join(dir, 'archive.db'))).size).toBe(1260);
});

// Of another program, or an archive under the log (-wal) of another database.
test.each([
  [false, 'it contains tables of something else'],
  [
    true,
    'archive.db is missing, empty or the database of something else, but the files of an archive are here',
  ],
])('a database with other tables is not made an archive; files beside it: %j', async (hasFiles, why) => {
  const database = new DatabaseSync(join(dir, 'archive.db'));
  database.exec('CREATE TABLE other (x)');
  if (hasFiles) await mkdir(join(dir, 'blobs', '4e'), { recursive: true });
  for (const mustExist of [true, false]) await expect(open(dir, mustExist)).rejects.toMatchObject({ why });
  expect(database.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'other' }]);
  database.close();
});

test('the summary follows what is added, redacted and moved', async () => {
  const sample = await sampleArchive({ conversations: 2, messages: 2, attachments: 5, redactEvery: 0 });
  const { archive, service } = sample;
  try {
    const before = (await summariesOf(archive)).mirror;
    // Attachment 5 has bytes behind its end: one of 4 × 6 + 5 × 5 checks.
    expect(before).toMatchObject({
      messages: 4,
      attachments: 5,
      conversations: 2,
      displaced: 0,
    });
    expect(before.integrity).toBe(Math.round((48 / 49) * 1e4) / 1e4);
    expect((await summariesOf(archive)).mirror).toEqual(before);
    const row = {
      n: 5,
      conversation: 1,
      sequence: 5,
      format: 'file',
      source: 'local',
      classification: 'reply',
    };
    const rest = {
      raw_sha256: 'x',
      raw_bytes: 0,
      attachments: 0,
      tier: 'external',
      path: 'x',
      position: 1,
      failed: 63,
    };
    await archive.database.transaction((statements) => insert(statements, 'messages', { ...row, ...rest }));
    expect((await summariesOf(archive)).mirror.integrity).toBe(Math.round((48 / 55) * 1e4) / 1e4);

    const token = await tokenFor(service);
    const read = async (id: string) => (await call(service, `/v1/attachments/${id}`, { token })).json;
    expect(await redact(archive, 'att_2', 'a reason')).toBe(true);
    expect(await read('att_2')).toMatchObject({ redacted: true, file_url: null });
    expect(await rowsOfSameFile(archive, 'att_2')).toMatchObject({ redacted: 1 });
    expect(await unredact(archive, 'att_2')).toBe(true);
    expect(await rowsOfSameFile(archive, 'att_2')).toMatchObject({ redacted: 0 });
    expect(await rowsOfSameFile(archive, 'att_99')).toEqual({ rows: 0, redacted: 0 });
    expect(await read('att_2')).toMatchObject({ redacted: false, content_type: 'image/png' });
    expect([await redact(archive, 'att_99', 'x'), await redact(archive, 'msg_1', 'x')]).toEqual([
      false,
      false,
    ]);
  } finally {
    await sample.close();
  }
});
