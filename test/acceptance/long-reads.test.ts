// Reads of SQLite that take long, in a process of their own: other reads do not wait for them, and the process ends with those who need it.
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Listening } from '../../src/contract/reports/command.ts';
import { openSqlite } from '../../src/service/store/engines/sqlite.ts';
import { readsInProcess } from '../../src/service/store/engines/sqlite-reads.ts';
import type { Database } from '../../src/service/store/sql/database.ts';
import { buildProgram } from '../support/program.ts';
import { startReads } from '../support/reads-process.ts';
import { sampleData } from '../support/sample.ts';
import { tokenOf } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

const arx = buildProgram();
const ROOT = join(arx.launcher, '../..');

let database: Database;
let started: ReturnType<typeof startReads>[];
beforeEach(async () => {
  started = [];
  database = await openSqlite({
    path: join(tempFolder('long-reads'), 'x.db'),
    sleep: (ms) => sleep(ms),
    startReads: () => {
      const process = startReads(ROOT);
      started.push(process);
      return process;
    },
  });
  await database.run('CREATE TABLE numbers (n INTEGER PRIMARY KEY, name TEXT, bytes BLOB)');
  await database.run(`INSERT INTO numbers VALUES (1, 'one', x'00ff'), (2, NULL, NULL), (70000, 'süß', x'')`);
});
afterEach(() => database.close());

/** A statement that does not end by itself. */
const ENDLESS =
  'WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s) SELECT COUNT(*) AS n FROM s';

test('gives what a read of this process gives, with what was just committed', async () => {
  const { longReads } = database;
  const sql = 'SELECT n, name, bytes FROM numbers WHERE n <= $1 ORDER BY n';
  expect(await longReads.all(sql, [2])).toEqual(await database.all(sql, [2]));
  expect(await longReads.get(sql, [1])).toEqual(await database.get(sql, [1]));
  expect(await longReads.get(sql, [0])).toBeUndefined();
  await database.run('DELETE FROM numbers WHERE n = 1');
  expect(await longReads.numbers('SELECT n FROM numbers ORDER BY n DESC')).toEqual(
    Float64Array.of(70_000, 2),
  );
  expect(started).toHaveLength(1);
});

test('an answer of many bytes, and questions that are asked at once', async () => {
  const many =
    'WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < $1) SELECT n FROM s';
  const [rows, numbers, one] = await Promise.all([
    database.longReads.all<{ n: number }>(many, [30_000]),
    database.longReads.numbers(many, [300_000]),
    database.longReads.get<{ n: number }>(many, [1]),
  ]);
  expect([rows.length, rows.at(-1)?.n, numbers.length, numbers.at(-1), one?.n]).toEqual([
    30_000, 30_000, 300_000, 300_000, 1,
  ]);
});

test('an error is that of the engine', async () => {
  const [there, here] = await Promise.all(
    [database.longReads, database].map((reads) => reads.all('SELECT nothing FROM numbers').catch((e) => e)),
  );
  expect({ ...there, message: there.message }).toEqual({ ...here, message: here.message });
  expect(await database.longReads.get('SELECT 1 AS n')).toEqual({ n: 1 });
});

test('other reads go on beside an endless one; where its process ends it is busy, and the next one gets another', async () => {
  const endless = database.longReads.get(ENDLESS).catch((error: unknown) => error);
  const after = database.longReads.get('SELECT 2 AS n');
  expect(await database.get('SELECT COUNT(*) AS n FROM numbers')).toEqual({ n: 3 });
  started[0]!.kill();
  expect(await endless).toMatchObject({ kind: 'busy' });
  expect(await after).toEqual({ n: 2 });
  expect(started).toHaveLength(2);
});

test('one that nobody waits for ends at once in the queue, and soon where it runs; the next one gets another process', async () => {
  const { longReads } = database;
  expect(await longReads.get('SELECT 1 AS n')).toEqual({ n: 1 });
  const gone = new AbortController();
  const mine = longReads.until(gone.signal);
  const abandoned = [ENDLESS, 'SELECT 2 AS n'].map((sql) => mine.get(sql).catch((e: Error) => e.message));
  const after = longReads.get('SELECT 3 AS n');
  gone.abort(new Error('gone'));
  expect(await Promise.all(abandoned)).toEqual(['gone', 'gone']);
  expect(await after).toEqual({ n: 3 });
  expect(started).toHaveLength(2);
  await expect(mine.all('SELECT 4 AS n')).rejects.toThrow('gone');
});

