// A log beside a database that is not its own is refused before SQLite writes it into the file.
import { fc, test as check } from '@fast-check/vitest';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../../src/exit.ts';
import { openSqlite } from '../../../../src/service/store/engines/sqlite.ts';
import { UnusableArchive } from '../../../../src/service/store/sql/unusable-archive.ts';
import { arx } from '../../../support/command.ts';
import { runs } from '../../../support/runs.ts';
import { sampleData } from '../../../support/sample.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const sleep = (): Promise<never> => Promise.reject(new Error('nothing is waited for'));

/** Copies a database and its log as they are on the disk. */
function copyPair(database: string, to: string, log = database): void {
  copyFileSync(database, to);
  if (existsSync(`${log}-wal`)) copyFileSync(`${log}-wal`, `${to}-wal`);
}

function bytesOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** What a run does: a transaction of so many rows, or one that is undone, or the log is moved into the file as far as it can be. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ rows: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ rows: fc.constant(3_000) }) },
  { weight: 1, arbitrary: fc.constant('undone' as const) },
  { weight: 1, arbitrary: fc.constant('nothing' as const) },
  { weight: 2, arbitrary: fc.constantFrom('PASSIVE', 'RESTART', 'TRUNCATE') },
);

type Open = Awaited<ReturnType<typeof openSqlite>>;

async function insert(database: Open, rows: number, undone?: Error): Promise<void> {
  await database.transaction(async (statements) => {
    await statements.run(
      `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $1)
        INSERT INTO t SELECT n, hex(randomblob(200)) FROM n`,
      [rows],
    );
    if (undone !== undefined) throw undone;
  });
}

describe('a database with a log', () => {
  check.prop([fc.array(step, { minLength: 3, maxLength: 12 })], { numRuns: runs({ quick: 6, long: 12 }) })(
    'opens with the state of its log, or is refused and left as it is',
    async (steps) => {
      const dir = tempFolder('log');
      const path = join(dir, 'archive.db');
      const database = await openSqlite({ path, sleep });
      await database.transaction((statements) => statements.run('CREATE TABLE t (n INTEGER, filler TEXT)'));
      const states: { at: string; rows: number }[] = [];
      for (const [n, what] of steps.entries()) {
        if (typeof what === 'object') await insert(database, what.rows);
        else if (what === 'undone') await insert(database, 5, new Error('undone')).catch(() => {});
        else if (what === 'nothing') await database.transaction(() => Promise.resolve());
        else {
          const other = new DatabaseSync(path, { timeout: 0 });
          other.exec(`PRAGMA wal_checkpoint(${what})`);
          other.close();
        }
        const at = join(dir, `copy-${n}`);
        copyPair(path, at);
        states.push({ at, rows: (await database.get<{ n: number }>('SELECT COUNT(*) AS n FROM t'))!.n });
      }
      for (const file of states)
        for (const log of states) {
          const mixed = join(dir, 'mixed');
          for (const end of ['', '-wal', '-shm']) rmSync(mixed + end, { force: true });
          copyPair(file.at, mixed, log.at);
          const before = readFileSync(mixed);
          const opened = await openSqlite({ path: mixed, sleep }).catch((error: unknown) => error as Error);
          if (opened instanceof Error) {
            expect(opened).toBeInstanceOf(UnusableArchive);
            expect(file).not.toBe(log);
            expect(readFileSync(mixed)).toEqual(before);
            continue;
          }
          // Without a log the file is what was moved into it.
          if (bytesOf(`${log.at}-wal`) > 0)
            expect(await opened.get('SELECT COUNT(*) AS n FROM t')).toEqual({ n: log.rows });
          expect(await opened.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
          await opened.close();
        }
      await database.close();
    },
  );
});

describe('an archive', () => {
  /**
   * Makes a folder as `kill -9` leaves it: with a log that was not moved into the file. It is a copy, since the driver keeps a closed file
   * open until its statements are collected.
   */
  async function killed(home: string): Promise<string> {
    const live = join(home, 'live');
    await sampleData(live);
    const reader = new DatabaseSync(join(live, 'archive.db'));
    // What is imported now stays in the log, since somebody reads the state before it.
    reader.exec('BEGIN; SELECT COUNT(*) FROM messages');
    const notes = join(home, 'notes');
    mkdirSync(notes);
    writeFileSync(join(notes, 'later.txt'), 'later\n');
    expect((await arx(home, `import ${notes}`, { env: { ARX_DATA_DIR: live } })).exit).toBe(0);
    const data = join(home, 'data');
    cpSync(live, data, { recursive: true });
    reader.close();
    return data;
  }

  test('with its own log has what the log has', async () => {
    const home = tempFolder('log');
    const data = await killed(home);
    const ran = await arx(home, 'attachments ls --all --json', { env: { ARX_DATA_DIR: data } });
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('later.txt');
  });

  test('that was put back from a backup beside the log of the one before is refused and stays as it is', async () => {
    const home = tempFolder('log');
    const data = await killed(home);
    const backup = join(home, 'backup');
    const live = { ARX_DATA_DIR: join(home, 'live') };
    expect((await arx(home, `backup --to ${backup}`, { env: live })).exit).toBe(0);
    const path = join(data, 'archive.db');
    copyFileSync(join(backup, 'archive.db'), path);
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    for (const line of [
      'conversations ls',
      'import notes',
      'fsck',
      'serve --read-only',
      `backup --to ${home}/b2`,
    ]) {
      const ran = await arx(home, line, { env: { ARX_DATA_DIR: data } });
      expect([line, ran.exit]).toEqual([line, line === 'fsck' ? EXIT.integrity : EXIT.store]);
      expect(ran.stdout + ran.stderr).toContain('archive.db-wal does not belong to archive.db');
    }
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
    rmSync(`${path}-wal`);
    expect((await arx(home, 'fsck', { env: { ARX_DATA_DIR: data } })).exit).toBe(0);
  });

  test('beside the journal of another database is refused and stays as it is', async () => {
    const home = tempFolder('log');
    const data = join(home, 'data');
    await sampleData(data);
    const path = join(data, 'archive.db');
    const other = new DatabaseSync(join(home, 'other'));
    other.exec('PRAGMA cache_size = 1; CREATE TABLE t (n); INSERT INTO t VALUES (1); BEGIN IMMEDIATE');
    // More than the cache holds, so that the journal is on the disk.
    other.exec(
      `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
        INSERT INTO t SELECT hex(randomblob(100)) FROM n`,
    );
    copyFileSync(join(home, 'other-journal'), `${path}-journal`);
    other.close();
    const before = readFileSync(path);
    const ran = await arx(home, 'conversations ls', { env: { ARX_DATA_DIR: data } });
    expect(ran.exit).toBe(EXIT.store);
    expect(ran.stderr).toContain('archive.db-journal does not belong to archive.db');
    expect(readFileSync(path)).toEqual(before);
  });

  test('is backed up over a backup whose reader was killed', async () => {
    const home = tempFolder('log');
    const data = join(home, 'data');
    await sampleData(data);
    const backup = join(home, 'backup');
    for (let n = 0; n < 2; n += 1) {
      expect((await arx(home, `backup --to ${backup}`, { env: { ARX_DATA_DIR: data } })).exit).toBe(0);
      expect((await arx(home, 'fsck', { env: { ARX_DATA_DIR: backup } })).exit).toBe(0);
      copyFileSync(join(await killed(tempFolder('log')), 'archive.db-wal'), join(backup, 'archive.db-wal'));
    }
  });
});
