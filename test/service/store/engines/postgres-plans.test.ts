// Which servers are PostgreSQL itself, what their state is called, and which plans are kept.
import { expect, test } from 'vitest';
import type { Statements } from '../../../../src/service/store/sql/database.ts';
import {
  createStatementNames,
  isGenuinePostgres,
  snapshotVersion,
} from '../../../../src/service/store/engines/postgres-plans.ts';
import { SUMMARY_STATE } from '../../../../src/service/store/sql/prepared-texts.ts';
import { PAGE_SELECT } from '../../../../src/service/store/sql/prepared-texts.ts';

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

test('the state is the snapshot; where a part of it is missing, it is no state, nor the same again', async () => {
  expect(await snapshotVersion(answering(async () => ({ state: '1:3:2' })))).toBe('1:3:2');
  expect(await snapshotVersion(answering(async () => ({ state: null })))).toBeNaN();
});

test('only pages and what is asked for each request have names, the same for the same text, and not more than 64', () => {
  const nameOf = createStatementNames();
  expect(nameOf('SELECT n FROM attachments WHERE n = $1')).toBeUndefined();
  expect(nameOf(SUMMARY_STATE)).toBeDefined();
  const names = Array.from({ length: 100 }, (_, n) => nameOf(`${PAGE_SELECT} FROM (${n}) AS page`));
  expect(new Set([nameOf(SUMMARY_STATE), ...names]).size).toBe(65);
  expect(nameOf(`${PAGE_SELECT} FROM (5) AS page`)).toBe(names[5]);
});