test('a short one that nobody waits for costs no process', async () => {
  const { longReads } = database;
  expect(await longReads.get('SELECT 0 AS n')).toEqual({ n: 0 });
  const gone = new AbortController();
  const abandoned = longReads.until(gone.signal).get('SELECT 1 AS n');
  gone.abort(new Error('gone'));
  await expect(abandoned).rejects.toThrow('gone');
  for (let n = 2; n < 5; n += 1) expect(await longReads.get(`SELECT ${n} AS n`)).toEqual({ n });
  expect(started).toHaveLength(1);
});

test('closing ends a read that runs, and those that wait', async () => {
  const errors = [ENDLESS, 'SELECT 1'].map((sql) => database.longReads.get(sql).catch((e: unknown) => e));
  await database.close();
  for (const error of await Promise.all(errors)) expect(error).toMatchObject({ kind: 'busy' });
  database = await openSqlite({ path: ':memory:', sleep: (ms) => sleep(ms) });
});

test('the process ends in the middle of a statement where who started it is gone', async () => {
  const endless = database.longReads.get(ENDLESS).catch((error: unknown) => error);
  expect(await database.get('SELECT 1 AS n')).toEqual({ n: 1 });
  started[0]!.stdin.end();
  expect(await endless).toMatchObject({ kind: 'busy' });
});

test('reads are busy at once where the process cannot start its thread', async () => {
  const root = tempFolder('long-reads-part');
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  rmSync(join(root, 'dist/reads-input-worker.js'));
  const { reads } = readsInProcess(':memory:', () => startReads(root));
  expect(await reads.get('SELECT 1').catch((error: unknown) => error)).toMatchObject({ kind: 'busy' });
});

test('after closing no process is started', async () => {
  await database.close();
  const error: unknown = await database.longReads.get('SELECT 1').catch((e: unknown) => e);
  expect(error).toMatchObject({ kind: 'busy' });
  expect(started).toEqual([]);
  database = await openSqlite({ path: ':memory:', sleep: (ms) => sleep(ms) });
});

test('an answer is not kept until the longest time of a read is over', async () => {
  const answer = new WeakRef(await database.longReads.numbers('SELECT n FROM numbers'));
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let tries = 0; answer.deref() !== undefined && tries < 100; tries += 1) {
    await nextTurn();
    collect();
  }
  expect(answer.deref()).toBeUndefined();
});

/** The processes that a process has started, and that run. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** A process that nobody has waited for yet is no more. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test.runIf(process.platform === 'linux').each(['SIGTERM', 'SIGKILL'] as const)(
  'arx serve searches in such a process, which ends with it: %s',
  async (signal) => {
    const dir = tempFolder('long-reads-served');
    await sampleData(join(dir, 'data'));
    mkdirSync(join(dir, 'mails'));
    writeFileSync(join(dir, 'mails/a.eml'), 'Subject: marble\nFrom: a@b\n\nmarble\n');
    expect(await arx.run(['import', 'mails'], { dir })).toMatchObject({ exit: 0 });
    const running = arx.start(['serve', '--port', '0', '--json', '--max-tier', 'internal'], { dir });
    try {
      const { pid, base_url } = JSON.parse(await running.says('stdout', /\n/)) as Listening;
      const headers = { authorization: `Bearer ${await tokenOf(base_url)}` };
      expect(childrenOf(pid)).toEqual([]);
      const found = await fetch(`${base_url}/v1/search?q=marble`, { headers });
      expect(await found.json()).toMatchObject({ total: 1 });
      const children = childrenOf(pid);
      expect(children).toHaveLength(1);
      running.child.kill(signal);
      await running.ended;
      for (let tries = 0; isRunning(children[0]!) && tries < 500; tries += 1) await sleep(10);
      expect(isRunning(children[0]!)).toBe(false);
    } finally {
      running.child.kill('SIGKILL');
    }
  },
);

test.runIf(process.platform === 'linux')(
  'a search of a large local archive runs in such a process, so that Ctrl-C ends it',
  async () => {
    const dir = tempFolder('long-reads-local');
    await sampleData(join(dir, 'data'));
    const search = () => arx.start(['search', 'letter', '--count'], { dir });
    expect(await search().ended).toMatchObject({ exit: 0 });
    // Zeros after the last page change nothing.
    truncateSync(join(dir, 'data/archive.db'), 512 * 1024 * 1024);
    const running = search();
    // It is stopped as by a statement that takes long.
    const reading = () =>
      childrenOf(running.pid).find((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reads-process'),
      );
    for (let tries = 0; reading() === undefined && tries < 3_000; tries += 1) await sleep(1);
    const child = reading();
    process.kill(child!, 'SIGSTOP');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ exit: 130, stderr: expect.stringContaining('interrupted') });
    for (let tries = 0; isRunning(child!) && tries < 500; tries += 1) await sleep(10);
    expect(isRunning(child!)).toBe(false);
  },
);
