// Which servers are PostgreSQL itself, what their state is called, and which plans are kept.
import { describe, expect, test } from 'vitest';
import type { Statements } from '../../../../src/service/store/sql/database.ts';
import {
  createDataVersion,
  createStatementNames,
  isGenuinePostgres,
  type ServerTarget,
} from '../../../../src/service/store/engines/postgres-plans.ts';
import {
  FILTERED_PAGE_SELECT,
  PAGE_SELECT,
  SUMMARY_STATE,
  WORDS_MATCH,
} from '../../../../src/service/store/sql/prepared-texts.ts';

const answering = (get: () => Promise<unknown>) => ({ get }) as unknown as Statements;

test.each([
  ['PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc', 0, true],
  ['PostgreSQL 16.2 on x86_64-pc-linux-musl, compiled by gcc', 0, true],
  ['PostgreSQL 18beta1 on aarch64-unknown-linux-gnu', 0, true],
  ['PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc', 1, false],
  ['PostgreSQL 12.9 on x86_64-pc-linux-gnu', 0, false],
  ['PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu', 0, false],
  ['PostgreSQL 14.4 (Apache Cloudberry 2.0.0 build 1) on x86_64-pc-linux-gnu', 0, false],
  ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC, Redshift 1.0', 0, false],
  ['CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)', 0, false],
])('%s, extensions that spread tables: %i', async (version, spread, plain) => {
  expect(await isGenuinePostgres(answering(async () => ({ version, spread })))).toBe(plain);
  expect(await isGenuinePostgres(answering(() => Promise.reject(new Error('no such table'))))).toBe(false);
});

describe('the state', () => {
  const one: ServerTarget = { changes: 1, isShared: false };
  const version = (row: object, ...targets: (ServerTarget | undefined)[]) =>
    createDataVersion(
      answering(async () => row),
      () => (targets.length > 1 ? targets.shift() : targets[0]),
      { ofWriter: true },
    )();

  test('is the snapshot of a primary, or the position of a standby', async () => {
    expect(await version({ state: '1:3:2', replayed: null }, one)).toBe('1 1:3:2');
    expect(await version({ state: '1:3:2', replayed: null }, { ...one, isShared: true })).toBe('1 1:3:2');
    expect(await version({ state: null, replayed: '0/16B3' }, one)).toBe('1 0/16B3');
  });

  test('is the last transaction of a writer, where it is known', async () => {
    const primary = { state: '1:3:2', replayed: null, writer: '17', standby: 0 };
    expect(await version(primary, one)).toBe('1 writer 17');
    expect(await version(primary, { ...one, isShared: true })).toBe('1 writer 17');
    expect(await version({ ...primary, writer: null }, one)).toBe('1 1:3:2');
    const standby = { state: null, replayed: null, writer: '17', standby: 1 };
    expect(await version(standby, one)).toBe('1 writer 17');
    expect(await version(standby, { ...one, isShared: true })).toBeNaN();
  });

  test.each([
    ['a standby that has received more than it shows', { state: null, replayed: null }, one],
    ['a standby behind a pooler', { state: null, replayed: '0/16B3' }, { ...one, isShared: true }],
    ['several servers', { state: '1:3:2', replayed: null }, undefined],
  ])('is none, nor the same again: %s', async (_what, row, target) => {
    expect(await version(row, target)).toBeNaN();
  });

  test('is none where a connection to another server was opened while it was read', async () => {
    expect(await version({ state: '1:3:2' }, one, { ...one, changes: 2 })).toBeNaN();
    expect(await version({ state: '1:3:2' }, undefined, one)).toBeNaN();
  });

  test('of a server that does not tell its position is the snapshot', async () => {
    const asked: string[] = [];
    const read = createDataVersion(
      {
        get: async (sql: string) => {
          asked.push(sql);
          if (sql.includes('receive_lsn')) throw Object.assign(new Error('no'), { code: '0A000' });
          return { state: '1:3:2', replayed: null };
        },
      } as unknown as Statements,
      () => one,
      { ofWriter: false },
    );
    expect(await read()).toBe('1 1:3:2');
    expect(await read()).toBe('1 1:3:2');
    expect(asked).toHaveLength(3);
  });
});

test('only pages and what is asked for each request are sent to connections for pages', () => {
  const sendingOf = createStatementNames();
  expect(sendingOf('SELECT n FROM attachments WHERE n = $1')).toEqual({ isPage: false, name: undefined });
  for (const sql of [SUMMARY_STATE, `${PAGE_SELECT} FROM x`, `${FILTERED_PAGE_SELECT} FROM x`]) {
    expect(sendingOf(sql)).toEqual({ isPage: true, name: expect.any(String) as string });
  }
});

test('an insert of given rows is prepared, once for each table; one with its values in the text is not', () => {
  const sendingOf = createStatementNames();
  const append =
    'INSERT INTO events (n, id) SELECT CAST(value ->> 0 AS BIGINT) AS n, 1 AS id FROM json_each($1)';
  expect(sendingOf(append)).toEqual({ isPage: false, name: 'arx_append_events' });
  expect(sendingOf('INSERT INTO events (n, id) VALUES ($1, $2)').name).toBeUndefined();
});

test('a text keeps its name; pages with filters leave names to the others, and a page without a name is a page', () => {
  const sendingOf = createStatementNames();
  const sent = (select: string) =>
    Array.from({ length: 100 }, (_, n) => sendingOf(`${select} FROM (${n}) AS page`));
  const filtered = sent(FILTERED_PAGE_SELECT);
  const plain = sent(PAGE_SELECT);
  expect(sent(PAGE_SELECT)).toEqual(plain);
  for (const [all, most] of [
    [filtered, 96],
    [plain, 64],
  ] as const) {
    expect(all.every(({ isPage }) => isPage)).toBe(true);
    expect(all.filter(({ name }) => name !== undefined)).toHaveLength(most);
  }
  expect(new Set([...filtered, ...plain].map(({ name }) => name)).size).toBe(96 + 64 + 1);
});

test('searches by words have settings of their own, and read a table in order only where they must', () => {
  const settingsOf = (sql: string) => createStatementNames()(sql).settings;
  const search = `SELECT n FROM search_mirror WHERE (${WORDS_MATCH})`;
  expect(settingsOf('SELECT n FROM search_mirror WHERE search_mirror.day >= $1')).toBeUndefined();
  expect(settingsOf(search)).toMatchObject({ enable_seqscan: 'off', enable_indexscan: 'off' });
  for (const sql of [
    `${search} ORDER BY search_mirror.day`,
    search.replace(' WHERE', ' CROSS JOIN messages m WHERE'),
  ])
    expect(settingsOf(sql)).toEqual({ enable_seqscan: 'off', jit: 'off' });
});
