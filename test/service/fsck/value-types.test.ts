// Values that a column cannot hold: each is named by its row and column, and no check ends over it. A bug is no damage.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FsckReport } from '../../../src/contract/reports/archive.ts';
import { checkArchive } from '../../../src/service/fsck/check-archive.ts';
import type { ColumnType } from '../../../src/service/records/table.ts';
import { TYPED_TABLES } from '../../../src/service/fsck/value-types.ts';
import { importPaths } from '../../support/import-paths.ts';
import { createService, openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { moved } from '../../support/event.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const MBOX = Array.from({ length: 5 }, (_, n) =>
  [
    'From a@b.example Thu Jan  1 00:00:00 2026',
    `Message-ID: <m${n}@b.example>`,
    `In-Reply-To: <${n < 3 ? 'nowhere' : 'm0'}@b.example>`,
    `Subject: Letter ${n}`,
    'From: a@b.example',
    `Date: Thu, 01 Jan 2026 00:0${n}:00 +0000`,
    'Content-Type: multipart/mixed; boundary=x',
    '',
    `--x\nContent-Type: text/plain\n\ntext\n`,
    `--x\nContent-Type: text/x-log; name=file-${n}.log\nContent-Disposition: attachment\n\n${n}\n`,
    '--x--\n\n',
  ].join('\n'),
).join('');

const { signal } = new AbortController();
let dir: string;
let archive: OpenArchive;
beforeEach(async () => {
  dir = join(tempFolder('value-types'), 'archive');
  const box = join(tempFolder('value-types'), 'list.mbox');
  writeFileSync(box, MBOX);
  archive = await openArchive({ dir, sleep, now: () => Date.UTC(2026, 5, 1), randomBytes });
  await importPaths(archive, [box], { signal });
  const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
  const token = await tokenFor(service);
  for (const body of [1, 2, 3, 4].map((n) => moved(`evt_${n}`, n, 40 + n)))
    expect((await call(service, '/api/webhooks/ingest', { token, body })).status).toBe(200);
});
afterEach(() => archive.close());

const check = async (database = archive.database): Promise<FsckReport> =>
  FsckReport.parse(
    await checkArchive(
      { ...archive, database },
      {
        hash: async (_, paths) => ({
          hashes: paths.map((path) => path.replace('/', '')),
          bytes: paths.map(() => 2),
        }),
        signal,
        progress: () => {},
      },
    ),
  );

/** Writes values that the schema forbids, one for each statement, and puts the schema back. */
function force(table: string, statements: readonly string[]): void {
  const handle = new DatabaseSync(join(dir, 'archive.db'), { defensive: false });
  const own = handle.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table) as { sql: string };
  const loose = own.sql
    .replaceAll(' NOT NULL', '')
    .replace(/\) STRICT$/, ')')
    .replaceAll(/\b(?:INTEGER|TEXT|BLOB)\b(?! PRIMARY)/g, '');
  const write = (sql: string) => {
    handle.exec('PRAGMA writable_schema = ON');
    handle.prepare('UPDATE sqlite_master SET sql = ? WHERE name = ?').run(sql, table);
    handle.exec('PRAGMA writable_schema = RESET');
  };
  write(loose);
  for (const statement of statements) handle.exec(statement);
  write(own.sql);
  handle.close();
}

/** Values that a column cannot hold. */
function wrongValues({ sql, nullable }: ColumnType): string[] {
  const isNumber = sql === 'BIGINT';
  return [
    ...(nullable ? [] : ['NULL']),
    ...(sql === 'BLOB' ? [] : [`x'ff00'`]),
    isNumber ? `'text'` : '12',
    isNumber ? '9223372036854775807' : '1.5',
  ];
}

test.each(TYPED_TABLES)('values of the table $table', async ({ table, columns, column: key }) => {
  const rows = await archive.database.all<{ at: number }>(
    `SELECT ${key} AS at FROM ${table} ORDER BY ${key}`,
  );
  const names = Object.entries(columns).filter(([name]) => name !== key && name !== 'message_key');
  const written = rows.map(({ at }, index) => ({
    at,
    sets: names.flatMap(([name, { type }]) => {
      const value = wrongValues(type)[index];
      return value === undefined ? [] : [{ name, value }];
    }),
  }));
  force(
    table,
    written
      .filter(({ sets }) => sets.length > 0)
      .map(
        ({ at, sets }) =>
          `UPDATE ${table} SET ${sets.map(({ name, value }) => `${name} = ${value}`).join(', ')} WHERE ${key} = ${at}`,
      ),
  );
  const report = await check();
  if (names.length === 0) return;
  expect(report.verdict).toBe('damaged');
  // What ended a check is explained by values that are named.
  expect(report.unchecked_is_explained ?? true).toBe(true);
  for (const [name] of names) {
    const found = report.findings.filter(({ problem }) => problem.startsWith(`${table}.${name} holds`));
    const count = written.filter(({ sets }) => sets.some((set) => set.name === name)).length;
    expect([name, found.reduce((sum, each) => sum + each.count, 0)]).toEqual([name, count]);
  }
});

test('a bug is no damage: what it left unchecked is named, and the other checks go on', async () => {
  const { database } = archive;
  const broken: typeof database = {
    ...database,
    all: async (sql, parameters) => {
      if (sql.includes('body_sha256, payload_sha256, effect')) throw new TypeError('a bug');
      return database.all(sql, parameters);
    },
  };
  const report = await check(broken);
  expect(report).toMatchObject({
    verdict: 'partly_checked',
    findings: [],
    unchecked: [{ check: 'events', subject: 'events 1 to 4', error: 'TypeError' }],
    unchecked_is_explained: false,
  });
  expect(report.checks.map(({ name }) => name)).toContain('files');
  // Damage elsewhere does not make damage of it.
  await database.run('UPDATE conversations SET message_count = 9 WHERE n = 1');
  const damaged = await check(broken);
  expect(damaged).toMatchObject({ verdict: 'damaged', unchecked_is_explained: false });
  expect(damaged.findings.map(({ check: name }) => name)).toEqual(['conversations']);
  expect(damaged.unchecked).toEqual(report.unchecked);
});
