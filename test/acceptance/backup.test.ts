// Backup and restore as documented: taken while events arrive, then checked by fsck, and every list is equal byte for byte.
import { execFile, execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { BackupReport } from '../../src/contract/reports/archive.ts';
import {
  createService,
  openArchive,
  type OpenArchive,
  type ArchiveLocation,
} from '../../src/service/index.ts';
import { backUp } from '../../src/service/administration.ts';
import { blobPath } from '../../src/service/store/files/blobs.ts';
import { tokenFor } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { arx } from '../support/command.ts';
import { CLUSTER, type Cluster } from '../support/cluster.ts';
import { moved } from '../support/event.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { withClient, freshUrl, noPostgres, schemaOf, urlOf } from '../support/postgres.ts';
import { sampleIn } from '../support/sample.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('backup')));

const open = (place: ArchiveLocation): Promise<OpenArchive> =>
  openArchive({ ...place, sleep, now: Date.now, randomBytes });

/** Every list of an archive to its end, and the stored bytes of some messages, as text. */
async function contents(archive: OpenArchive): Promise<string[]> {
  const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
  const token = await tokenFor(service, 'mirror');
  const texts: string[] = [];
  for (const path of ['/v1/conversations', '/messages', '/v1/attachments', '/api/webhooks/events']) {
    for (let after = '', more = true; more;) {
      const { text, json } = await call(service, `${path}?limit=100${after}`, { token });
      texts.push(text);
      more = json.has_more === true;
      after = `&starting_after=${json.data.at(-1)?.id}`;
    }
  }
  for (const id of ['msg_1', 'msg_7', 'msg_100'])
    texts.push((await call(service, `/api/content/${id}`, { token })).text);
  return texts;
}

/** Sends events until it is stopped; returns how many were acknowledged. */
function ingesting(archive: OpenArchive): { acknowledged(): number; end(): Promise<void> } {
  const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
  let count = 0;
  const ending = new AbortController();
  const work = (async () => {
    const token = await tokenFor(service);
    while (!ending.signal.aborted) {
      const { status } = await call(service, '/api/webhooks/ingest', {
        token,
        body: moved(`evt_${count + 1}`, (count % 100) + 1, count),
      });
      expect(status).toBe(200);
      count += 1;
      await sleep(1);
    }
  })();
  return {
    acknowledged: () => count,
    end: () => {
      ending.abort();
      return work;
    },
  };
}

const FSCK_OK = { exit: 0, stderr: '' };

describe('SQLite', () => {
  test('a backup under ingest is one moment of the archive, and opens as an archive', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    const archive = await open({ dir: join(dir, 'data') });
    const events = ingesting(archive);
    while (events.acknowledged() < 20) await sleep(5);
    const before = events.acknowledged();
    const ran = await arx(dir, 'backup --to copy --json');
    const after = events.acknowledged();
    await events.end();
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    expect(BackupReport.parse(JSON.parse(ran.stdout))).toMatchObject({ files: { known: 0 } });
    expect(await arx(dir, 'fsck --database sqlite:copy')).toMatchObject(FSCK_OK);
    const copy = await open({ dir: join(dir, 'copy') });
    const kept = (await copy.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM events'))!.n;
    await copy.close();
    expect(kept).toBeGreaterThanOrEqual(before);
    expect(kept).toBeLessThanOrEqual(after + 1);
    await archive.close();
    expect(statSync(join(dir, 'copy/archive.db')).mode & 0o777).toBe(0o600);
  });

  test('restored elsewhere it is equal to the archive, byte for byte; taken again it adds what is new', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    const archive = await open({ dir: join(dir, 'data') });
    const first = await arx(dir, 'backup --to copy');
    expect([first.exit, first.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringMatching(/\d+ files share their bytes with the archive \(hard links\)/),
    ]);
    mkdirSync(join(dir, 'notes'));
    writeFileSync(join(dir, 'notes/new.txt'), 'new\n');
    expect((await arx(dir, 'import notes')).exit).toBe(0);
    const again = BackupReport.parse(JSON.parse((await arx(dir, 'backup --to copy --json')).stdout));
    expect(again.files).toMatchObject({ added: 1, linked: again.files.known + 1 });
    cpSync(join(dir, 'copy'), join(dir, 'elsewhere'), { recursive: true });
    const elsewhere = await arx(dir, 'backup --to elsewhere --json');
    expect(BackupReport.parse(JSON.parse(elsewhere.stdout)).files).toMatchObject({ added: 0, linked: 0 });
    expect(again.bytes).toBe(4);
    cpSync(join(dir, 'copy'), join(dir, 'restored'), { recursive: true });
    expect(await arx(dir, 'fsck --database sqlite:restored')).toMatchObject(FSCK_OK);
    const restored = await open({ dir: join(dir, 'restored') });
    expect(await contents(restored)).toEqual(await contents(archive));
    await restored.close();
    await archive.close();
  });

  test('X3 of several backups to one folder at once one is whole, and the others say that they wait for it', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => arx(dir, 'backup --to copy', { running: () => true })),
    );
    expect(runs.filter(({ exit }) => exit === 0).length).toBeGreaterThan(0);
    for (const { exit, stderr } of runs.filter((ran) => ran.exit !== 0)) {
      expect(exit).toBe(15);
      expect(stderr).toContain('backup.lock is held by process');
    }
    expect(readdirSync(join(dir, 'copy')).sort()).toEqual(['archive.db', 'backup.json', 'blobs']);
    expect(await arx(dir, 'fsck --database sqlite:copy')).toMatchObject(FSCK_OK);
  });

  test('Q9 a damaged or missing file is not copied, and exit 12 says so; repaired, it is', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    const at = (sha256: string) => blobPath(join(dir, 'data', 'blobs'), sha256);
    const archive = await open({ dir: join(dir, 'data') });
    const rows = await archive.database.all<{ sha256: string }>(
      'SELECT DISTINCT sha256 FROM attachments WHERE stored = 1 ORDER BY sha256 LIMIT 4',
    );
    await archive.close();
    const [pipe, link, cut, lost] = rows.map(({ sha256 }) => sha256) as [string, string, string, string];
    for (const sha256 of [pipe, link, cut, lost]) renameSync(at(sha256), join(dir, sha256));
    execFileSync('mkfifo', [at(pipe)]);
    symlinkSync(join(dir, link), at(link));
    writeFileSync(at(cut), 'x');
    const { exit, stderr } = await arx(dir, 'backup --to copy');
    expect([exit, stderr]).toEqual([
      12,
      expect.stringContaining('4 files of the archive cannot be backed up'),
    ]);
    // A message breaks at the width of the terminal.
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(words).toMatch(
      new RegExp(`: ${pipe} \\(att_\\d+\\), ${link} \\(att_\\d+\\), ${cut} \\(att_\\d+\\) and 1 more`),
    );
    const copied = readdirSync(join(dir, 'copy', 'blobs'), { recursive: true, withFileTypes: true });
    expect(copied.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
    for (const sha256 of [pipe, link, cut, lost]) {
      rmSync(at(sha256), { force: true });
      renameSync(join(dir, sha256), at(sha256));
    }
    writeFileSync(blobPath(join(dir, 'copy', 'blobs'), cut), 'x');
    expect((await arx(dir, 'backup --to copy')).exit).toBe(0);
    const copy = await open({ dir: join(dir, 'copy') });
    for (const { sha256 } of rows) expect(await copy.blobs.size(sha256)).toBe(statSync(at(sha256)).size);
    await copy.close();
  });

  test.each([
    'backup --to copy',
    'archive copy sqlite:data sqlite:copy',
    'archive copy sqlite:data sqlite:copy --dry-run',
  ])('a damaged database is exit 12: %s', async (line) => {
    await sampleIn({ dir: join(dir, 'data') });
    const archive = await open({ dir: join(dir, 'data') });
    const root = await archive.database.get<{ page: number; size: number }>(
      "SELECT rootpage AS page, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = 'attachments'",
    );
    await archive.close();
    const file = openSync(join(dir, 'data/archive.db'), 'r+');
    writeSync(file, Buffer.alloc(root!.size, 0xa5), 0, root!.size, (root!.page - 1) * root!.size);
    closeSync(file);
    const { exit, stderr } = await arx(dir, line);
    expect([exit, stderr]).toEqual([12, expect.stringContaining('damaged')]);
  });

  test('a backup that was stopped between two files: the next one keeps its files, and is whole', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    const archive = await open({ dir: join(dir, 'data') });
    const stopping = new AbortController();
    const states: { label: string; done: number; total: number }[] = [];
    const stopped = backUp(archive, join(dir, 'copy'), {
      signal: stopping.signal,
      onDamaged() {},
      progress(state) {
        states.push(state);
        if (state.label === 'files' && state.done > state.total / 2) stopping.abort();
      },
    });
    await expect(stopped).rejects.toThrow('aborted');
    await archive.close();
    expect(states.map(({ label }) => label).slice(0, 2)).toEqual(['database', 'files']);
    expect(states.every(({ done, total }) => total > 0 && done <= total)).toBe(true);
    // What a kill leaves too: files, and a database that has no name yet.
    expect(readdirSync(join(dir, 'copy')).toSorted()).toEqual(['archive.db.new', 'backup.json', 'blobs']);
    const kept = states.filter(({ label }) => label === 'files').length - 1;
    const ran = await arx(dir, 'backup --to copy --json');
    const { files } = BackupReport.parse(JSON.parse(ran.stdout));
    expect(files.known).toBe(kept);
    expect(files.added).toBeGreaterThan(0);
    expect(readdirSync(join(dir, 'copy')).toSorted()).toEqual(['archive.db', 'backup.json', 'blobs']);
    expect(await arx(dir, 'fsck --database sqlite:copy')).toMatchObject(FSCK_OK);
  });

  test('nothing else is written over', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    mkdirSync(join(dir, 'full'));
    writeFileSync(join(dir, 'full/mine'), '');
    expect(await arx(dir, 'backup --to full')).toMatchObject({ exit: 13, stdout: '' });
    expect(readdirSync(join(dir, 'full'))).toEqual(['mine']);
    expect(await arx(dir, 'backup --to data')).toMatchObject({ exit: 13 });
    await (await open({ dir: join(dir, 'other') })).close();
    expect((await arx(dir, 'backup --to copy')).exit).toBe(0);
    const foreign = await arx(dir, 'backup --to copy --database sqlite:other');
    expect(foreign.exit).toBe(13);
    expect((await arx(dir, 'backup --to copy --database postgres://a@b/c')).exit).toBe(2);
  });

  test.each(['data', 'data/x', 'data/blobs/x/y', 'link', 'link/x', 'files/x', 'files/x/y'])(
    'nor is the archive’s own folder written to: %s',
    async (to) => {
      await sampleIn({ dir: join(dir, 'data') });
      symlinkSync('data/blobs', join(dir, 'link'));
      // Files that are kept elsewhere.
      renameSync(join(dir, 'data/blobs'), join(dir, 'files'));
      symlinkSync('../files', join(dir, 'data/blobs'));
      const names = () => (readdirSync(dir, { recursive: true }) as string[]).toSorted();
      const before = names();
      const { exit, stderr } = await arx(dir, `backup --to ${to}`);
      expect([exit, stderr]).toEqual([13, expect.stringContaining("it is in the archive's own folder")]);
      expect(names()).toEqual(before);
    },
  );

  test('nor is a backup opened as an archive one of itself', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    expect((await arx(dir, 'backup --to copy')).exit).toBe(0);
    expect((await arx(dir, 'backup --to copy --database sqlite:copy')).exit).toBe(13);
    expect((await arx(dir, 'backup --to copy.2 --database sqlite:copy')).exit).toBe(0);
  });

  test('a full disk is said to be one, and what was begun is gone', async () => {
    await sampleIn({ dir: join(dir, 'data') });
    const archive = await open({ dir: join(dir, 'data') });
    const get: typeof archive.database.get = async (sql, values = []) => {
      if (!sql.startsWith('VACUUM')) return archive.database.get(sql, values);
      writeFileSync(`${String(values[0])}-journal`, '');
      throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    };
    const onFull = { ...archive, database: { ...archive.database, get } };
    const options = { signal: new AbortController().signal, progress() {}, onDamaged() {} };
    await expect(backUp(onFull, join(dir, 'copy'), options)).rejects.toMatchObject({ code: 'ENOSPC' });
    await archive.close();
    expect(readdirSync(join(dir, 'copy'))).toEqual(['backup.json']);
  });
});

describe.skipIf(noPostgres)('PostgreSQL', () => {
  const run = promisify(execFile);

  test.each(['database', 'folder'] as const)(
    'pg_dump under ingest, files in the %s, restored: whole and the same',
    async (files) => {
      const { dir: socket, port } = JSON.parse(process.env[CLUSTER]!) as Cluster;
      const blobs = files === 'folder' ? { blobs: join(dir, 'blobs') } : {};
      const url = await freshUrl();
      await sampleIn({ url, ...blobs });
      const archive = await open({ url, ...blobs });
      const events = ingesting(archive);
      while (events.acknowledged() < 20) await sleep(5);
      const at = ['-h', socket, '-p', String(port), '-U', 'arx'];
      await run('pg_dump', [...at, '-Fc', '-n', schemaOf(url), '-f', join(dir, 'dump'), 'postgres']);
      await events.end();
      // Files after the database: they are there before their rows.
      if (files === 'folder') cpSync(join(dir, 'blobs'), join(dir, 'restored'), { recursive: true });
      const database = `restored_${process.pid}_${files}`;
      await withClient((client) => client.query(`CREATE DATABASE ${database}`));
      await run('pg_restore', [...at, '-d', database, '--exit-on-error', join(dir, 'dump')]);
      const place = {
        url: urlOf({ database, schema: schemaOf(url) }),
        ...(files === 'folder' ? { blobs: join(dir, 'restored') } : {}),
      };
      const words = ['fsck', '--database', place.url, ...('blobs' in place ? ['--blobs', place.blobs] : [])];
      expect(await arx(dir, '', { argv: words })).toMatchObject(FSCK_OK);
      // The events of the dump are the first ones, and what they did is done.
      const restored = await open(place);
      const count = async (one: OpenArchive) =>
        (await one.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM events'))!.n;
      const kept = await count(restored);
      expect(kept).toBeGreaterThanOrEqual(20);
      const service = createService(restored, { assetUrl: 'http://127.0.0.1:9', version: '0' });
      const token = await tokenFor(service);
      for (let n = kept; n < (await count(archive)); n += 1) {
        await call(service, '/api/webhooks/ingest', { token, body: moved(`evt_${n + 1}`, (n % 100) + 1, n) });
      }
      const [one, other] = [await contents(restored), await contents(archive)];
      const steady = (texts: string[]) => texts.map((text) => text.replaceAll(/"received_at":"[^"]*"/g, ''));
      expect(steady(one)).toEqual(steady(other));
      await restored.close();
      await archive.close();
    },
  );
});
